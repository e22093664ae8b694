#include "base/poller.h"

#include <poll.h>

#include <array>

#include "base/check.h"

namespace walduct {

void WaitReadable(std::initializer_list<int> fds, absl::Duration timeout) {
  CHECK(timeout < absl::InfiniteDuration());
  std::array<pollfd, 8> polled;
  CHECK(fds.size() <= polled.size());
  nfds_t count = 0;
  for (const int fd : fds) {
    if (fd >= 0) polled[count++] = {.fd = fd, .events = POLLIN, .revents = 0};
  }
  timespec limit =
      absl::ToTimespec(timeout < absl::ZeroDuration() ? absl::ZeroDuration() : timeout);
  ppoll(polled.data(), count, &limit, nullptr);
}

void WaitWritable(int fd, absl::Duration timeout) {
  CHECK(timeout < absl::InfiniteDuration());
  pollfd polled = {.fd = fd, .events = POLLIN | POLLOUT, .revents = 0};
  timespec limit =
      absl::ToTimespec(timeout < absl::ZeroDuration() ? absl::ZeroDuration() : timeout);
  ppoll(&polled, 1, &limit, nullptr);
}

}  // namespace walduct
