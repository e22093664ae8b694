// A server with another system identifier than the position's: which of them pg_upgrade has made
// of the position's own, and which go on being refused.
#include "slot/start/upgraded_server.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "slot/start/start_position.h"

namespace walduct::slot {
namespace {

using replication::OffsetMismatch;

constexpr uint64_t kSegment = 16 << 20;

std::string MadeAt(uint64_t seconds) { return std::to_string(seconds << 32 | 4711); }

class UpgradedServer : public testing::Test {
 protected:
  // As it was seen with 17 and 18.
  UpgradedServer() {
    stored_.emplace();
    stored_->position.commit_end = Lsn(0x7000148);
    stored_->position.xid = 755;
    stored_->position.commit_time_us = 42;
    stored_->system_identifier = MadeAt(1'700'000'000);
    stored_->timeline = 3;
    slot_.emplace();
    slot_->restart_lsn = Lsn(0x80000D8);
    slot_->confirmed_flush_lsn = Lsn(0x8000110);
    server_.system = {
        .system_identifier = MadeAt(1'700'000'900), .timeline = 1, .wal_end = Lsn(0x8001000)};
    server_.next_xid = 900;
    traces_ = {.server_version = 180006, .wal_segment_bytes = kSegment, .oldest_definition = 756};
  }

  absl::StatusOr<StartVerdict> Judge(OffsetMismatch strategy) {
    server_.slot = slot_ ? replication::SlotLsn(*slot_) : Lsn();
    return JudgeStart({.stored = &stored_,
                       .slot = &slot_,
                       .server = server_,
                       .strategy = strategy,
                       .traces = traces_});
  }
  std::string Reason(OffsetMismatch strategy) { return ErrorReason(Judge(strategy).status()); }
  // Neither alone nor by word of somebody.
  void ExpectRefused(absl::string_view why) {
    EXPECT_EQ(Reason(OffsetMismatch::kNoValidation), "system_mismatch") << why;
    EXPECT_EQ(Reason(OffsetMismatch::kTrustSlot), "system_mismatch") << why;
    EXPECT_NE(Judge(OffsetMismatch::kTrustSlot).status().message().find(why), std::string::npos)
        << Judge(OffsetMismatch::kTrustSlot).status();
  }

  std::optional<offset::StoredOffset> stored_;
  std::optional<replication::SlotState> slot_;
  ServerHistory server_;
  std::optional<replication::UpgradeTraces> traces_;
};

TEST_F(UpgradedServer, SaysWhatItLooksLikeAndGoesOnAtTheSlotByWordOfWhoeverKnows) {
  for (const auto strategy : {OffsetMismatch::kNoValidation, OffsetMismatch::kTrustOffset}) {
    const absl::Status status = Judge(strategy).status();
    EXPECT_EQ(ErrorReason(status), "server_upgraded");
    EXPECT_NE(status.message().find("0/8000110"), std::string::npos) << status;
    EXPECT_NE(ErrorHint(status).find("offset.mismatch.strategy=trust_slot"), std::string::npos);
  }
  const auto verdict = Judge(OffsetMismatch::kTrustSlot);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_TRUE(verdict->available.ok());
  EXPECT_EQ(verdict->position->commit_end, Lsn(0x8000110));
  EXPECT_EQ(verdict->position->xid, 755u);
  EXPECT_EQ(verdict->position->ordinal, 0u);
}

TEST_F(UpgradedServer, WithoutTracesItIsAnotherServer) {
  traces_.reset();
  EXPECT_EQ(Reason(OffsetMismatch::kNoValidation), "system_mismatch");
  EXPECT_EQ(Reason(OffsetMismatch::kTrustSlot), "system_mismatch");
}

TEST_F(UpgradedServer, ASnapshotThatWasCutShortBeginsAgainThere) {
  stored_->position.snapshot = event::SnapshotPhase::kRunning;
  EXPECT_EQ(Reason(OffsetMismatch::kNoValidation), "server_upgraded");
  EXPECT_EQ(Judge(OffsetMismatch::kTrustSlot)->position->commit_end, Lsn(0x8000110));
}

TEST_F(UpgradedServer, TransactionIdsComeRound) {
  stored_->position.xid = 4'294'967'290;
  server_.next_xid = (uint64_t{1} << 32) + 20;
  traces_->oldest_definition = 4'294'967'291;
  EXPECT_EQ(Reason(OffsetMismatch::kNoValidation), "server_upgraded");
  traces_->oldest_definition = 5;
  EXPECT_EQ(Reason(OffsetMismatch::kNoValidation), "server_upgraded");
  traces_->oldest_definition = 4'294'967'289;
  ExpectRefused("is older than transaction");
}

TEST_F(UpgradedServer, AStandbyOrAPromotedOneIsAnother) {
  server_.system.timeline = 2;
  ExpectRefused("it was promoted");
  server_.system.timeline = 1;
  server_.in_recovery = true;
  ExpectRefused("it is a standby");
}

TEST_F(UpgradedServer, APositionOnAStandbyIsThatOfAnotherSlot) {
  stored_->of_standby = true;
  ExpectRefused("of a standby");
}

TEST_F(UpgradedServer, OneThatIsOlderThanTheServerOfThePositionIsAnother) {
  server_.system.system_identifier = MadeAt(1'600'000'000);
  ExpectRefused("it was made before");
}

TEST_F(UpgradedServer, BeforeSeventeenSlotsAreNotKept) {
  traces_->server_version = 160010;
  ExpectRefused("from PostgreSQL 17 on");
  traces_->server_version = 180006;
  slot_.reset();
  ExpectRefused("does not exist");
}

TEST_F(UpgradedServer, ASlotThatIsNotBeyondThePositionIsAnothers) {
  for (const uint64_t position : {uint64_t{0x80000D8}, uint64_t{0x8000110}, uint64_t{0x9000000}}) {
    stored_->position.commit_end = Lsn(position);
    ExpectRefused("not beyond the position");
  }
  // Rows were read from a later view than the position.
  stored_->position.commit_end = Lsn(0x7000148);
  stored_->snapshot_seen = Lsn(0x8000200);
  ExpectRefused("not beyond the position");
}

// A slot made by hand, after a dump was restored, has the rest of a segment before it.
TEST_F(UpgradedServer, ASlotThatWasMadeLaterIsNotKeptByPgUpgrade) {
  slot_->restart_lsn = Lsn(0x8A00028);
  slot_->confirmed_flush_lsn = Lsn(0x8A00060);
  ExpectRefused("not where the WAL of an upgraded server begins");
}

TEST_F(UpgradedServer, ASlotThatWasMovedMayHavePassedOverChanges) {
  slot_->confirmed_flush_lsn = Lsn(0x9000028);
  ExpectRefused("not where the WAL of an upgraded server begins");
}

TEST_F(UpgradedServer, ASlotThatSomebodyHasReadIsNotTakenOver) {
  slot_->used = true;
  ExpectRefused("have been read");
}

TEST_F(UpgradedServer, ASlotThatWasMadeOnItIsNotTakenOver) {
  slot_->touched = true;
  ExpectRefused("since the server was started");
}

TEST_F(UpgradedServer, ATransactionThatWasUnderWayWasNotConfirmed) {
  stored_->position.ordinal = 2;
  ExpectRefused("within a transaction");
}

TEST_F(UpgradedServer, AServerThatHasNotComeToTheLastTransactionIsAnother) {
  server_.next_xid = 700;
  traces_->oldest_definition = 690;
  ExpectRefused("has not come to transaction 755");
}

TEST_F(UpgradedServer, TablesOlderThanTheLastTransactionAreNotThoseOfPgUpgrade) {
  traces_->oldest_definition = 740;
  ExpectRefused("is older than transaction 755");
}

}  // namespace
}  // namespace walduct::slot
