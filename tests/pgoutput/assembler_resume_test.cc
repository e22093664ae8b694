// Restart at a stored position: what the server sends again is left out, nothing else is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/pgoutput/session.h"

namespace walduct::pgoutput {
namespace {

using test::kItems;
using test::kOrders;
using test::Null;
using test::OrdersSpec;
using test::Session;
using test::StartAt;
using test::Text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A transaction of `rows` rows which all share one LSN, as one COPY writes them.
void SendCopy(Session& s, int rows) {
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  for (int i = 1; i <= rows; ++i) s.Insert(0x110, absl::StrCat(i));
  s.Commit(0x160);
}

// The position after `ordinal` rows of SendCopy.
event::Position InCopy(uint64_t ordinal) {
  event::Position position;
  position.commit_end = Lsn(0x100);
  position.ordinal = ordinal;
  position.transaction_final_lsn = Lsn(0x150);
  position.change_lsn = Lsn(0x110);
  position.xid = 9;
  return position;
}

TEST(AssemblerResume, RestIsDeliveredAfterEveryRowRst04Rst07) {
  Session whole(StartAt(0x100));
  SendCopy(whole, 50);
  for (uint64_t ordinal = 1; ordinal <= 50; ++ordinal) {
    Session s(StartAt(whole.handler.changes[ordinal - 1].position));
    SendCopy(s, 50);
    ASSERT_EQ(s.handler.changes.size(), 50 - ordinal);
    EXPECT_EQ(s.assembler.skipped_changes(), ordinal);
    for (size_t i = 0; i < s.handler.changes.size(); ++i) {
      EXPECT_EQ(s.handler.changes[i].after, whole.handler.changes[ordinal + i].after);
      EXPECT_EQ(s.handler.changes[i].position, whole.handler.changes[ordinal + i].position);
    }
    EXPECT_EQ(s.assembler.position(), whole.assembler.position());
    EXPECT_EQ(s.handler.boundaries.size(), 1u);
  }
}

TEST(AssemblerResume, MSG08RowOfTheSameLsnIsNotSkipped) {
  const auto send = [](Session& s) {
    s.Begin(0x110, 0x150, 9);
    s.Ok(0x110, test::MessageBytes({true, 0x110, "p", "x"}));
    s.Relation(OrdersSpec());
    s.Insert(0x110, "1");
    s.Commit(0x160);
  };
  Session whole(StartAt(0x100));
  send(whole);
  Session s(StartAt(whole.handler.changes[0].position));
  send(s);
  EXPECT_THAT(s.handler.repeated, ElementsAre("p"));
  ASSERT_EQ(s.handler.changes.size(), 1u);
  EXPECT_EQ(s.handler.changes[0].after, "1|null");
}

TEST(AssemblerResume, WhatIsBehindIsToldOfAsRepeated) {
  Session s(StartAt(InCopy(2)));
  SendCopy(s, 3);
  ASSERT_EQ(s.handler.begins.size(), 1u);
  EXPECT_TRUE(s.handler.begins[0].resumed);
  EXPECT_EQ(s.handler.begins[0].begin_lsn, Lsn(0x110));
  EXPECT_THAT(s.handler.repeated, ElementsAre("1|null", "2|null"));
  EXPECT_EQ(s.handler.changes.size(), 1u);
  s.Begin(0x170, 0x180, 10);
  EXPECT_FALSE(s.handler.begins[1].resumed);
}

TEST(AssemblerResume, OfATransactionWhollyBehindNothingIsTold) {
  Session s(StartAt(0x160));
  SendCopy(s, 3);
  EXPECT_THAT(s.handler.begins, IsEmpty());
  EXPECT_THAT(s.handler.repeated, IsEmpty());
}

TEST(AssemblerResume, AtABoundaryNothingIsDropped) {
  Session s(StartAt(0x100));
  SendCopy(s, 3);
  EXPECT_EQ(s.handler.changes.size(), 3u);
  EXPECT_EQ(s.assembler.skipped_changes(), 0u);
}

TEST(AssemblerResume, PositionStaysAtTheStartWhileDropping) {
  Session s(StartAt(InCopy(2)));
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  EXPECT_EQ(s.assembler.position(), InCopy(2));
  EXPECT_THAT(s.handler.log, ElementsAre("begin 9"));
}

TEST(AssemblerResume, TransactionBehindTheStartIsConsumedSilently) {
  Session s(StartAt(0x160, Lsn(0x160)));
  SendCopy(s, 3);
  EXPECT_THAT(s.handler.log, IsEmpty());
  EXPECT_EQ(s.assembler.skipped_transactions(), 1u);
  EXPECT_EQ(s.assembler.skipped_changes(), 3u);
  EXPECT_EQ(s.assembler.position().commit_end, Lsn(0x160));
  EXPECT_FALSE(s.assembler.in_transaction());
  // Its Relation messages hold, they are sent once.
  s.Begin(0x170, 0x190, 10);
  s.Insert(0x170, "4");
  EXPECT_THAT(s.handler.log, ElementsAre("begin 10", "c 4|null"));
  EXPECT_EQ(s.handler.changes[0].last_commit_end, Lsn(0x160));
}

// The next transaction may begin, and even commit, right where the last one ended.
TEST(AssemblerResume, NextTransactionAtTheLastCommitsEndIsNotSkippedRst08) {
  Session s(StartAt(0x160));
  s.Begin(0x160, 0x160, 10);
  s.Relation(OrdersSpec());
  s.Insert(0x160, "4");
  EXPECT_THAT(s.handler.log, ElementsAre("begin 10", "c 4|null"));
}

// B committed after A wrote rows 1 to 5; A's later commit carries rows with LSNs below B's end.
TEST(AssemblerResume, InterleavedTransactionsAreComparedByCommitRst06Rst05) {
  Session s(StartAt(0x200));
  s.Begin(0x110, 0x300, 1);
  s.Relation(OrdersSpec());
  for (int i = 1; i <= 5; ++i) s.Insert(static_cast<uint64_t>(0x110 + i), absl::StrCat(i));
  for (int i = 6; i <= 10; ++i) s.Insert(static_cast<uint64_t>(0x210 + i), absl::StrCat(i));
  s.Commit(0x310);
  EXPECT_EQ(s.handler.changes.size(), 10u);
}

TEST(AssemblerResume, InsideATruncateOfTwoTables) {
  test::RelationSpec items = OrdersSpec();
  items.oid = kItems;
  items.table = "items";
  Session s(StartAt(InCopy(1)));
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Relation(items);
  s.Ok(0x110, test::TruncateBytes({kOrders, kItems}));
  ASSERT_EQ(s.handler.changes.size(), 1u);
  EXPECT_EQ(s.handler.changes[0].table, "items");
}

TEST(AssemblerResume, BetweenAMessageAndTheRowAtItsLsnMsg08) {
  Session s(StartAt(InCopy(1)));
  s.Begin(0x110, 0x150, 9);
  s.Ok(0x110, test::MessageBytes({true, 0x110, "p", ""}));
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  EXPECT_THAT(s.handler.log, ElementsAre("begin 9", "c 1|null"));
}

TEST(AssemblerResume, TransactionalMessageIsNotRepeatedRst20) {
  Session s(StartAt(InCopy(1)));
  s.Begin(0x110, 0x150, 9);
  s.Ok(0x110, test::MessageBytes({true, 0x110, "p", ""}));
  s.Commit(0x160);
  EXPECT_THAT(s.handler.log, ElementsAre("begin 9", "commit 9"));
}

// Messages outside a transaction come before the transaction that the start lies in, as they did
// the first time.
TEST(AssemblerResume, MessageAheadOfTheOpenTransactionIsNotRepeated) {
  Session s(StartAt(InCopy(1)));
  s.Ok(0x108, test::MessageBytes({false, 0x108, "p", ""}));
  EXPECT_THAT(s.handler.log, IsEmpty());
  SendCopy(s, 2);
  s.Ok(0x170, test::MessageBytes({false, 0x170, "q", ""}));
  EXPECT_THAT(s.handler.log, ElementsAre("begin 9", "c 2|null", "commit 9", "m q"));
}

TEST(AssemblerResume, OriginReachesTheRestOfTheTransactionOrg03) {
  Session s(StartAt(InCopy(1)));
  s.Begin(0, 0x150, 9);
  s.Ok(0x110, test::OriginBytes(5, "up"));
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  s.Insert(0x110, "2");
  EXPECT_EQ(s.handler.changes[0].origin, "up");
}

TEST(AssemblerResume, KeepaliveDoesNotPassTheOpenTransaction) {
  Session s(StartAt(InCopy(1)));
  s.assembler.AdvanceTo(Lsn(0x140));
  EXPECT_EQ(s.assembler.position(), InCopy(1));
  SendCopy(s, 2);
  s.assembler.AdvanceTo(Lsn(0x400));
  EXPECT_EQ(s.assembler.position().commit_end, Lsn(0x400));
}

void ExpectPositionUnknown(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ErrorReason(status), "position_unknown");
  EXPECT_THAT(ErrorHint(status), HasSubstr("snapshot.mode=when_needed"));
}

TEST(AssemblerResume, AnotherTransactionFirstIsPositionUnknownRst10) {
  Session s(StartAt(InCopy(2)));
  ExpectPositionUnknown(s.Send(0x110, test::BeginBytes(0x148, 0, 9)));
  EXPECT_THAT(s.handler.log, IsEmpty());
}

TEST(AssemblerResume, AnotherLsnAtTheOrdinalIsPositionUnknownRst10) {
  Session s(StartAt(InCopy(2)));
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  ExpectPositionUnknown(s.Send(0x118, test::InsertBytes(kOrders, {Text("2"), Null()})));
  EXPECT_THAT(s.handler.changes, IsEmpty());
}

TEST(AssemblerResume, CommitBeforeTheOrdinalIsPositionUnknownRst10) {
  Session s(StartAt(InCopy(2)));
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  ExpectPositionUnknown(s.Send(0x160, test::CommitBytes(0x150, 0x160, 0)));
  EXPECT_THAT(s.handler.boundaries, IsEmpty());
}

}  // namespace
}  // namespace walduct::pgoutput
