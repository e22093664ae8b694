// Old rows of partitions under the name of their root: letter and flags are the root's, the row is
// the partition's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/pgoutput/session.h"

namespace walduct::pgoutput {
namespace {

using event::OldRow;
using test::kOrders;
using test::Null;
using test::Session;
using test::Text;
using test::Unchanged;

// A root with columns id, at, note. key: those of its primary key.
test::RelationSpec Root(char identity, const std::set<std::string>& key = {}) {
  test::RelationSpec spec{.oid = kOrders, .table = "orders", .identity = identity, .columns = {}};
  for (const char* name : {"id", "at", "note"})
    spec.columns.push_back({name, 25, identity == 'f' || key.contains(name)});
  return spec;
}

class PartitionOldRow : public testing::Test {
 protected:
  // sent_by_all: columns of the identities of all partitions.
  void Announce(const test::RelationSpec& root, const std::set<std::string>& sent_by_all) {
    session_.resolver.partitioned = true;
    session_.resolver.sent_by_all = sent_by_all;
    session_.Begin(0x110, 0x150, 9);
    session_.Relation(root);
  }
  const test::SeenChange& Delete(char letter, const test::Cells& row) {
    session_.Ok(0x110, test::DeleteBytes(kOrders, {letter, row}));
    return session_.handler.changes.back();
  }
  const test::SeenChange& Update(char letter, const test::Cells& before, const test::Cells& after) {
    session_.Ok(0x110, test::UpdateBytes(kOrders, {letter, before}, after));
    return session_.handler.changes.back();
  }
  Session session_;
};

TEST_F(PartitionOldRow, AKeyThatOnlyPartitionsHaveIsThere) {
  Announce(Root('d'), {"id"});
  const test::SeenChange& change = Delete('K', {Text("1"), Null(), Null()});
  EXPECT_EQ(change.before, "1|absent|absent");
  EXPECT_EQ(change.old_row, OldRow::kUnsure);
}

TEST_F(PartitionOldRow, ARootWithoutIdentityTakesNothingAway) {
  Announce(Root('n'), {"id", "at", "note"});
  EXPECT_EQ(Delete('K', {Text("1"), Text("t"), Null()}).before, "1|t|null");
}

TEST_F(PartitionOldRow, AWholeRowBehindTheLetterOfAKeyIsWhole) {
  Announce(Root('d', {"id", "at"}), {"id", "at", "note"});
  const test::SeenChange& change =
      Update('K', {Text("1"), Text("t"), Text("big")}, {Text("2"), Text("t"), Unchanged()});
  EXPECT_EQ(change.before, "1|t|big");
  EXPECT_EQ(change.after, "2|t|big");
  EXPECT_EQ(change.old_row, OldRow::kWhole);
}

TEST_F(PartitionOldRow, AKeyBehindTheLetterOfAWholeRowIsNone) {
  Announce(Root('f'), {"id"});
  const test::SeenChange& change = Delete('O', {Text("1"), Null(), Null()});
  EXPECT_EQ(change.before, "1|absent|absent");
  EXPECT_EQ(change.old_row, OldRow::kUnsure);
}

TEST_F(PartitionOldRow, FullEverywhereKeepsItsNulls) {
  Announce(Root('f'), {"id", "at", "note"});
  const test::SeenChange& change = Delete('O', {Text("1"), Null(), Null()});
  EXPECT_EQ(change.before, "1|null|null");
  EXPECT_EQ(change.old_row, OldRow::kWhole);
}

// An index that has none of the root's key: nulls in the root's key are not its values.
TEST_F(PartitionOldRow, AnIndexWithoutTheRootsKey) {
  Announce(Root('d', {"id", "at"}), {"note"});
  EXPECT_EQ(Delete('K', {Null(), Null(), Text("n")}).before, "absent|absent|n");
}

// A key stored out of line is sent with every update: a null beside a null may have been a value.
TEST_F(PartitionOldRow, ATupleThatFilledTheNewRowMayBeAKeyAlone) {
  Announce(Root('d'), {"id"});
  const test::SeenChange& change =
      Update('K', {Text("long"), Null(), Null()}, {Unchanged(), Text("t"), Null()});
  EXPECT_EQ(change.after, "long|t|null");
  EXPECT_EQ(change.old_row, OldRow::kKey);
  EXPECT_EQ(Update('K', {Text("1"), Null(), Null()}, {Text("2"), Text("t"), Null()}).old_row,
            OldRow::kUnsure);
}

TEST_F(PartitionOldRow, WhatPartitionsSendFollowsTheRelationMessage) {
  Announce(Root('f'), {"id"});
  EXPECT_EQ(Delete('O', {Text("1"), Null(), Null()}).old_row, OldRow::kUnsure);
  session_.resolver.sent_by_all = {"id", "at", "note"};
  session_.Relation(Root('f'));
  EXPECT_EQ(Delete('O', {Text("1"), Null(), Null()}).old_row, OldRow::kWhole);
}

// Also where the catalog has forgotten that it was a root: what was sent is a value.
TEST_F(PartitionOldRow, OfATableThatIsNoRootTextsStayAsWell) {
  session_.Begin(0x110, 0x150, 9);
  session_.Relation(Root('d'));
  const test::SeenChange& change = Delete('K', {Text("1"), Null(), Text("n")});
  EXPECT_EQ(change.before, "1|absent|n");
  EXPECT_EQ(change.old_row, OldRow::kKey);
}

}  // namespace
}  // namespace walduct::pgoutput
