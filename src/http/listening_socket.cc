#include "http/listening_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::http {
namespace {

constexpr int kBacklog = 64;

absl::Status Failure(const Address& address, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "listen_failed",
               absl::StrCat("cannot listen on ", address.ToString(), ": ", why),
               "choose another port, or end the process that has it (ss -ltnp)");
}

// -1 with errno set.
int TryAddress(const addrinfo& place) {
  const int socket = ::socket(place.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const int yes = 1;
  const int no = 0;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (place.ai_family == AF_INET6) setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (bind(socket, place.ai_addr, place.ai_addrlen) == 0 && listen(socket, kBacklog) == 0)
    return socket;
  const int error = errno;
  close(socket);
  errno = error;
  return -1;
}

int PortOf(int socket) {
  sockaddr_storage name = {};
  socklen_t length = sizeof name;
  getsockname(socket, reinterpret_cast<sockaddr*>(&name), &length);
  // The port is at the same place in both families.
  return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

}  // namespace

absl::StatusOr<int> OpenListeningSocket(Address* address) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(address->host.empty() ? nullptr : address->host.c_str(),
                               absl::StrCat(address->port).c_str(), &wanted, &found);
  if (code != 0) return Failure(*address, gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> places(found, freeaddrinfo);
  for (const addrinfo* place = found; place != nullptr; place = place->ai_next) {
    const int socket = TryAddress(*place);
    if (socket < 0) continue;
    address->port = PortOf(socket);
    return socket;
  }
  return Failure(*address, std::strerror(errno));
}

}  // namespace walduct::http
