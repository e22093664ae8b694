#include "base/clock.h"

#include <ctime>

namespace walduct {
namespace {

class RealClock final : public Clock {
 public:
  absl::Time Now() override {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return absl::TimeFromTimespec(now);
  }
  absl::Duration Monotonic() override {
    timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return absl::DurationFromTimespec(now);
  }
};

}  // namespace

Clock& Clock::Real() {
  static RealClock clock;
  return clock;
}

}  // namespace walduct
