#include "base/edit_distance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(EditDistance("status", "status"), 0u);
  EXPECT_EQ(EditDistance("stauts", "status"), 1u);
  EXPECT_EQ(EditDistance("stats", "status"), 1u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("slot_lsot", "slot_lost"), 1u);
}

TEST(EditDistance, SimilarNamesAreTheNearest) {
  const std::vector<std::string> names = {"start", "stop", "status", "offsets"};
  EXPECT_THAT(SimilarNames("stauts", names), ElementsAre("status"));
  EXPECT_THAT(SimilarNames("stp", names), ElementsAre("stop"));
  EXPECT_THAT(SimilarNames("sta", names), ElementsAre("start", "status"));
  EXPECT_THAT(SimilarNames("xyzzy", names), IsEmpty());
  EXPECT_THAT(SimilarNames("sta", names, 1), ElementsAre("start"));
}

}  // namespace
}  // namespace walduct
