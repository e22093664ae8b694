#include "poll/session/rows_apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::poll {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<size_t> Apart(size_t from, const std::vector<std::optional<std::string>>& keys,
                          const absl::flat_hash_set<size_t>& acknowledged,
                          absl::flat_hash_set<std::string> held = {}) {
  return RowsApart(from, keys, acknowledged, &held);
}

TEST(RowsApart, AreThoseOfOtherKeysThanOfOneThatIsNotAcknowledged) {
  EXPECT_THAT(Apart(0, {"a", "b", "b", "c"}, {1, 2, 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(Apart(2, {"a", "a", "b", "c", "a"}, {3, 4}), ElementsAre(3, 4));
}

// Repeated, the first would come last.
TEST(RowsApart, LacksARowBehindOneOfItsKeyThatIsNotAcknowledged) {
  EXPECT_THAT(Apart(0, {"a", "a", "b", "a"}, {1, 2, 3}), ElementsAre(2));
  EXPECT_THAT(Apart(0, {"a", "a"}, {1}), IsEmpty());
}

TEST(RowsApart, LacksARowBehindOneOfAnEarlierBatch) {
  absl::flat_hash_set<std::string> held;
  EXPECT_THAT(RowsApart(0, std::vector<std::optional<std::string>>{"a", "b"}, {1}, &held),
              ElementsAre(1));
  EXPECT_THAT(RowsApart(0, std::vector<std::optional<std::string>>{"a", "b"}, {0, 1}, &held),
              ElementsAre(1));
}

TEST(RowsApart, OfRowsWithoutKeyNoneWaits) {
  EXPECT_THAT(Apart(0, {std::nullopt, std::nullopt}, {1}), ElementsAre(1));
}

}  // namespace
}  // namespace walduct::poll
