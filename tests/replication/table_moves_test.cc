#include "replication/slots/table_moves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::replication {
namespace {

SlotsChange Change(int from, int to) {
  SlotsChange change;
  change.from = from;
  change.share.count = to;
  return change;
}

TableOfSlots Numbered(int number) {
  const std::string name = absl::StrCat("public.t", number);
  return {.relation = Oid{1}, .name = name, .parents = {}, .root_name = name};
}

TEST(TableMovesTest, MoreSlotsTakeTablesAndMoveNoOther) {
  const SlotsChange change = Change(2, 3);
  int moved = 0;
  for (int i = 0; i < 300; ++i) {
    const int before = SlotOfNewTable(Numbered(i).root_name, Change(1, 2).share);
    const int after = SlotAfterChange(Numbered(i), before, change);
    EXPECT_EQ(after, SlotOfNewTable(Numbered(i).root_name, change.share)) << "as if begun so";
    EXPECT_TRUE(after == before || after == 3);
    moved += after != before ? 1 : 0;
  }
  EXPECT_GT(moved, 70);
  EXPECT_LT(moved, 130);
}

TEST(TableMovesTest, FewerSlotsGiveTheirTablesAway) {
  const SlotsChange change = Change(3, 2);
  for (int i = 0; i < 300; ++i) {
    for (int before = 1; before <= 3; ++before) {
      const int after = SlotAfterChange(Numbered(i), before, change);
      if (before < 3)
        EXPECT_EQ(after, before);
      else
        EXPECT_EQ(after, SlotOfNewTable(Numbered(i).root_name, change.share));
    }
    EXPECT_EQ(SlotAfterChange(Numbered(i), 3, Change(3, 1)), 1);
  }
}

// Whatever pins say when a start goes on.
TEST(TableMovesTest, NoTableIsMovedTwice) {
  for (const auto& change : {Change(2, 5), Change(5, 2), Change(1, 2), Change(2, 1)}) {
    for (int i = 0; i < 100; ++i) {
      for (int before = 1; before <= std::max(change.from, change.to()); ++before) {
        const int once = SlotAfterChange(Numbered(i), before, change);
        EXPECT_TRUE(once == before || SlotAfterChange(Numbered(i + 1), once, change) == once);
      }
    }
  }
}

TEST(TableMovesTest, OneTransactionLocksAndMoves) {
  TableMove move{.from = 1, .to = 2, .tables = {}};
  move.tables.push_back({.table = {.relation = Oid{1}, .schema = "a", .table = "b"}, .suffix = ""});
  move.tables.push_back(
      {.table = {.relation = Oid{2}, .schema = "a", .table = "C", .has_children = true},
       .suffix = " (id) WHERE ((id > 1))"});
  EXPECT_THAT(MoveSql(move, "p", "P_2"),
              testing::EndsWith(R"(LOCK TABLE "a"."b", ONLY "a"."C" IN SHARE ROW EXCLUSIVE MODE; )"
                                R"(ALTER PUBLICATION "p" DROP TABLE "a"."b", ONLY "a"."C"; )"
                                R"(ALTER PUBLICATION "P_2" ADD TABLE "a"."b", )"
                                R"(ONLY "a"."C" (id) WHERE ((id > 1)))"));
}

}  // namespace
}  // namespace walduct::replication
