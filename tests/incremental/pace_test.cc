#include "incremental/options/pace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/incremental/snapshots_fixture.h"

namespace walduct::incremental {
namespace {

using testing::HasSubstr;

TEST(Pace, WithoutLimitsNothingHolds) {
  Pace pace({});
  pace.Took(1'000'000, absl::Seconds(5));
  EXPECT_LT(pace.due(), absl::ZeroDuration());
  EXPECT_EQ(pace.Judge({.retained_bytes = UINT64_MAX, .lag = absl::Hours(9)}), "");
}

TEST(Pace, RowsAreReadAtTheRateAndNotSavedUp) {
  Pace pace({.rows_per_second = 100});
  pace.Took(50, absl::Seconds(10));
  EXPECT_EQ(pace.due(), absl::Seconds(10.5));
  pace.Took(100, absl::Seconds(10.5));
  EXPECT_EQ(pace.due(), absl::Seconds(11.5));
  pace.Took(100, absl::Seconds(60));
  EXPECT_EQ(pace.due(), absl::Seconds(61));
}

TEST(Pace, WhatHoldsGoesOnWellBelowItsLimit) {
  Pace pace({.retained_bytes = 1000, .lag = absl::Seconds(10)});
  const auto wal = [&](uint64_t bytes) { return pace.Judge({.retained_bytes = bytes}); };
  EXPECT_EQ(wal(1000), "");
  EXPECT_THAT(wal(1001), HasSubstr("walduct.snapshot.pause.retained.wal.bytes"));
  EXPECT_NE(wal(801), "");
  EXPECT_EQ(wal(800), "");
  EXPECT_EQ(wal(1000), "");
  const auto late = [&](absl::Duration lag) { return pace.Judge({.lag = lag}); };
  EXPECT_EQ(late(absl::Seconds(10)), "");
  EXPECT_THAT(late(absl::Seconds(11)), HasSubstr("walduct.snapshot.pause.lag.ms"));
  EXPECT_NE(late(absl::Seconds(9)), "");
  EXPECT_EQ(late(absl::Seconds(8)), "");
}

TEST(Pace, WhatIsNotKnownHoldsNothing) {
  Pace pace({.retained_bytes = 1, .lag = absl::Milliseconds(1)});
  EXPECT_EQ(pace.Judge({}), "");
}

class PacedTest : public SnapshotsTest {
 protected:
  void PlayChunk(const std::string& id) {
    Answer();
    const std::string window = absl::StrCat("w", ids_);
    Opened(window);
    AnswerRead(Rows({id}));
    Answer();
    Closed(window);
  }
  void Keeps(uint64_t bytes) {
    metrics::SlotView slot;
    slot.retained_bytes = bytes;
    metrics_.slot.Show(slot);
  }
};

TEST_F(PacedTest, TheNextChunkWaitsForTheRate) {
  options_.pace.rows_per_second = 2;
  Restart();
  Execute();
  PlayChunk("1");
  Begun();
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "");
  EXPECT_EQ(snapshots_->UntilDue(), absl::Milliseconds(500));
  clock_.Advance(absl::Milliseconds(500));
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_THAT(Begun(), HasSubstr("open"));
  EXPECT_EQ(metrics_.incremental.Read().held_by, "");
}

TEST_F(PacedTest, ItStandsStillWhileTheSlotKeepsMuch) {
  options_.pace.retained_bytes = 1000;
  Restart();
  Keeps(2000);
  Execute();
  EXPECT_EQ(Begun(), "");
  EXPECT_THAT(metrics_.incremental.Read().held_by, HasSubstr("the slot keeps more than 1000"));
  EXPECT_EQ(metrics_.incremental_held.value(), 1u);
  for (int second = 0; second < 100; ++second) {
    clock_.Advance(absl::Seconds(1));
    ASSERT_TRUE(snapshots_->Turn().ok());
  }
  EXPECT_EQ(Begun(), "");
  Keeps(700);
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_THAT(Begun(), HasSubstr("open"));
  EXPECT_EQ(metrics_.incremental_held.value(), 0u);
  EXPECT_EQ(metrics_.incremental.Read().held_by, "");
}

TEST_F(PacedTest, AStopEndsAHold) {
  options_.pace.retained_bytes = 1000;
  Restart();
  Keeps(2000);
  Execute();
  Signal("stop-snapshot");
  clock_.Advance(absl::Seconds(2));
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_FALSE(metrics_.incremental.Read().running);
  EXPECT_EQ(metrics_.incremental_held.value(), 0u);
}

}  // namespace
}  // namespace walduct::incremental
