#include "base/clock.h"

#include <gtest/gtest.h>

#include "base/poller.h"

namespace walduct {
namespace {

TEST(Clock, MonotonicTimeDoesNotGoBackwards) {
  Clock& clock = Clock::Real();
  absl::Duration before = clock.Monotonic();
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration now = clock.Monotonic();
    EXPECT_GE(now, before);
    before = now;
  }
}

TEST(Clock, WallTimeIsOfThisCentury) {
  const absl::Time now = Clock::Real().Now();
  EXPECT_GT(now, absl::FromUnixSeconds(1'700'000'000));
  EXPECT_LT(now, absl::FromUnixSeconds(4'102'444'800));
}

TEST(ClockDeathTest, WaitingForEverIsRefused) {
  EXPECT_DEATH(Poller::Real().WaitReadable({}, absl::InfiniteDuration()), "broken invariant");
}

}  // namespace
}  // namespace walduct
