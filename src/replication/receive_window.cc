#include "replication/receive_window.h"

#include <linux/tcp.h>  // tcp_info with tcpi_min_rtt, which netinet/tcp.h does not have
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>

namespace walduct::replication {
namespace {

bool IsTcp(int socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return true;
  return domain == AF_INET || domain == AF_INET6;
}

// The smoothed round trip is no help: answers that the peer delayed are in it.
bool IsNear(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  const bool told = size >= offsetof(tcp_info, tcpi_min_rtt) + sizeof info.tcpi_min_rtt;
  return told && info.tcpi_min_rtt <= ReceiveWindow::kNearMicroseconds;
}

ReceivePath PathOf(int socket) {
  if (!IsTcp(socket)) return ReceivePath::kLocal;
  return IsNear(socket) ? ReceivePath::kNear : ReceivePath::kFar;
}

}  // namespace

ReceiveWindow::ReceiveWindow(int socket) : socket_(socket), path_(PathOf(socket)) {}

size_t ReceiveWindow::BytesFor(size_t average) {
  return std::clamp(average * kMessages, kLeastBytes, kMostBytes);
}

void ReceiveWindow::Look() {
  const size_t wanted = BytesFor(bytes_ / messages_);
  messages_ = bytes_ = 0;
  const bool alike = wanted < size_ + size_ / 2 && size_ < wanted + wanted / 2;
  if (path_ != ReceivePath::kNear || alike) return;
  const int bytes = static_cast<int>(wanted);
  // Where it fails, the window stays as it is.
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  size_ = wanted;
}

}  // namespace walduct::replication
