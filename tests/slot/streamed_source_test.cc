#include "slot/in_progress/streamed_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "pgoutput/assembler.h"
#include "tests/slot/streamed_history.h"
#include "tests/support/fake_spill_disk.h"
#include "tests/support/fake_wal_source.h"
#include "tests/support/pgoutput_fakes.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {
namespace {

using replication::WalFrame;
using test::Text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint32_t kOrders = 16384;
constexpr int64_t kTimeUs = 1'795'224'383'000'000;

class StreamedSourceTest : public testing::Test {
 protected:
  StreamedSourceTest() {
    auto wire = std::make_unique<test::FakeWalSource>(&time_);
    wire_ = wire.get();
    source_ = std::make_unique<StreamedSource>(
        std::move(wire),
        StreamedSource::Parts{.spill = spill_.get(), .pause = &pause_, .metrics = &metrics_});
  }

  void Send(uint64_t lsn, std::string payload) {
    sent_ += payload.size();
    wire_->SendMessage(Lsn(lsn), std::move(payload));
  }
  void SendRelation(test::OptionalXid xid, size_t columns = 1) {
    test::RelationSpec spec = {.oid = kOrders, .columns = {}};
    for (size_t i = 0; i < columns; ++i) spec.columns.push_back({.name = absl::StrCat("c", i)});
    Send(0, test::RelationBytes(spec, xid));
  }
  void SendRow(uint64_t lsn, absl::string_view id, test::OptionalXid xid) {
    Send(lsn, test::InsertBytes(kOrders, {Text(id)}, xid));
  }
  void SendCommit(uint32_t xid, uint64_t lsn) {
    Send(lsn + 8, test::StreamCommitBytes(xid, lsn, lsn + 8, kTimeUs));
  }
  // Reads all there is. What the assembler made of it is in handler_.log.
  absl::Status Read() {
    while (true) {
      const absl::StatusOr<WalFrame> frame = source_->Next();
      if (!frame.ok()) return frame.status();
      if (frame->kind == WalFrame::Kind::kNone) return absl::OkStatus();
      if (!frame->received_before) received_ += frame->payload.size();
      if (frame->kind == WalFrame::Kind::kKeepalive) handler_.log.emplace_back("keepalive");
      if (frame->kind != WalFrame::Kind::kData) continue;
      const absl::Status assembled = assembler_.OnMessage(frame->start, frame->payload);
      if (!assembled.ok()) return assembled;
    }
  }

