#include "base/wake.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/check.h"

namespace walduct {
namespace {

int Open() { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

}  // namespace

Wake::Wake() : fd_(Open()) { CHECK(fd_ >= 0); }

Wake::~Wake() { close(fd_); }

std::unique_ptr<Wake> Wake::TryMake() {
  const int fd = Open();
  return fd < 0 ? nullptr : std::unique_ptr<Wake>(new Wake(fd));
}

void Wake::Signal() {
  const uint64_t one = 1;
  // Can only fail when the counter is full, that is: already readable.
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
}

void Wake::Drain() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof count);
}

}  // namespace walduct
