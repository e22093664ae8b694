#include "engine/control/wake_signal.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/check.h"

namespace walduct::engine {

WakeSignal::WakeSignal() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { CHECK(fd_ >= 0); }

WakeSignal::~WakeSignal() { close(fd_); }

void WakeSignal::Signal() {
  const uint64_t one = 1;
  // Can only fail when the counter is full, that is: already readable.
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
}

void WakeSignal::Drain() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof count);
}

}  // namespace walduct::engine