  test::SimulatedTime time_;
  test::FakeSpillDisk::State disk_;
  std::unique_ptr<spill::Spill> spill_ =
      *spill::Spill::Open(std::make_unique<test::FakeSpillDisk>(&disk_), 0);
  StreamingPause pause_;
  metrics::ConnectorMetrics metrics_;
  test::FakeWalSource* wire_;
  std::unique_ptr<StreamedSource> source_;
  test::FakeResolver resolver_;
  test::RecordingHandler handler_;
  size_t sent_ = 0, received_ = 0;  // bytes
  pgoutput::Assembler assembler_{resolver_, handler_, {}};
};

TEST_F(StreamedSourceTest, NothingBeforeTheCommitThenAllOfItSTR02) {
  Send(0x110, test::StreamStartBytes(9, true));
  SendRelation(9);
  SendRow(0x110, "1", 9);
  Send(0x110, test::StreamStopBytes());
  wire_->SendKeepalive(Lsn(0x115), false);
  Send(0x120, test::StreamStartBytes(9, false));
  SendRow(0x120, "2", 9);
  Send(0x120, test::StreamStopBytes());
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(handler_.log, ElementsAre("keepalive"));
  EXPECT_EQ(metrics_.transactions_in_progress.value(), 1u);
  EXPECT_EQ(metrics_.spill_bytes.value(), disk_.bytes);
  EXPECT_GT(disk_.bytes, 0u);
  SendCommit(9, 0x150);
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(handler_.log, ElementsAre("keepalive", "begin 9", "c 1", "c 2", "commit 9"));
  EXPECT_EQ(handler_.begins[0].begin_lsn, Lsn(0x110));
  EXPECT_EQ(handler_.begins[0].final_lsn, Lsn(0x150));
  EXPECT_EQ(handler_.begins[0].commit_time_us, kTimeUs);
  EXPECT_EQ(handler_.changes[1].lsn, Lsn(0x120));
  EXPECT_EQ(handler_.boundaries[0].commit_end, Lsn(0x158));
  EXPECT_EQ(metrics_.transactions_in_progress.value(), 0u);
  EXPECT_EQ(metrics_.streamed_transactions.value(), 1u);
  EXPECT_EQ(metrics_.spill_bytes.value(), 0u);
  EXPECT_EQ(disk_.files, 0u);
  EXPECT_EQ(received_, sent_) << "what is handed over later is counted once";
}

TEST_F(StreamedSourceTest, OthersPassSTR05) {
  Send(0x110, test::StreamStartBytes(9, true));
  SendRelation(9);
  SendRow(0x110, "big", 9);
  Send(0x110, test::StreamStopBytes());
  Send(0x120, test::StreamStartBytes(10, true));
  SendRelation(10);
  SendRow(0x120, "other big", 10);
  Send(0x120, test::StreamStopBytes());
  Send(0x130, test::BeginBytes(0x138, kTimeUs, 11));
  SendRelation({});
  SendRow(0x130, "small", {});
  Send(0x140, test::CommitBytes(0x138, 0x140, kTimeUs));
  SendCommit(10, 0x150);
  SendCommit(9, 0x160);
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(handler_.log,
              ElementsAre("begin 11", "c small", "commit 11", "begin 10", "c other big",
                          "commit 10", "begin 9", "c big", "commit 9"));
}

// A standby takes what runs on its primary for visible: the catalog must not be asked about it.
TEST_F(StreamedSourceTest, NoTableIsAskedAboutForATransactionInProgress) {
  Send(0x110, test::StreamStartBytes(9, true));
  SendRelation(12);  // of a sub-transaction
  SendRow(0x110, "big", 12);
  Send(0x110, test::StreamStopBytes());
  Send(0x130, test::BeginBytes(0x138, kTimeUs, 11));
  SendRelation({}, 2);
  Send(0x130, test::InsertBytes(kOrders, {Text("small"), Text("")}, {}));
  Send(0x140, test::CommitBytes(0x138, 0x140, kTimeUs));
  ASSERT_TRUE(Read().ok());
  const auto asked = [this] {
    std::vector<uint32_t> transactions;
    for (const event::RelationDescription& one : resolver_.described)
      transactions.push_back(one.transaction);
    return transactions;
  };
  EXPECT_THAT(asked(), ElementsAre(11));
  SendCommit(9, 0x160);
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(asked(), ElementsAre(11, 9, 9))
      << "that which has committed, not its part; what came meanwhile is said again";
}

TEST_F(StreamedSourceTest, WhatWasRolledBackIsLeftOutSTR03) {
  Send(0x110, test::StreamStartBytes(9, true));
  SendRelation(10);
  SendRow(0x110, "lost", 10);
  SendRow(0x118, "kept", 11);
  Send(0x110, test::StreamStopBytes());
  Send(0x120, test::StreamAbortBytes(9, 10));
  Send(0x128, test::StreamStartBytes(9, false));
  SendRelation(9);
  SendRow(0x128, "end", 9);
  Send(0x128, test::StreamStopBytes());
  // The relation was announced by what was rolled back only; a server would have said it again.
  SendCommit(9, 0x150);
  EXPECT_EQ(ErrorReason(Read()), "unknown_relation");
  EXPECT_THAT(handler_.log, ElementsAre("begin 9"));
}

TEST_F(StreamedSourceTest, WhollyRolledBackSTR04) {
  Send(0x110, test::StreamStartBytes(9, true));
  SendRelation(9);
  SendRow(0x110, "1", 9);
  Send(0x110, test::StreamStopBytes());
  ASSERT_TRUE(Read().ok());
  EXPECT_EQ(disk_.files, 1u);
  Send(0x120, test::StreamAbortBytes(9, 9));
  Send(0x128, test::StreamAbortBytes(77, 78));  // never sent
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(handler_.log, IsEmpty());
  EXPECT_EQ(disk_.files, 0u);
  EXPECT_EQ(metrics_.spill_bytes.value(), 0u);
}

// No BEGIN, no END: as PostgreSQL 15 and later send nothing of a transaction without changes.
TEST_F(StreamedSourceTest, CommittedWithNothingLeft) {
  Send(0x110, test::StreamStartBytes(9, true));
  SendRelation(10);
  for (int i = 0; i < 1000; ++i) SendRow(0x110, "lost", 10);
  Send(0x110, test::StreamStopBytes());
  Send(0x120, test::ParallelStreamAbortBytes(9, 10, 0x120, kTimeUs));
  SendCommit(9, 0x150);
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(handler_.log, IsEmpty());
}

// However much was rolled back, a call looks at a bounded part of it.
TEST_F(StreamedSourceTest, SkipsInSteps) {
  Send(0x110, test::StreamStartBytes(9, true));
  for (int i = 0; i < 1000; ++i) SendRow(0x110, "lost", 10);
  SendRelation(9);
  SendRow(0x118, "kept", 9);
  for (int i = 0; i < 1000; ++i) SendRow(0x110, "lost", 10);
  Send(0x118, test::StreamStopBytes());
  Send(0x120, test::StreamAbortBytes(9, 10));
  SendCommit(9, 0x150);
  while (wire_->unread() > 0) {
    ASSERT_TRUE(source_->Next().ok());
  }
  int kept = 0, handed_over = 0;
  while (true) {
    const WalFrame frame = *source_->Next();
    if (frame.kind == WalFrame::Kind::kNone) break;
    frame.kind == WalFrame::Kind::kKept ? ++kept : ++handed_over;
  }
  EXPECT_EQ(handed_over, 4) << "Begin, Relation, the row, Commit";
  EXPECT_EQ(kept, 1000 / 64 * 2);
}

TEST_F(StreamedSourceTest, ReadsNothingWhileItHandsOver) {
  Send(0x110, test::StreamStartBytes(9, true));
  SendRelation(9);
  SendRow(0x110, "1", 9);
  Send(0x110, test::StreamStopBytes());
  SendCommit(9, 0x150);
  wire_->SendKeepalive(Lsn(0x170), true);
  while (wire_->unread() > 1) {
    ASSERT_TRUE(source_->Next().ok());
  }
  for (const char kind : {'B', 'R', 'I', 'C'}) {
    EXPECT_EQ(source_->Next()->payload[0], kind);
    EXPECT_EQ(wire_->unread(), 1u);
  }
  EXPECT_EQ(source_->Next()->kind, WalFrame::Kind::kKeepalive);
}

// The newest description counts, as the server counts on it: the one that was sent last.
TEST_F(StreamedSourceTest, ADescriptionOutlivesAnOlderOneSTR06) {
  Send(0x110, test::StreamStartBytes(9, true));
  SendRelation(9, /*columns=*/1);
  SendRow(0x110, "old", 9);
  Send(0x110, test::StreamStopBytes());
  Send(0x130, test::BeginBytes(0x138, kTimeUs, 11));
  SendRelation({}, /*columns=*/2);
  Send(0x130, test::InsertBytes(kOrders, {Text("new"), Text("1")}));
  Send(0x140, test::CommitBytes(0x138, 0x140, kTimeUs));
  SendCommit(9, 0x150);
  Send(0x160, test::BeginBytes(0x168, kTimeUs, 12));
  Send(0x160, test::InsertBytes(kOrders, {Text("new"), Text("2")}));
  Send(0x170, test::CommitBytes(0x168, 0x170, kTimeUs));
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(handler_.log, ElementsAre("begin 11", "c new|1", "commit 11", "begin 9", "c old",
                                        "commit 9", "begin 12", "c new|2", "commit 12"));
}

TEST_F(StreamedSourceTest, OriginHasNoLsn) {
  Send(0, test::StreamStartBytes(9, true));
  Send(0x110, test::OriginBytes(0, "elsewhere"));
  SendRelation(9);
  SendRow(0x110, "1", 9);
  Send(0x110, test::StreamStopBytes());
  SendCommit(9, 0x150);
  ASSERT_TRUE(Read().ok());
  EXPECT_EQ(handler_.begins[0].begin_lsn, Lsn()) << "as protocol 1 has it";
  EXPECT_EQ(handler_.changes[0].origin, "elsewhere");
  EXPECT_EQ(handler_.changes[0].origin_lsn, Lsn());
}

TEST_F(StreamedSourceTest, TransactionsWithLogicalMessagesAreReceivedAgain) {
  Send(0x110, test::StreamStartBytes(9, true));
  Send(0x110, test::MessageBytes({true, 0x110, "p", ""}, 9));
  Send(0x110, test::StreamStopBytes());
  SendCommit(9, 0x150);
  const absl::Status status = Read();
  EXPECT_EQ(ErrorReason(status), "logical_messages_unclear");
  EXPECT_TRUE(absl::IsUnavailable(status)) << "retried";
  EXPECT_TRUE(pause_.Covers(Lsn(0x157)));
  EXPECT_FALSE(pause_.Covers(Lsn(0x158))) << "the end of its commit";
  EXPECT_THAT(handler_.log, IsEmpty());
}

TEST_F(StreamedSourceTest, AFullDiskIsAnError) {
  disk_.room = 10;
  Send(0x110, test::StreamStartBytes(9, true));
  SendRow(0x110, std::string(1000, 'x'), 9);
  Send(0x110, test::StreamStopBytes());
  EXPECT_EQ(ErrorReason(Read()), "spill_full");
}

TEST_F(StreamedSourceTest, WhatIsKeptGoesWithIt) {
  Send(0x110, test::StreamStartBytes(9, true));
  SendRow(0x110, "1", 9);
  Send(0x110, test::StreamStopBytes());
  ASSERT_TRUE(Read().ok());
  source_.reset();
  EXPECT_EQ(disk_.files, 0u);
  EXPECT_EQ(metrics_.transactions_in_progress.value(), 0u);
  EXPECT_EQ(metrics_.spill_bytes.value(), 0u);
}

struct Violation {
  std::vector<std::string> messages;
  std::string reason;
};

TEST_F(StreamedSourceTest, MessagesWhereTheyMayNotBe) {
  const std::string start = test::StreamStartBytes(9, true);
  const std::string stop = test::StreamStopBytes();
  const std::string violation = "protocol_violation", malformed = "malformed_message";
  const std::vector<Violation> violations = {
      {{stop}, violation},
      {{start, start}, violation},
      {{start, test::BeginBytes(1, 2, 3)}, violation},
      {{start, test::CommitBytes(1, 2, 3)}, violation},
      {{start, test::StreamCommitBytes(9, 1, 2, 3)}, violation},
      {{start, test::StreamAbortBytes(9, 9)}, violation},
      {{start, test::StreamPrepareBytes({})}, violation},
      {{start, stop, start}, violation},
      {{test::StreamStartBytes(9, false)}, violation},
      {{test::StreamCommitBytes(9, 1, 2, 3)}, violation},
      {{test::StreamPrepareBytes({})}, "two_phase"},
      {{test::BeginPrepareBytes({})}, "two_phase"},
      {{start, "I"}, malformed},
      {{start, "R\1\2\3"}, malformed},
      {{"S\1"}, malformed},
      {{start, "Ex"}, malformed},
      {{start, stop, "c\1"}, malformed},
      {{start, stop, "A\1"}, malformed},
      {{start, ""}, malformed},
  };
  for (size_t i = 0; i < violations.size(); ++i) {
    auto wire = std::make_unique<test::FakeWalSource>(&time_);
    for (const std::string& message : violations[i].messages) wire->SendMessage(Lsn(1), message);
    source_ = std::make_unique<StreamedSource>(
        std::move(wire),
        StreamedSource::Parts{.spill = spill_.get(), .pause = &pause_, .metrics = &metrics_});
    EXPECT_EQ(ErrorReason(Read()), violations[i].reason) << i;
    source_.reset();
    // A frame may be under way.
    spill_ = *spill::Spill::Open(std::make_unique<test::FakeSpillDisk>(&disk_), 0);
  }
}

std::string TextOf(const test::SeenChange& change) {
  const event::Position& at = change.position;
  return absl::StrCat(std::string(1, static_cast<char>(change.operation)), " ", change.table, " ",
                      change.after, " ", change.prefix, change.content, " at ",
                      change.lsn.ToString(), " xid ", change.xid.value_or(0), " ",
                      change.source_time_us, " ", change.origin, " ", at.commit_end.ToString(), "+",
                      at.ordinal, " ", at.transaction_final_lsn.ToString(), " after ",
                      change.last_commit_end.value_or(Lsn()).ToString());
}

// The same history, sent in both ways, is the same to whoever reads it.
TEST_F(StreamedSourceTest, TheSameAsProtocol1) {
  int blocks = 0;
  for (uint32_t seed = 1; seed <= 3000; ++seed) {
    const test::StreamedHistory history(seed, 150);
    blocks += history.blocks();
    test::RecordingHandler expected;
    test::FakeResolver resolver;
    pgoutput::Assembler plain(resolver, expected, {});
    for (const test::SentMessage& message : history.plain()) {
      ASSERT_TRUE(plain.OnMessage(Lsn(message.lsn), message.payload).ok()) << "seed " << seed;
    }

    auto wire = std::make_unique<test::FakeWalSource>(&time_);
    for (const test::SentMessage& message : history.streamed())
      wire->SendMessage(Lsn(message.lsn), message.payload);
    StreamedSource source(std::move(wire),
                          {.spill = spill_.get(), .pause = &pause_, .metrics = &metrics_});
    test::RecordingHandler got;
    pgoutput::Assembler streamed(resolver, got, {});
    while (true) {
      const absl::StatusOr<WalFrame> frame = source.Next();
      ASSERT_TRUE(frame.ok()) << "seed " << seed << ": " << frame.status();
      if (frame->kind == WalFrame::Kind::kNone) break;
      if (frame->kind != WalFrame::Kind::kData) continue;
      const absl::Status assembled = streamed.OnMessage(frame->start, frame->payload);
      ASSERT_TRUE(assembled.ok()) << "seed " << seed << ": " << assembled;
    }
    ASSERT_EQ(absl::StrJoin(got.log, "\n"), absl::StrJoin(expected.log, "\n")) << "seed " << seed;
    for (size_t i = 0; i < expected.changes.size(); ++i)
      ASSERT_EQ(TextOf(got.changes[i]), TextOf(expected.changes[i])) << "seed " << seed;
    for (size_t i = 0; i < expected.begins.size(); ++i)
      ASSERT_EQ(got.begins[i].begin_lsn, expected.begins[i].begin_lsn) << "seed " << seed;
    ASSERT_EQ(streamed.position(), plain.position()) << "seed " << seed;
    ASSERT_EQ(disk_.files, 0u) << "seed " << seed;
  }
  EXPECT_GT(blocks, 10'000);
}

}  // namespace
}  // namespace walduct::slot
