#include "kafka/send_permit.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>

namespace walduct::kafka {
namespace {

// How soon a renewed lease is seen.
constexpr absl::Duration kLook = absl::Milliseconds(10);

thread_local SendPermit* guarding = nullptr;

}  // namespace

void SendPermit::Renew() {
  renewed_ns_.store(absl::ToInt64Nanoseconds(environment_.clock->Monotonic()),
                    std::memory_order_release);
}

bool SendPermit::Keep() {
  if (renewed_ns_ < 0) return true;
  if (!Valid()) return false;
  Renew();
  return true;
}

void SendPermit::Withdraw() { withdrawn_.store(true, std::memory_order_release); }

bool SendPermit::Valid() const {
  const int64_t renewed = renewed_ns_.load(std::memory_order_acquire);
  return renewed < 0 || environment_.clock->Monotonic() - absl::Nanoseconds(renewed) <= kLease;
}

bool SendPermit::AwaitPermit() {
  while (!withdrawn_.load(std::memory_order_acquire)) {
    if (Valid()) return true;
    environment_.poller->WaitReadable({}, kLook);
  }
  return false;
}

void GuardThread(SendPermit* permit) { guarding = permit; }

}  // namespace walduct::kafka

// librdkafka offers no hook between its queues and its sockets. The linker's --wrap puts these in
// the place of the two functions that its transport writes with (src/CMakeLists.txt); threads that
// are not marked pass through.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

ssize_t __real_sendmsg(int fd, const msghdr* message, int flags);
ssize_t __wrap_sendmsg(int fd, const msghdr* message, int flags);
int __real_SSL_write(SSL* ssl, const void* buffer, int size);
int __wrap_SSL_write(SSL* ssl, const void* buffer, int size);

ssize_t __wrap_sendmsg(int fd, const msghdr* message, int flags) {
  if (walduct::kafka::guarding != nullptr && !walduct::kafka::guarding->AwaitPermit()) {
    errno = EPIPE;
    return -1;
  }
  return __real_sendmsg(fd, message, flags);
}

// TLS ends with its socket.
int __wrap_SSL_write(SSL* ssl, const void* buffer, int size) {
  if (walduct::kafka::guarding != nullptr && !walduct::kafka::guarding->AwaitPermit()) {
    shutdown(SSL_get_fd(ssl), SHUT_RDWR);
  }
  return __real_SSL_write(ssl, buffer, size);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
