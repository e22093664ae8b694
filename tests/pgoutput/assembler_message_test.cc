// Logical messages, keepalives, and messages that may not be where they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/pgoutput/session.h"

namespace walduct::pgoutput {
namespace {

using test::kOrders;
using test::kTimeUs;
using test::Null;
using test::OrdersSpec;
using test::Session;
using test::StartAt;
using test::Text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The LSNs of the recorded scenario logical_messages.
TEST(AssemblerMessage, GoldenSequenceMsg01Msg02) {
  Session s;
  s.Begin(2304711912, 2304711968, 203854);
  s.Ok(2304711912, test::MessageBytes({true, 2304711912, "pfx", "transactional content"}));
  s.Commit(2304712024);
  s.Ok(2304712024, test::MessageBytes({false, 2304712024, "pfx2", "plain"}));
  s.Begin(2304712024, 2304712456, 203855);
  s.Ok(2304712320, test::MessageBytes({true, 2304712320, "pfx", "{}"}));
  s.Relation(OrdersSpec());
  s.Insert(2304712320, "2");
  s.Commit(2304712504);

  ASSERT_EQ(s.handler.changes.size(), 4u);
  const test::SeenChange& transactional = s.handler.changes[0];
  EXPECT_EQ(transactional.operation, event::Operation::kMessage);
  EXPECT_EQ(transactional.schema, nullptr);
  EXPECT_EQ(transactional.content, "transactional content");
  EXPECT_EQ(transactional.xid, 203854u);
  EXPECT_FALSE(transactional.last_commit_end.has_value());
  EXPECT_EQ(transactional.position.ordinal, 1u);
  const test::SeenChange& plain = s.handler.changes[1];
  EXPECT_EQ(plain.prefix, "pfx2");
  EXPECT_EQ(plain.lsn, Lsn(2304712024));
  EXPECT_EQ(plain.last_commit_end, Lsn(2304712024));
  EXPECT_FALSE(plain.xid.has_value());
  EXPECT_EQ(plain.source_time_us, kTimeUs + 203854) << "the time that was last heard of";
  EXPECT_EQ(s.handler.changes[2].last_commit_end, Lsn(2304712024));
  EXPECT_EQ(s.handler.changes[3].position.ordinal, 2u) << "a message counts, Msg08";
  EXPECT_EQ(s.handler.changes[3].prefix, "");
}

TEST(AssemblerMessage, OutsideATransactionNothingMovesMsg07P2) {
  Session s(StartAt(0x100));
  s.Ok(0x500, test::MessageBytes({false, 0x500, "p", ""}));
  EXPECT_EQ(s.handler.changes[0].position.commit_end, Lsn(0x100));
  EXPECT_EQ(s.handler.changes[0].position.ordinal, 0u);
  EXPECT_EQ(s.assembler.position().commit_end, Lsn(0x100));
  EXPECT_FALSE(s.assembler.in_transaction());
  // The transaction it was written in comes later and began earlier.
  s.Begin(0x200, 0x600, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x200, "1");
  EXPECT_EQ(s.handler.changes[1].position.commit_end, Lsn(0x100));
  EXPECT_EQ(s.handler.changes[1].position.ordinal, 1u);
}

TEST(AssemblerMessage, OutsideATransactionItIsTheLastCommitOfSourceSequence) {
  Session s(StartAt(0x100, Lsn(0x100)));
  s.Ok(0x500, test::MessageBytes({false, 0x500, "p", ""}));
  s.Begin(0x510, 0x600, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x510, "1");
  EXPECT_EQ(s.handler.changes[0].last_commit_end, Lsn(0x500));
  EXPECT_EQ(s.handler.changes[1].last_commit_end, Lsn(0x500));
}

TEST(AssemblerMessage, BeforeAnyTransactionItHasTheStoredTime) {
  AssemblerOptions options = StartAt(0x100);
  options.start.commit_time_us = 12345;
  Session s(options);
  s.Ok(0x500, test::MessageBytes({false, 0x500, "p", ""}));
  EXPECT_EQ(s.handler.changes[0].source_time_us, 12345);
}

// PostgreSQL 18 tells protocol 1 of large transactions that were rolled back.
TEST(AssemblerMessage, AStreamAbortOfWhatWasNotStreamedSaysNothing) {
  Session s(StartAt(0x100));
  s.Ok(0x110, test::StreamAbortBytes(1, 2));
  s.Ok(0x110, test::ParallelStreamAbortBytes(1, 1, 0x110, 4));
  s.Begin(0x120, 0x150, 9);
  s.Commit(0x160);
  EXPECT_THAT(s.handler.log, ElementsAre("begin 9", "commit 9"));
}

TEST(AssemblerKeepalive, MovesTheBoundaryWhileIdleSlt08) {
  Session s(StartAt(0x100));
  s.assembler.AdvanceTo(Lsn(0x300));
  EXPECT_EQ(s.assembler.position().commit_end, Lsn(0x300));
  EXPECT_EQ(s.assembler.position().ordinal, 0u);
  EXPECT_EQ(s.assembler.position().change_lsn, Lsn(0x300));
  s.Begin(0x310, 0x350, 9);
  s.Relation(OrdersSpec());
  s.Insert(0x310, "1");
  EXPECT_EQ(s.handler.changes[0].position.commit_end, Lsn(0x300));
  EXPECT_FALSE(s.handler.changes[0].last_commit_end.has_value()) << "no commit was seen";
}

TEST(AssemblerKeepalive, NeverBackwards) {
  Session s(StartAt(0x100));
  s.assembler.AdvanceTo(Lsn(0x80));
  EXPECT_EQ(s.assembler.position().commit_end, Lsn(0x100));
}

TEST(AssemblerKeepalive, NotInsideATransactionP2) {
  Session s(StartAt(0x100));
  s.Begin(0x110, 0x150, 9);
  s.Relation(OrdersSpec());
  s.assembler.AdvanceTo(Lsn(0x140));
  s.Insert(0x110, "1");
  EXPECT_EQ(s.handler.changes[0].position.commit_end, Lsn(0x100));
}

struct Violation {
  const char* name;
  bool in_transaction;
  std::string bytes;
  absl::StatusCode code;
  const char* reason;
};

class AssemblerViolation : public ::testing::TestWithParam<Violation> {};

TEST_P(AssemblerViolation, IsRefused) {
  Session s;
  s.Relation(OrdersSpec());
  if (GetParam().in_transaction) s.Begin(0x110, 0x150, 9);
  const size_t seen = s.handler.log.size();
  const absl::Status status = s.Send(0x110, GetParam().bytes);
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_EQ(ErrorReason(status), GetParam().reason);
  EXPECT_EQ(s.handler.log.size(), seen);
}

const auto kDataLoss = absl::StatusCode::kDataLoss;
const auto kFailed = absl::StatusCode::kFailedPrecondition;
const test::PreparedSpec kPrepared = {1, 2, 3, 4, "g"};

INSTANTIATE_TEST_SUITE_P(
    All, AssemblerViolation,
    ::testing::Values(
        Violation{"Empty", true, "", kDataLoss, "malformed_message"},
        Violation{"UnknownKind", true, "?x", kDataLoss, "malformed_message"},
        Violation{"CutRow", true, "I\1", kDataLoss, "malformed_message"},
        Violation{"RowOutside", false, test::InsertBytes(kOrders, {Text("1"), Null()}), kDataLoss,
                  "protocol_violation"},
        Violation{"TruncateOutside", false, test::TruncateBytes({kOrders}), kDataLoss,
                  "protocol_violation"},
        Violation{"TransactionalMessageOutside", false, test::MessageBytes({true, 1, "p", ""}),
                  kDataLoss, "protocol_violation"},
        Violation{"OriginOutside", false, test::OriginBytes(1, "o"), kDataLoss,
                  "protocol_violation"},
        Violation{"CommitOutside", false, test::CommitBytes(1, 2, 3), kDataLoss,
                  "protocol_violation"},
        Violation{"BeginInside", true, test::BeginBytes(1, 2, 3), kDataLoss, "protocol_violation"},
        Violation{"CommitOfAnother", true, test::CommitBytes(0x140, 0x160, 3), kDataLoss,
                  "protocol_violation"},
        Violation{"CommitThatEndsBeforeItBegins", true, test::CommitBytes(0x150, 0x150, 3),
                  kDataLoss, "protocol_violation"},
        Violation{"UnknownRelation", true, test::InsertBytes(1, {Text("1")}), kDataLoss,
                  "unknown_relation"},
        Violation{"UnknownRelationTruncated", true, test::TruncateBytes({1}), kDataLoss,
                  "unknown_relation"},
        Violation{"TooFewColumns", true, test::InsertBytes(kOrders, {Text("1")}), kDataLoss,
                  "malformed_message"},
        Violation{"TooFewOldColumns", true,
                  test::UpdateBytes(kOrders, {'K', {Text("1")}}, {Text("1"), Null()}), kDataLoss,
                  "malformed_message"},
        Violation{"TooManyOldColumns", true,
                  test::DeleteBytes(kOrders, {'K', {Text("1"), Null(), Null()}}), kDataLoss,
                  "malformed_message"},
        Violation{"StreamStart", false, test::StreamStartBytes(1, true), kFailed, "protocol"},
        Violation{"StreamStop", false, test::StreamStopBytes(), kFailed, "protocol"},
        Violation{"StreamCommit", false, test::StreamCommitBytes(1, 2, 3, 4), kFailed, "protocol"},
        Violation{"StreamAbortInside", true, test::StreamAbortBytes(1, 2), kDataLoss,
                  "protocol_violation"},
        Violation{"CutStreamAbort", false, "A\1", kDataLoss, "malformed_message"},
        Violation{"BeginPrepare", false, test::BeginPrepareBytes(kPrepared), kFailed, "two_phase"},
        Violation{"Prepare", true, test::PrepareBytes(kPrepared), kFailed, "two_phase"},
        Violation{"CommitPrepared", false, test::CommitPreparedBytes(kPrepared), kFailed,
                  "two_phase"},
        Violation{"RollbackPrepared", false, test::RollbackPreparedBytes(kPrepared, 1), kFailed,
                  "two_phase"},
        Violation{"StreamPrepare", false, test::StreamPrepareBytes(kPrepared), kFailed,
                  "two_phase"}),
    [](const auto& violation) { return violation.param.name; });

}  // namespace
}  // namespace walduct::pgoutput
