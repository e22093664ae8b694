// Records without a position, as flattened deletes are, where one side begins before the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "compare/matcher.h"

namespace walduct::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Row {
  std::string key;
  std::optional<std::string> value;
  int32_t partition = 0;
};
using Rows = std::vector<Row>;

// As ExtractNewRecordState leaves them, with add.fields=op,source.lsn,source.txId.
std::string Flattened(absl::string_view op, int lsn, absl::string_view more = "") {
  return absl::StrCat(R"({"schema":null,"payload":{"v":"a","__op":")", op, R"(","__source_lsn":)",
                      lsn, R"(,"__source_txId":7)", more, "}}");
}
Row Changed(int lsn, std::string key = "k", int32_t partition = 0) {
  return {std::move(key), Flattened("u", lsn), partition};
}
Row Found(int lsn, std::string key) { return {std::move(key), Flattened("r", lsn)}; }
Row Rewritten(int lsn, std::string key) {
  return {std::move(key), Flattened("d", lsn, R"(,"__deleted":"true")")};
}
// delete.tombstone.handling.mode=tombstone, and delete-to-tombstone.
Row Deleted(std::string key, int32_t partition = 0) {
  return {std::move(key), R"({"schema":{"type":"struct"},"payload":null})", partition};
}
Row Tombstone(std::string key) { return {std::move(key), std::nullopt}; }

// The records of one topic of both sides, measured first, as CompareTopics does it.
class Topic {
 public:
  Topic(const Rows& left, const Rows& right) {
    for (const Row& row : left) Identify(Side::kLeft, row);
    for (const Row& row : right) Identify(Side::kRight, row);
  }

