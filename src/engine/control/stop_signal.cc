#include "engine/control/stop_signal.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/check.h"

namespace walduct::engine {

StopSignal::StopSignal() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { CHECK(fd_ >= 0); }

StopSignal::~StopSignal() { close(fd_); }

void StopSignal::Request() {
  requested_.store(true, std::memory_order_relaxed);
  const uint64_t one = 1;
  // Can only fail when the counter is full, that is: already readable.
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
}

}  // namespace walduct::engine
