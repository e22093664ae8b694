// Waiting for what another thread is about to do: looks until it holds, at most ten seconds.
#pragma once

#include "base/clock.h"
#include "base/poller.h"

namespace walduct::test {

// False: it did not come to that.
template <typename Condition>
bool Await(const Condition& condition, absl::Duration at_most = absl::Seconds(10)) {
  const absl::Duration deadline = Clock::Real().Monotonic() + at_most;
  while (!condition()) {
    if (Clock::Real().Monotonic() > deadline) return false;
    Poller::Real().WaitReadable({}, absl::Milliseconds(1));
  }
  return true;
}

}  // namespace walduct::test
