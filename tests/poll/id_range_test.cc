#include "poll/layouts/id_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace walduct::poll {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(IdRange, HasWhatIsMissingBetweenItsEnds) {
  IdRange range(10);
  EXPECT_TRUE(range.empty());
  for (const int64_t id : {5, 6, 9}) EXPECT_TRUE(range.Add(id));
  EXPECT_FALSE(range.empty());
  EXPECT_EQ(range.first(), 5);
  EXPECT_EQ(range.last(), 9);
  EXPECT_THAT(range.missing(), ElementsAre(7, 8));
}

TEST(IdRange, TakesWhatComesLate) {
  IdRange range(10);
  for (const int64_t id : {5, 9, 7, 7, 2}) EXPECT_TRUE(range.Add(id));
  EXPECT_EQ(range.first(), 2);
  EXPECT_EQ(range.last(), 9);
  EXPECT_THAT(range.missing(), ElementsAre(3, 4, 6, 8));
}

TEST(IdRange, ForgetsWhatLiesBelow) {
  IdRange range(10);
  for (const int64_t id : {1, 5, 9}) EXPECT_TRUE(range.Add(id));
  range.Forget(1);
  EXPECT_EQ(range.first(), 1);
  range.Forget(7);
  EXPECT_EQ(range.first(), 7) << "nobody asks whether it is there";
  EXPECT_THAT(range.missing(), ElementsAre(7, 8));
  range.Forget(10);
  EXPECT_TRUE(range.empty());
  EXPECT_THAT(range.missing(), IsEmpty());
  EXPECT_TRUE(range.Add(3));
  EXPECT_EQ(range.first(), 3);
  EXPECT_EQ(range.last(), 3);
}

TEST(IdRange, HasNoRoomForMoreMissingThanItMayHave) {
  IdRange range(2);
  EXPECT_TRUE(range.Add(1));
  EXPECT_FALSE(range.Add(5));
  EXPECT_TRUE(range.Add(4));
  EXPECT_FALSE(range.Add(6)) << "nothing may be missing any more";
  EXPECT_FALSE(range.Add(-1));
  EXPECT_TRUE(range.Add(3));
  EXPECT_TRUE(range.Add(6));
  EXPECT_THAT(range.missing(), ElementsAre(2, 5));
  EXPECT_EQ(range.first(), 1);
  EXPECT_EQ(range.last(), 6);
}

TEST(IdRange, OfTheEndsOf64Bits) {
  using Limits = std::numeric_limits<int64_t>;
  IdRange range(2);
  EXPECT_TRUE(range.Add(Limits::min()));
  EXPECT_FALSE(range.Add(Limits::max()));
  EXPECT_FALSE(range.Add(0));
  EXPECT_THAT(range.missing(), IsEmpty());
  IdRange highest(2);
  EXPECT_TRUE(highest.Add(Limits::max()));
  EXPECT_FALSE(highest.Add(Limits::min()));
  EXPECT_TRUE(highest.Add(Limits::max() - 2));
  EXPECT_THAT(highest.missing(), ElementsAre(Limits::max() - 1));
}

// In any order, it says what a set says.
TEST(IdRange, SaysWhatASetSays) {
  uint64_t dice = 17;
  for (int round = 0; round < 200; ++round) {
    IdRange range(8);
    std::set<int64_t> added;
    for (int i = 0; i < 30; ++i) {
      dice = dice * 6364136223846793005U + 1442695040888963407U;
      const int64_t id = static_cast<int64_t>(dice >> 60) - 8;
      if (range.Add(id)) added.insert(id);
    }
    std::set<int64_t> said;
    for (int64_t id = range.first(); id <= range.last(); ++id) said.insert(id);
    for (const int64_t id : range.missing()) EXPECT_EQ(said.erase(id), 1u);
    EXPECT_EQ(said, added);
    EXPECT_LE(range.missing().size(), 8u);
  }
}

}  // namespace
}  // namespace walduct::poll
