#include "snapshot/progress.h"

#include <gtest/gtest.h>

namespace walduct::snapshot {
namespace {

TEST(RowsPerSecond, IsARate) {
  EXPECT_EQ(RowsPerSecond(5000, absl::Milliseconds(500)), 10000u);
  EXPECT_EQ(RowsPerSecond(5, absl::ZeroDuration()), 0u);
}

TEST(EstimatedTimeLeft, ScalesTheTimeSoFar) {
  SnapshotProgress progress;
  progress.rows = 1000;
  progress.elapsed = absl::Seconds(10);
  progress.estimated_remaining_rows = 3000;
  EXPECT_EQ(EstimatedTimeLeft(progress), absl::Seconds(30));
  progress.estimated_remaining_rows = 0;
  EXPECT_EQ(EstimatedTimeLeft(progress), absl::ZeroDuration());
}

TEST(EstimatedTimeLeft, IsUnknownWithoutARateOrStatistics) {
  SnapshotProgress progress;
  progress.elapsed = absl::Seconds(10);
  progress.estimated_remaining_rows = 3000;
  EXPECT_FALSE(EstimatedTimeLeft(progress).has_value());
  progress.rows = 1;
  progress.estimated_remaining_rows.reset();
  EXPECT_FALSE(EstimatedTimeLeft(progress).has_value());
}

TEST(Interval, IsDueOncePerLength) {
  Interval interval(absl::Seconds(10), absl::Seconds(100));
  EXPECT_FALSE(interval.Due(absl::Seconds(109)));
  EXPECT_TRUE(interval.Due(absl::Seconds(110)));
  EXPECT_FALSE(interval.Due(absl::Seconds(119)));
  EXPECT_TRUE(interval.Due(absl::Seconds(150)));
  EXPECT_FALSE(interval.Due(absl::Seconds(159)));
}

}  // namespace
}  // namespace walduct::snapshot
