#include "pgoutput/assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/pgoutput/session.h"

namespace walduct::pgoutput {
namespace {

using event::Operation;
using test::kItems;
using test::kOrders;
using test::kTimeUs;
using test::Null;
using test::OrdersSpec;
using test::Session;
using test::StartAt;
using test::Text;
using test::Unchanged;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Assembler, OneTransactionInOrder) {
  Session s(StartAt(0x100));
  s.Begin(0x110, 0x150, 9);
  EXPECT_TRUE(s.assembler.in_transaction());
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  s.Insert(0x120, "2");
  s.Commit(0x160);
  EXPECT_FALSE(s.assembler.in_transaction());
  EXPECT_THAT(s.handler.log, ElementsAre("begin 9", "c 1|null", "c 2|null", "commit 9"));
}

TEST(Assembler, PositionOfAChange) {
  Session s(StartAt(0x100));
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  s.Insert(0x120, "2");
  const event::Position& position = s.handler.changes[1].position;
  EXPECT_EQ(position.commit_end, Lsn(0x100));
  EXPECT_EQ(position.ordinal, 2u);
  EXPECT_EQ(position.transaction_final_lsn, Lsn(0x150));
  EXPECT_EQ(position.change_lsn, Lsn(0x120));
  EXPECT_EQ(position.xid, 9u);
  EXPECT_EQ(position.commit_time_us, kTimeUs + 9);
  EXPECT_EQ(s.assembler.position(), position);
}

TEST(Assembler, BoundaryAfterCommit) {
  AssemblerOptions options = StartAt(0x100);
  options.start.snapshot = event::SnapshotPhase::kCompleted;
  Session s(options);
  s.Begin(0x110, 0x150, 9);
  s.Commit(0x160);
  ASSERT_EQ(s.handler.boundaries.size(), 1u);
  const event::Position& boundary = s.handler.boundaries[0];
  EXPECT_EQ(boundary.commit_end, Lsn(0x160));
  EXPECT_EQ(boundary.ordinal, 0u);
  EXPECT_EQ(boundary.transaction_final_lsn, Lsn());
  EXPECT_EQ(boundary.change_lsn, Lsn(0x160));
  EXPECT_EQ(boundary.xid, 9u);
  EXPECT_EQ(boundary.commit_time_us, kTimeUs + 9);
  EXPECT_EQ(boundary.snapshot, event::SnapshotPhase::kNone);
  EXPECT_EQ(s.assembler.position(), boundary);
}

TEST(Assembler, FieldsOfAChangeEnv) {
  Session s(StartAt(0x100));
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  s.Commit(0x160);
  s.Begin(0x130, 0x170, 10);
  s.Insert(0x130, "2");
  const test::SeenChange& first = s.handler.changes[0];
  EXPECT_EQ(first.operation, Operation::kCreate);
  EXPECT_EQ(first.table, "orders");
  EXPECT_EQ(first.before, "none");
  EXPECT_EQ(first.lsn, Lsn(0x110));
  EXPECT_EQ(first.xid, 9u);
  EXPECT_EQ(first.source_time_us, kTimeUs + 9);
  EXPECT_FALSE(first.last_commit_end.has_value()) << "sequence[0] is null before the first commit";
  const test::SeenChange& second = s.handler.changes[1];
  EXPECT_EQ(second.last_commit_end, Lsn(0x160));
  EXPECT_EQ(second.position.commit_end, Lsn(0x160));
  EXPECT_EQ(second.position.ordinal, 1u);
}

TEST(Assembler, LastCommitEndFromTheOptions) {
  Session s(StartAt(0x100, Lsn(0xf0)));
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  EXPECT_EQ(s.handler.changes[0].last_commit_end, Lsn(0xf0));
}

TEST(Assembler, EmptyTransactionMovesTheBoundaryTxn05) {
  Session s(StartAt(0x100));
  s.Begin(0x110, 0x150, 9);
  s.Commit(0x160);
  EXPECT_THAT(s.handler.log, ElementsAre("begin 9", "commit 9"));
  EXPECT_EQ(s.assembler.position().commit_end, Lsn(0x160));
}

TEST(Assembler, SharedLsnsGetOrdinalsOfTheirOwnRst07) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  s.Insert(0x110, "2");
  s.Insert(0x110, "3");
  EXPECT_EQ(s.handler.changes[0].position.ordinal, 1u);
  EXPECT_EQ(s.handler.changes[2].position.ordinal, 3u);
  EXPECT_LT(s.handler.changes[1].position, s.handler.changes[2].position);
}

