// Listener: answers HTTP requests on threads of its own until it is destroyed. Slow or silent
// clients are cut off after seconds; a request's body is bounded; the last of more clients than
// there are threads wait.
//
// Thread-safety: none needed; the handler is called by several threads at once.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "http/address.h"
#include "http/message.h"

namespace walduct::http {

class Listener {
 public:
  static constexpr size_t kThreads = 8;
  static constexpr size_t kMaxBodyBytes = 1u << 20;

  // handler is borrowed. FailedPrecondition listen_failed: the port is in use, or the address is
  // not this machine's.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const Address& address, Handler* handler);
  // Waits for the requests under way.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // With the port that was given when any was asked for.
  const Address& address() const;

 private:
  struct Server;
  explicit Listener(std::unique_ptr<Server> server);

  const std::unique_ptr<Server> server_;
};

}  // namespace walduct::http
