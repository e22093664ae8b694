#include "poll/session/rows_apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::poll {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RowsApart, AreThoseOfOtherKeysThanOfOneThatIsNotAcknowledged) {
  EXPECT_THAT(RowsApart(0, {"a", "b", "b", "c"}, {1, 2, 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(RowsApart(2, {"a", "a", "b", "c", "a"}, {3, 4}), ElementsAre(3, 4));
}

// Repeated, the first would come last.
TEST(RowsApart, LacksARowBehindOneOfItsKeyThatIsNotAcknowledged) {
  EXPECT_THAT(RowsApart(0, {"a", "a", "b", "a"}, {1, 2, 3}), ElementsAre(2));
  EXPECT_THAT(RowsApart(0, {"a", "a"}, {1}), IsEmpty());
}

TEST(RowsApart, OfRowsWithoutKeyNoneWaits) {
  EXPECT_THAT(RowsApart(0, {std::nullopt, std::nullopt}, {1}), ElementsAre(1));
}

}  // namespace
}  // namespace walduct::poll