TEST(Assembler, PositionsGrowWhereLsnsDoNotTxn10) {
  Session s;
  s.Begin(0x150, 0x190, 2);  // committed first, wrote last
  s.Relation(OrdersSpec());
  s.Insert(0x150, "b");
  s.Commit(0x1a0);
  s.Begin(0x110, 0x1b0, 1);
  s.Insert(0x110, "a");
  s.Commit(0x1c0);
  EXPECT_LT(s.handler.changes[1].lsn, s.handler.changes[0].lsn);
  EXPECT_LT(s.handler.changes[0].position, s.handler.changes[1].position);
}

TEST(Assembler, UpdateWithoutOldTupleRid01) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Ok(0x110, test::UpdateBytes(kOrders, {Text("1"), Unchanged()}));
  EXPECT_EQ(s.handler.changes[0].operation, Operation::kUpdate);
  EXPECT_EQ(s.handler.changes[0].before, "none");
  EXPECT_EQ(s.handler.changes[0].after, "1|unchanged");
}

TEST(Assembler, KeyTupleHasAbsentColumnsRid01) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Ok(0x110, test::UpdateBytes(kOrders, {'K', {Text("1"), Null()}}, {Text("2"), Text("x")}));
  s.Ok(0x120, test::DeleteBytes(kOrders, {'K', {Text("2"), Null()}}));
  EXPECT_EQ(s.handler.changes[0].before, "1|absent");
  EXPECT_EQ(s.handler.changes[0].old_row, event::OldRow::kKey);
  EXPECT_EQ(s.handler.changes[0].after, "2|x");
  EXPECT_EQ(s.handler.changes[1].operation, Operation::kDelete);
  EXPECT_EQ(s.handler.changes[1].before, "2|absent");
  EXPECT_EQ(s.handler.changes[1].old_row, event::OldRow::kKey);
  EXPECT_EQ(s.handler.changes[1].after, "none");
}

TEST(Assembler, KeyTupleOfAnIndexThatIsNotTheFirstColumnRid04) {
  Session s;
  test::RelationSpec spec = OrdersSpec('i');
  spec.columns = {{"id", 23, false}, {"code", 25, true}};
  s.Begin(0x110, 0x150, 9);
  s.Relation(spec);
  s.Ok(0x110, test::DeleteBytes(kOrders, {'K', {Null(), Text("c")}}));
  EXPECT_EQ(s.handler.changes[0].before, "absent|c");
}

TEST(Assembler, FullTupleKeepsItsNullsRid02) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec('f'));
  s.Ok(0x110, test::DeleteBytes(kOrders, {'O', {Text("1"), Null()}}));
  EXPECT_EQ(s.handler.changes[0].before, "1|null");
  EXPECT_EQ(s.handler.changes[0].old_row, event::OldRow::kWhole);
}

TEST(Assembler, ReplicaIdentityFollowsTheRelationMessageRid06) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec('f'));
  s.Ok(0x110, test::DeleteBytes(kOrders, {'O', {Text("1"), Null()}}));
  s.Relation(OrdersSpec('d'));
  s.Ok(0x120, test::DeleteBytes(kOrders, {'K', {Text("2"), Null()}}));
  EXPECT_EQ(s.handler.changes[0].before, "1|null");
  EXPECT_EQ(s.handler.changes[1].before, "2|absent");
}

TEST(Assembler, UnchangedValueIsTakenFromTheFullOldTupleTst10) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec('f'));
  s.Ok(0x110,
       test::UpdateBytes(kOrders, {'O', {Text("1"), Text("big")}}, {Text("2"), Unchanged()}));
  EXPECT_EQ(s.handler.changes[0].before, "1|big");
  EXPECT_EQ(s.handler.changes[0].after, "2|big");
}

