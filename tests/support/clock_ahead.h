// ClockAhead: the real clock, as much later as a test says.
#pragma once

#include "absl/time/time.h"
#include "base/clock.h"

namespace walduct::test {

class ClockAhead final : public Clock {
 public:
  absl::Time Now() override { return Clock::Real().Now() + ahead; }
  absl::Duration Monotonic() override { return Clock::Real().Monotonic() + ahead; }
  absl::Duration ahead;
};

}  // namespace walduct::test
