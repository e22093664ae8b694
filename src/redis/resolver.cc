#include "redis/resolver.h"

#include <netdb.h>

#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/freed_by.h"

namespace walduct::redis {
namespace {

using Answer = absl::StatusOr<std::vector<SocketAddress>>;

Answer Ask(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (error != 0)
    return Error(absl::StatusCode::kUnavailable, "unknown_host",
                 absl::StrCat("Redis at ", host, ":", port, ": ", gai_strerror(error)),
                 "check the host of sink.redis.address");
  const std::unique_ptr<addrinfo, FreedBy<freeaddrinfo>> owner(found);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
  }
  return addresses;
}

}  // namespace

Resolver::Resolver(const std::string& host, int port) {
  std::thread([shared = shared_, host, port] {
    Answer answer = Ask(host, port);
    {
      const MutexLock lock(shared->mutex);
      shared->answer = std::move(answer);
    }
    shared->done.Signal();
  }).detach();
}

std::optional<Answer> Resolver::Take() {
  const MutexLock lock(shared_->mutex);
  return std::exchange(shared_->answer, std::nullopt);
}

}  // namespace walduct::redis
