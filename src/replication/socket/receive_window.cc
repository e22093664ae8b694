#include "replication/socket/receive_window.h"

#include <linux/tcp.h>  // tcp_info with tcpi_min_rtt, which netinet/tcp.h does not have
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <limits>
#include <string>

namespace walduct::replication {
namespace {

bool IsTcp(int socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return true;
  return domain == AF_INET || domain == AF_INET6;
}

std::string AddressOf(const sockaddr_storage& end) {
  if (end.ss_family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(end).sin_addr;
    return {reinterpret_cast<const char*>(&ip), sizeof ip};
  }
  const auto& ip = reinterpret_cast<const sockaddr_in6&>(end).sin6_addr;
  return {reinterpret_cast<const char*>(&ip), sizeof ip};
}

bool IsOnThisMachine(int socket) {
  sockaddr_storage ours{}, theirs{};
  socklen_t our_size = sizeof ours, their_size = sizeof theirs;
  return getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &our_size) == 0 &&
         getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &their_size) == 0 &&
         AreOnOneMachine(ours, theirs);
}

// An address of this machine may be handed on to another, but then an answer takes longer.
// The smoothed round trip is no help: answers that the peer delayed are in it.
bool IsNear(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  const bool told = size >= offsetof(tcp_info, tcpi_min_rtt) + sizeof info.tcpi_min_rtt;
  return told && IsOnThisMachine(socket) && info.tcpi_min_rtt <= ReceiveWindow::kNearMicroseconds;
}

ReceivePath PathOf(int socket) {
  if (!IsTcp(socket)) return ReceivePath::kLocal;
  return IsNear(socket) ? ReceivePath::kNear : ReceivePath::kFar;
}

// As the kernel counts it: twice what was set. The largest there is where nothing can be found out.
size_t BufferOf(int socket) {
  int bytes = 0;
  socklen_t size = sizeof bytes;
  if (getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, &size) != 0)
    return std::numeric_limits<size_t>::max();
  return static_cast<size_t>(bytes);
}

}  // namespace

bool AreOnOneMachine(const sockaddr_storage& ours, const sockaddr_storage& theirs) {
  constexpr char kLoopback = 127;
  const std::string peer = AddressOf(theirs);
  const bool loopback = theirs.ss_family == AF_INET && peer[0] == kLoopback;
  return loopback || (ours.ss_family == theirs.ss_family && AddressOf(ours) == peer);
}

ReceiveWindow::ReceiveWindow(int socket) : socket_(socket), path_(PathOf(socket)) {
  if (path_ == ReceivePath::kNear && BufferOf(socket) <= 2 * kLeastBytes) Set(kLeastBytes);
}

void ReceiveWindow::Look() {
  const size_t wanted = bytes_ / messages_ * kMessages;
  messages_ = bytes_ = 0;
  if (!is_set_ || wanted < wanted_ + wanted_ / 2) return;
  wanted_ = wanted;
  if (wanted <= kMostBytes)
    Set(wanted);
  else
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
