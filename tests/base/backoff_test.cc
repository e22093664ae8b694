#include "base/backoff.h"

#include <gtest/gtest.h>

#include <set>

namespace walduct {
namespace {

TEST(Backoff, DoublesUpToItsMaximumAndTakesOffAtMostAQuarter) {
  Backoff backoff(absl::Milliseconds(100), absl::Milliseconds(1000), 7);
  absl::Duration full = absl::Milliseconds(100);
  for (int attempt = 0; attempt < 50; ++attempt) {
    const absl::Duration delay = backoff.Next();
    EXPECT_LE(delay, full) << attempt;
    EXPECT_GE(delay, full * 0.75) << attempt;
    full = std::min(full * 2, absl::Milliseconds(1000));
  }
}

TEST(Backoff, ResetBeginsAnew) {
  Backoff backoff(absl::Milliseconds(100), absl::Seconds(10), 1);
  for (int i = 0; i < 5; ++i) backoff.Next();
  backoff.Reset();
  EXPECT_LE(backoff.Next(), absl::Milliseconds(100));
}

TEST(Backoff, DifferentSeedsDoNotRetryInStep) {
  std::set<absl::Duration> delays;
  for (uint64_t seed = 1; seed <= 40; seed += 2) {
    delays.insert(Backoff(absl::Seconds(1), absl::Seconds(10), seed).Next());
  }
  EXPECT_GT(delays.size(), 10u);
}

TEST(Backoff, TheSameSeedGivesTheSameDelays) {
  Backoff a(absl::Seconds(1), absl::Seconds(10), 99);
  Backoff b(absl::Seconds(1), absl::Seconds(10), 99);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.Next(), b.Next());
}

}  // namespace
}  // namespace walduct