TEST(Assembler, UnchangedValueIsNotTakenFromAKeyTuplesNullsTst11) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Ok(0x110, test::UpdateBytes(kOrders, {'K', {Text("1"), Null()}}, {Text("2"), Unchanged()}));
  EXPECT_EQ(s.handler.changes[0].after, "2|unchanged");
}

TEST(Assembler, UnchangedKeyIsTakenFromTheKeyTupleTst12) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Ok(0x110, test::UpdateBytes(kOrders, {'K', {Text("long"), Null()}}, {Unchanged(), Text("n")}));
  EXPECT_EQ(s.handler.changes[0].before, "long|absent");
  EXPECT_EQ(s.handler.changes[0].after, "long|n");
}

TEST(Assembler, NoRowOfTheLastMessageIsLeftOver) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Ok(0x110, test::UpdateBytes(kOrders, {'K', {Text("1"), Null()}}, {Text("2"), Null()}));
  s.Ok(0x120, test::UpdateBytes(kOrders, {Text("2"), Text("x")}));
  s.Ok(0x130, test::DeleteBytes(kOrders, {'K', {Text("2"), Null()}}));
  s.Insert(0x140, "3");
  EXPECT_EQ(s.handler.changes[1].before, "none");
  EXPECT_EQ(s.handler.changes[1].old_row, event::OldRow::kWhole);
  EXPECT_EQ(s.handler.changes[2].after, "none");
  EXPECT_EQ(s.handler.changes[3].before, "none");
}

TEST(Assembler, RelationSentAgainWithOtherColumnsSch) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  test::RelationSpec wider = OrdersSpec();
  wider.columns.push_back({"added"});
  s.Relation(wider);
  s.Ok(0x120, test::InsertBytes(kOrders, {Text("2"), Null(), Text("new")}));
  EXPECT_EQ(s.handler.changes[0].schema->columns.size(), 2u) << "still alive";
  EXPECT_EQ(s.handler.changes[1].schema->columns.size(), 3u);
  EXPECT_EQ(s.handler.changes[1].after, "2|null|new");
}

TEST(Assembler, TableWithoutColumnsP17) {
  Session s;
  test::RelationSpec spec = OrdersSpec();
  spec.columns.clear();
  s.Begin(0x110, 0x150, 9);
  s.Relation(spec);
  s.Ok(0x110, test::InsertBytes(kOrders, {}));
  EXPECT_EQ(s.handler.changes[0].after, "empty");
}

TEST(Assembler, TruncateOfTwoTablesTrc03) {
  Session s;
  test::RelationSpec items = OrdersSpec();
  items.oid = kItems;
  items.table = "items";
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Relation(items);
  s.Ok(0x110, test::TruncateBytes({kOrders, kItems}, 1));
  s.Insert(0x120, "1");
  ASSERT_EQ(s.handler.changes.size(), 3u);
  EXPECT_EQ(s.handler.changes[0].operation, Operation::kTruncate);
  EXPECT_EQ(s.handler.changes[0].table, "orders");
  EXPECT_EQ(s.handler.changes[0].before, "none");
  EXPECT_EQ(s.handler.changes[0].after, "none");
  EXPECT_EQ(s.handler.changes[0].position.ordinal, 1u);
  EXPECT_EQ(s.handler.changes[1].table, "items");
  EXPECT_EQ(s.handler.changes[1].position.ordinal, 2u);
  EXPECT_EQ(s.handler.changes[1].lsn, Lsn(0x110));
  EXPECT_EQ(s.handler.changes[2].position.ordinal, 3u);
}

TEST(Assembler, OriginHoldsForItsTransactionOrg01Org02) {
  Session s;
  s.Begin(0, 0x150, 9);
  s.Ok(0x110, test::OriginBytes(74565, "upstream"));
  s.Relation(OrdersSpec());
  s.Insert(0x118, "1");
  s.Insert(0x120, "2");
  s.Commit(0x160);
  s.Begin(0x170, 0x190, 10);
  s.Insert(0x170, "3");
  EXPECT_EQ(s.handler.changes[0].origin, "upstream");
  EXPECT_EQ(s.handler.changes[0].origin_lsn, Lsn(74565));
  EXPECT_EQ(s.handler.changes[1].origin, "upstream");
  EXPECT_EQ(s.handler.changes[2].origin, "");
  EXPECT_EQ(s.handler.changes[2].origin_lsn, Lsn());
}

