// From which id on a table is claimed: never past a row that is open, or may yet be committed.
#include "poll/session/low_water.h"

#include <gtest/gtest.h>

#include <optional>

namespace walduct::poll {
namespace {

constexpr absl::Duration kShort = absl::Milliseconds(1);

class LowWaterTest : public testing::Test {
 protected:
  void Look(std::optional<int64_t> first_open, const char* writers) {
    low_.Looked(first_open, writers, kShort, now_ += absl::Seconds(1));
  }
  LowWater low_;
  absl::Duration now_;
};

TEST_F(LowWaterTest, MovesOnceTheWritersOfBeforeAreGone) {
  low_.Claimed(7);
  Look(std::nullopt, "4/1 9/2");
  EXPECT_FALSE(low_.from());
  Look(std::nullopt, "9/2 9/3");
  EXPECT_FALSE(low_.from()) << "one of two is there still";
  Look(std::nullopt, "9/3");
  EXPECT_FALSE(low_.from()) << "what they committed may be later than what this look saw";
  Look(5, "");
  EXPECT_EQ(low_.from(), 5) << "one of them was late";
  low_.Claimed(5);
  Look(std::nullopt, "");
  EXPECT_EQ(low_.from(), 8);
}

TEST_F(LowWaterTest, WithoutWritersTheNextLookMovesIt) {
  low_.Claimed(7);
  low_.Claimed(3);
  Look(std::nullopt, "");
  EXPECT_FALSE(low_.from());
  Look(std::nullopt, "1/1");
  EXPECT_EQ(low_.from(), 8);
  EXPECT_FALSE(low_.IsLookDue(now_ + absl::Hours(1))) << "there is nothing to be seen";
}

TEST_F(LowWaterTest, ARowThatIsOpenKeepsIt) {
  low_.Claimed(7);
  Look(2, "");
  Look(2, "");
  EXPECT_EQ(low_.from(), 2);
  low_.Claimed(9);
  Look(2, "");
  Look(2, "");
  EXPECT_EQ(low_.from(), 2);
  low_.Claimed(9);
  Look(std::nullopt, "");
  EXPECT_EQ(low_.from(), 10);
}

TEST_F(LowWaterTest, IdleItLooksNoMore) {
  EXPECT_FALSE(low_.IsLookDue(now_));
  low_.Claimed(7);
  int looks = 0;
  for (; low_.IsLookDue(now_ + absl::Hours(1)) && looks < 100; ++looks) Look(std::nullopt, "4/1");
  EXPECT_LT(looks, 10) << "a writer that goes on for hours";
}

TEST_F(LowWaterTest, TheBeginningIsClaimedForAShareOfTheTime) {
  EXPECT_TRUE(low_.IsWholeDue(now_));
  low_.Claimed(7);
  Look(std::nullopt, "");
  Look(std::nullopt, "");
  low_.TookWhole(absl::Milliseconds(100), now_);
  EXPECT_FALSE(low_.IsWholeDue(now_ + absl::Seconds(9)));
  EXPECT_TRUE(low_.IsWholeDue(now_ + absl::Seconds(10)));
  low_.TookWhole(absl::Seconds(30), now_);
  EXPECT_TRUE(low_.IsWholeDue(now_ + absl::Minutes(1)));
}

}  // namespace
}  // namespace walduct::poll