  enum class Turns { kLeftFirst, kRightFirst, kByTurns };
  absl::StatusOr<Result> Compare(Turns turns, Matcher::Limits limits) const {
    Matcher matcher(extents_, limits, partitions_);
    const std::array<size_t, 2> sizes = {identities_[0].size(), identities_[1].size()};
    std::vector<std::pair<size_t, size_t>> all;  // when it comes, and its side
    for (size_t side = 0; side < 2; ++side) {
      const bool last = turns != Turns::kByTurns && side == (turns == Turns::kLeftFirst ? 1u : 0u);
      for (size_t i = 0; i < sizes[side]; ++i) all.emplace_back(i + (last ? 100'000 : 0), side);
    }
    std::sort(all.begin(), all.end());
    std::array<size_t, 2> next = {0, 0};
    for (const auto& [when, side] : all) {
      RETURN_IF_ERROR(matcher.Add(side == 0 ? Side::kLeft : Side::kRight,
                                  identities_[side][next[side]++], "here"));
    }
    return matcher.Finish();
  }

 private:
  void Identify(Side side, const Row& row) {
    const size_t index = side == Side::kLeft ? 0 : 1;
    Identifier& identifier =
        identifiers_[index].try_emplace(row.partition, &ignored_).first->second;
    const kafka::TopicRecord record{
        .partition = row.partition, .key = row.key, .value = row.value, .headers = ""};
    const absl::StatusOr<Identity> identity = identifier.Identify(record);
    ASSERT_EQ(identity.status(), absl::OkStatus());
    extents_[index].Add(identity->order);
    partitions_[index][row.partition].Add(identity->order);
    identities_[index].push_back(*identity);
  }

  const std::vector<std::string> ignored_;
  std::array<std::map<int32_t, Identifier>, 2> identifiers_;
  std::array<std::vector<Identity>, 2> identities_;
  std::array<Extent, 2> extents_;
  std::array<Partitions, 2> partitions_;
};

std::string Counts(const Result& result) {
  const std::vector<std::pair<const char*, uint64_t>> counts = {
      {"equal", result.equal}, {"different", result.different}, {"missing", result.missing},
      {"extra", result.extra}, {"repeated", result.repeated},   {"before", result.before},
      {"after", result.after}, {"unplaced", result.unplaced}};
  std::string out;
  for (const auto& [name, count] : counts) {
    if (count > 0) absl::StrAppend(&out, out.empty() ? "" : " ", name, " ", count);
  }
  return out;
}

// What is not 0; in whatever turns they come.
std::string Compared(const Rows& left, const Rows& right, Matcher::Limits limits = {}) {
  const Topic topic(left, right);
  std::vector<std::string> all;
  for (const Topic::Turns turns :
       {Topic::Turns::kLeftFirst, Topic::Turns::kRightFirst, Topic::Turns::kByTurns}) {
    const absl::StatusOr<Result> result = topic.Compare(turns, limits);
    all.push_back(result.ok() ? Counts(*result) : ErrorReason(result.status()));
  }
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
  return all[0];
}

TEST(PlacelessTest, DeletesFromBeforeTheOtherSideAreBefore) {
  EXPECT_EQ(Compared({Changed(10), Deleted("a"), Changed(20), Deleted("b"), Changed(40),
                      Changed(60), Deleted("k"), Changed(70)},
                     {Changed(60), Deleted("k"), Changed(70)}),
            "equal 3 before 5");
}

TEST(PlacelessTest, OneThatIsLostBehindTheFirstCommonOneIsMissing) {
  EXPECT_EQ(Compared({Changed(10), Deleted("a"), Changed(20), Changed(60), Deleted("k"),
                      Changed(70), Deleted("l")},
                     {Changed(60), Changed(70), Deleted("l")}),
            "equal 3 missing 1 before 3");
}

TEST(PlacelessTest, WhereBothBeginTogetherNoneIsOlder) {
  EXPECT_EQ(Compared({Deleted("a"), Deleted("b"), Deleted("c"), Changed(60)},
                     {Deleted("b"), Changed(60)}),
            "equal 2 missing 2");
}

TEST(PlacelessTest, WhereTheOtherSideBeginsEarlierNoneIsOlder) {
  EXPECT_EQ(Compared({Deleted("a"), Deleted("b"), Deleted("c"), Changed(60)},
                     {Changed(10, "x"), Deleted("b"), Changed(60)}),
            "equal 2 missing 2 before 1");
}

TEST(PlacelessTest, WhatIsOlderInAnotherPartitionSaysNothing) {
  EXPECT_EQ(
      Compared({Changed(10, "a"), Deleted("b", 1), Changed(60, "k", 1)}, {Changed(60, "k", 1)}),
      "equal 1 missing 1 before 1");
}

// By the first record of each partition the right side would begin at 70.
TEST(PlacelessTest, TheBeginningIsThatOfRecordsWithAPosition) {
  EXPECT_EQ(Compared({Changed(10, "a"), Deleted("x"), Changed(50), Deleted("y"), Changed(60),
                      Changed(70, "m", 1)},
                     {Deleted("x"), Changed(50), Changed(60), Changed(70, "m", 1)}),
            "equal 4 missing 1 before 1");
}

// The first one's position is higher than that of a long transaction behind it.
TEST(PlacelessTest, TheBeginningIsTheLowestPosition) {
  EXPECT_EQ(Compared({Changed(10), Changed(40), Deleted("y"), Changed(60), Changed(30)},
                     {Changed(60), Changed(30)}),
            "equal 2 missing 2 before 1");
}

TEST(PlacelessTest, TheEndIsThatOfRecordsWithAPosition) {
  Rows left = {Changed(50), Changed(60), Changed(80)};
  Rows right = {Changed(50), Changed(80)};
  for (int i = 0; i < 25; ++i) {
    left.push_back(Deleted(absl::StrCat(i)));
    right.push_back(Deleted(absl::StrCat(i)));
  }
  EXPECT_EQ(Compared(left, right), "equal 27 missing 1");
}

TEST(PlacelessTest, AnExtentIsOfAllThatHaveAPosition) {
  Extent extent;
  for (const uint64_t order : {0u, 50u, 30u, 0u, 90u, 70u, 0u}) extent.Add(order);
  EXPECT_EQ(extent.first, 30);
  EXPECT_EQ(extent.last, 90);
}

TEST(PlacelessTest, OfThoseAlikeTheOlderOnesAreBefore) {
  EXPECT_EQ(Compared({Deleted("k"), Changed(10), Deleted("k"), Changed(20), Deleted("k"),
                      Deleted("k"), Changed(60), Deleted("k")},
                     {Deleted("k"), Deleted("k"), Changed(60), Deleted("k")}),
            "equal 4 before 4");
}

// No older one that is like it takes its place.
TEST(PlacelessTest, OfThoseAlikeTheOneThatIsLostIsMissing) {
  const Rows left = {Changed(10),  Deleted("k"), Changed(60),
                     Deleted("k"), Changed(70),  Deleted("k")};
  EXPECT_EQ(Compared(left, {Deleted("k"), Changed(60), Deleted("k"), Changed(70)}),
            "equal 4 missing 1 before 1");
  EXPECT_EQ(Compared(left, {Deleted("k"), Changed(60), Changed(70)}), "equal 3 missing 2 before 1");
  EXPECT_EQ(Compared(left, {Changed(60), Changed(70), Deleted("k")}),
            "equal 3 missing 1 before 1 unplaced 1");
}

TEST(PlacelessTest, OfThoseAlikeBeforeTheFirstCommonOneOneIsUnplaced) {
  EXPECT_EQ(
      Compared({Deleted("k"), Changed(10), Deleted("k"), Deleted("k"), Changed(60), Deleted("k")},
               {Deleted("k"), Changed(60), Deleted("k")}),
      "equal 3 before 2 unplaced 1");
}

TEST(PlacelessTest, BehindACommonOneItIsMissingBeforeItUnplaced) {
  const Topic topic({Changed(10), Deleted("a"), Deleted("b"), Deleted("c"), Changed(60)},
                    {Deleted("b"), Changed(60)});
  const absl::StatusOr<Result> result = topic.Compare(Topic::Turns::kByTurns, {});
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_EQ(Counts(*result), "equal 2 missing 1 before 1 unplaced 1");
  EXPECT_FALSE(result->same());
  EXPECT_THAT(result->examples,
              ElementsAre(HasSubstr("unplaced key a"), HasSubstr("missing key c")));
}

TEST(PlacelessTest, UnplacedOnesAreNoDifference) {
  const Topic topic({Changed(10), Deleted("a"), Changed(60, "z", 1)}, {Changed(60, "z", 1)});
  const absl::StatusOr<Result> result = topic.Compare(Topic::Turns::kByTurns, {});
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_EQ(Counts(*result), "equal 1 before 1 unplaced 1");
  EXPECT_TRUE(result->same());
  Result all;
  all.Add(*result);
  EXPECT_EQ(all.unplaced, 1);
}

// The other side lacks its neighbour, too.
TEST(PlacelessTest, BehindOneThatIsWithinItIsMissing) {
  EXPECT_EQ(Compared({Changed(10), Changed(60), Deleted("a"), Changed(70), Changed(50, "z", 1)},
                     {Changed(70), Changed(50, "z", 1)}),
            "equal 2 missing 2 before 1");
}

// What the other side has twice says nothing of what is known to be older.
TEST(PlacelessTest, WhatIsKnownToBeOlderStaysBefore) {
  const Rows left = {Deleted("k"), Deleted("m"), Changed(20), Changed(60)};
  EXPECT_EQ(Compared(left, {Changed(60), Deleted("k")}), "equal 2 before 2");
  // At its very beginning it does: it begins before the first one that has a position.
  EXPECT_EQ(Compared(left, {Deleted("k"), Changed(60)}), "equal 2 missing 1 before 1");
}

// What stands at the beginning of the other side's partition need not be at that of this one's.
TEST(PlacelessTest, TopicsWithOtherNumbersOfPartitions) {
  const Rows left = {Changed(10), Deleted("k"), Changed(60, "b"), Deleted("k"), Changed(90, "z")};
  EXPECT_EQ(Compared(left, {Deleted("k"), Changed(90, "z"), Changed(60, "b", 1)}),
            "equal 3 before 1 unplaced 1");
  EXPECT_EQ(Compared(left, {Deleted("k", 1), Changed(90, "z", 1), Changed(60, "b")}),
            "equal 3 before 1 unplaced 1");
  EXPECT_EQ(Compared(left, {Changed(90, "z"), Changed(60, "b", 1)}),
            "equal 2 missing 1 before 1 unplaced 1");
}

TEST(PlacelessTest, ATombstoneBehindAChangeIsADeleteOfItsOwn) {
  EXPECT_EQ(
      Compared({Changed(10), Tombstone("k"), Changed(60, "z")}, {Tombstone("k"), Changed(60, "z")}),
      "equal 2 before 1");
  EXPECT_EQ(Compared({Changed(10), Tombstone("k"), Changed(60, "z")}, {Changed(60, "z")}),
            "equal 1 before 1 unplaced 1");
  EXPECT_EQ(Compared({Changed(10), Changed(60), Tombstone("k"), Changed(70, "z")},
                     {Changed(60), Changed(70, "z")}),
            "equal 2 missing 1 before 1");
}

TEST(PlacelessTest, ATombstoneBehindADeleteIsWhereThatIs) {
  EXPECT_EQ(Compared({Rewritten(10, "k"), Tombstone("k"), Changed(60)}, {Changed(60)}),
            "equal 1 before 2");
  EXPECT_EQ(Compared({Changed(60, "z"), Deleted("k"), Tombstone("k"), Deleted("k"), Tombstone("k")},
                     {Changed(60, "z"), Deleted("k"), Tombstone("k"), Deleted("k")}),
            "equal 4 missing 1");
}

TEST(PlacelessTest, WithoutAnyPositionEachOneIsMissing) {
  EXPECT_EQ(Compared({Deleted("a"), Deleted("b"), Changed(10, "k", 1), Changed(60, "k", 1)},
                     {Deleted("b"), Changed(60, "k", 1)}),
            "equal 2 missing 1 before 1");
  EXPECT_EQ(Compared({Changed(10), Deleted("a"), Deleted("b")}, {Deleted("b")}),
            "equal 1 missing 2");
}

// It tells that the side had begun, not that what stands before it is as old.
TEST(PlacelessTest, RowsOfSnapshots) {
  EXPECT_EQ(Compared({Found(5, "a"), Found(5, "b"), Deleted("a"), Changed(60)}, {Changed(60)}),
            "equal 1 before 2 unplaced 1");
  EXPECT_EQ(Compared({Changed(10), Deleted("a"), Found(20, "b"), Changed(60)}, {Changed(60)}),
            "equal 1 before 2 unplaced 1");
}

TEST(PlacelessTest, WhatIsHeldIsBounded) {
  Rows left;
  for (int lsn = 1; lsn <= 300; ++lsn) {
    left.push_back(Deleted(absl::StrCat(lsn)));
    left.push_back(Changed(lsn));
  }
  left.push_back(Changed(1000));
  EXPECT_EQ(Compared(left, {Changed(1000)}, {.waiting = 100}), "equal 1 before 600");
  Rows deletes = {Changed(10)};
  for (int i = 0; i < 200; ++i) deletes.push_back(Deleted(absl::StrCat(i)));
  EXPECT_EQ(Compared(deletes, {Changed(1000)}, {.waiting = 100}), "comparison_too_far_apart");
}

}  // namespace
}  // namespace walduct::compare
