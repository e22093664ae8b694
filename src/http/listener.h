// Listener: answers HTTP/1.1 requests on threads of its own until it is destroyed: one per client,
// at most kClients, so that a slow answer holds up nobody else; further clients wait. One that is
// silent is cut off after seconds; a request's head and body are bounded.
//
// Thread-safety: none needed; the handler is called by several threads at once.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "http/address.h"
#include "http/message.h"
#include "http/server_tls.h"

namespace walduct::http {

class Listener {
 public:
  static constexpr unsigned kClients = 32;
  static constexpr size_t kMaxHeadBytes = 32u << 10;
  static constexpr size_t kMaxBodyBytes = 1u << 20;

  // handler is borrowed; tls is null where requests come unencrypted. FailedPrecondition
  // listen_failed: the port is in use, or the address is not this machine's; listener_tls: key or
  // certificate cannot be used.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const Address& address, Handler* handler,
                                                        const ServerTls* tls = nullptr);
  // Waits, for seconds at most, until the requests under way are answered.
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
