// Resolver: the addresses of a host, asked for on a thread of its own, because a resolver that is
// away blocks. The thread may outlive the object.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/wake.h"

namespace walduct::redis {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

class Resolver {
 public:
  // Begins to ask.
  Resolver(const std::string& host, int port);

  // Becomes readable with the answer.
  int fd() const { return shared_->done.fd(); }
  // Absent: not yet. Unavailable unknown_host.
  std::optional<absl::StatusOr<std::vector<SocketAddress>>> Take();

 private:
  struct Shared {
    Wake done;
    Mutex mutex;
    std::optional<absl::StatusOr<std::vector<SocketAddress>>> answer ABSL_GUARDED_BY(mutex);
  };
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace walduct::redis
