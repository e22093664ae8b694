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

void ReceiveWindow::Look() {
  const size_t wanted = std::max(bytes_ / messages_ * kMessages, kLeastBytes);
  messages_ = bytes_ = 0;
  const bool alike = wanted < wanted_ + wanted_ / 2 && wanted_ < wanted + wanted / 2;
  if (path_ != ReceivePath::kNear || alike) return;
  wanted_ = wanted;
  if (wanted <= kMostBytes)
    Set(wanted);
  else if (is_set_)
    GiveBack();
}

// Where it fails, the window stays as it is.
void ReceiveWindow::Set(size_t bytes) {
  const int size = static_cast<int>(bytes);
  is_set_ = setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) == 0 || is_set_;
}

// Before Linux 5.14 a window that was set once does not grow by itself any more.
void ReceiveWindow::GiveBack() {
  const int unlocked = 0;
  if (setsockopt(socket_, SOL_SOCKET, SO_BUF_LOCK, &unlocked, sizeof unlocked) == 0)
    is_set_ = false;
  else
    Set(kMostBytes);
}

}  // namespace walduct::replication
