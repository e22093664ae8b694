// What is said of the oldest row that waits, by whom and when it was counted.
#include "metrics/backlog_board.h"

#include <gtest/gtest.h>

namespace walduct::metrics {
namespace {

class BacklogBoardTest : public testing::Test {
 protected:
  static constexpr absl::Duration kCounted = absl::Seconds(1000);

  void Count(uint64_t unpublished, int64_t oldest) {
    board_.Show({.unpublished = unpublished,
                 .parked = 2,
                 .oldest = absl::Seconds(oldest),
                 .counted_at = kCounted},
                kCounted + absl::Seconds(20));
  }
  // The age, seconds after the count; -1: nothing is said.
  int64_t AgeAfter(int64_t seconds) const {
    const auto view = board_.Read(kCounted + absl::Seconds(seconds));
    return view ? absl::ToInt64Seconds(view->oldest) : -1;
  }

  BacklogBoard board_;
};

TEST_F(BacklogBoardTest, UntilTheNextCountIsDueTheLastOneHolds) {
  Count(7, 61);
  board_.Comes(true);
  EXPECT_EQ(AgeAfter(0), 61);
  EXPECT_EQ(AgeAfter(20), 61) << "who publishes gets on meanwhile";
}

TEST_F(BacklogBoardTest, ACountThatDoesNotComeLetsTheAgeGoOn) {
  Count(7, 61);
  EXPECT_EQ(AgeAfter(21), 82) << "a slow query, a server that is away";
  EXPECT_EQ(AgeAfter(3600), 3661);
  Count(7, 62);
  EXPECT_EQ(AgeAfter(0), 62) << "counted again";
}

TEST_F(BacklogBoardTest, WhereNobodyCountsAnyMoreItGoesOnAtOnce) {
  Count(7, 61);
  board_.Lapse();
  EXPECT_EQ(AgeAfter(1), 62);
  board_.Begin(kCounted + absl::Seconds(600));
  EXPECT_EQ(AgeAfter(700), 761) << "a new session knows no younger row";
}

TEST_F(BacklogBoardTest, ARowThatWasYoungWhenItWasCountedGetsOldToo) {
  Count(1, 0);
  EXPECT_EQ(AgeAfter(400), 400);
}

TEST_F(BacklogBoardTest, NoRowHasNoAge) {
  Count(0, 0);
  EXPECT_EQ(AgeAfter(400), 0);
  board_.Comes(true);
  EXPECT_EQ(AgeAfter(400), 400) << "rows came since, and who knows how many";
  board_.Comes(false);
  EXPECT_EQ(AgeAfter(400), 0);
}

TEST_F(BacklogBoardTest, BeforeTheFirstCountOnlyAnAgeIsKnown) {
  EXPECT_EQ(AgeAfter(0), -1);
  board_.Begin(kCounted);
  board_.Comes(true);
  EXPECT_FALSE(board_.Read(kCounted)->counted);
  EXPECT_EQ(AgeAfter(5), 0);
  board_.Lapse();
  EXPECT_EQ(AgeAfter(5), 5) << "it failed";
}

TEST_F(BacklogBoardTest, AnotherProcessThatPublishesTellsItself) {
  Count(7, 61);
  board_.Forget();
  EXPECT_EQ(AgeAfter(400), -1);
}

}  // namespace
}  // namespace walduct::metrics