TEST(Assembler, TypeMessagesChangeNothing) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Ok(0, test::TypeBytes(90001, "public", "mood"));
  EXPECT_THAT(s.handler.changes, IsEmpty());
  EXPECT_THAT(s.resolver.described, IsEmpty());
}

TEST(Assembler, TypeMessagesNameTheTypesOfRelations) {
  Session s;
  test::RelationSpec spec = OrdersSpec();
  spec.columns[1].type = 90001;
  s.Begin(0x110, 0x150, 9);
  s.Ok(0, test::TypeBytes(90001, "public", "mood"));
  s.Relation(spec);
  ASSERT_EQ(s.resolver.described.size(), 1u);
  EXPECT_EQ(s.resolver.described[0].columns[1].type_name, "mood");
}

TEST(Assembler, AHandlersErrorStopsAndTheChangeIsNotDone) {
  Session s;
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x110, "1");
  const event::Position before = s.assembler.position();
  s.handler.error = absl::UnavailableError("sink");
  EXPECT_EQ(s.Send(0x120, test::InsertBytes(kOrders, {Text("2"), Null()})), s.handler.error);
  EXPECT_EQ(s.assembler.position(), before);
  EXPECT_EQ(s.Send(0x160, test::CommitBytes(0x150, 0x160, kTimeUs)), s.handler.error);
  EXPECT_EQ(s.assembler.position(), before);
}

TEST(Assembler, ResolverErrorComesBack) {
  Session s;
  s.resolver.error = absl::UnavailableError("catalog");
  EXPECT_EQ(s.Send(0, test::RelationBytes(OrdersSpec())), s.resolver.error);
}

// What the message was is decided only with the schema: handed over again, it counts once.
TEST(AssemblerWaits, AMessageWaitsForTheSchemaOfItsTable) {
  Session session;
  session.Begin(0x110, 0x150, 9);
  session.resolver.silent = true;
  const std::string relation = test::RelationBytes(OrdersSpec());
  session.Ok(0, relation);
  EXPECT_TRUE(session.assembler.awaits_schema());
  session.Ok(0, relation);
  EXPECT_TRUE(session.assembler.awaits_schema());
  session.resolver.silent = false;
  session.Ok(0, relation);
  EXPECT_FALSE(session.assembler.awaits_schema());
  session.Insert(0x110, "1");
  EXPECT_EQ(session.handler.changes.size(), 1u);
  EXPECT_EQ(session.resolver.described.size(), 1u);
}

TEST(AssemblerWaits, AnotherMessageInItsPlaceIsAnError) {
  Session session;
  session.Begin(0x110, 0x150, 9);
  session.resolver.silent = true;
  session.Relation(OrdersSpec());
  const absl::Status status =
      session.Send(0x110, test::InsertBytes(test::kOrders, {test::Text("1"), test::Null()}));
  EXPECT_EQ(ErrorReason(status), "message_skipped");
  EXPECT_TRUE(session.handler.changes.empty());
}

TEST(AssemblerWaits, ARowWithANewLabelIsCountedOnce) {
  pgoutput::AssemblerOptions options = StartAt(0x100);
  options.watch_enum_labels = true;
  Session session(options);
  session.resolver.kind = event::TypeKind::kEnum;
  session.Begin(0x110, 0x150, 9);
  session.Relation(OrdersSpec());
  session.resolver.silent = true;
  const std::string row = test::InsertBytes(test::kOrders, {test::Text("new"), test::Null()});
  for (int i = 0; i < 3; ++i) session.Ok(0x110, row);
  EXPECT_TRUE(session.assembler.awaits_schema());
  EXPECT_TRUE(session.handler.changes.empty());
  session.resolver.silent = false;
  session.Ok(0x110, row);
  ASSERT_EQ(session.handler.changes.size(), 1u);
  EXPECT_EQ(session.handler.changes[0].position.ordinal, 1u);
}

}  // namespace
}  // namespace walduct::pgoutput
