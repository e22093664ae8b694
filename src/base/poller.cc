#include "base/poller.h"

#include <poll.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace walduct {
namespace {

void Wait(pollfd* polled, nfds_t count, absl::Duration timeout) {
  CHECK(timeout < absl::InfiniteDuration());
  const timespec limit = absl::ToTimespec(std::max(timeout, absl::ZeroDuration()));
  ppoll(polled, count, &limit, nullptr);
}

class RealPoller final : public Poller {
 public:
  void WaitReadable(std::initializer_list<int> fds, absl::Duration timeout) override {
    std::array<pollfd, 8> polled;
    CHECK(fds.size() <= polled.size());
    nfds_t count = 0;
    for (const int fd : fds) {
      if (fd >= 0) polled[count++] = {.fd = fd, .events = POLLIN, .revents = 0};
    }
    Wait(polled.data(), count, timeout);
  }

  void WaitWritable(int fd, absl::Duration timeout) override {
    pollfd polled = {.fd = fd, .events = POLLIN | POLLOUT, .revents = 0};
    Wait(&polled, 1, timeout);
  }
};

}  // namespace

Poller& Poller::Real() {
  static RealPoller poller;
  return poller;
}

}  // namespace walduct
