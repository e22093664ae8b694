#include "slot/start/start_position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "engine/errors/named_hint.h"
#include "replication/options.h"

namespace walduct::slot {
namespace {

class StartPosition : public testing::Test {
 protected:
  StartPosition() {
    system_.system_identifier = "7000";
    system_.timeline = 1;
    system_.wal_end = Lsn(1000);
  }

  void Store(uint64_t commit_end, const std::string& system_identifier = "7000") {
    stored_.emplace();
    stored_->position.commit_end = Lsn(commit_end);
    stored_->position.ordinal = 3;
    stored_->system_identifier = system_identifier;
  }

  void Slot(uint64_t restart, uint64_t confirmed) {
    slot_.emplace();
    slot_->restart_lsn = Lsn(restart);
    slot_->confirmed_flush_lsn = Lsn(confirmed);
  }

  absl::StatusOr<StartVerdict> Judge(
      replication::OffsetMismatch strategy = replication::OffsetMismatch::kNoValidation) {
    server_.system = system_;
    server_.slot = slot_ ? replication::SlotLsn(*slot_) : Lsn();
    return JudgeStart(
        {.stored = &stored_, .slot = &slot_, .server = server_, .strategy = strategy});
  }

  std::optional<offset::StoredOffset> stored_;
  std::optional<replication::SlotState> slot_;
  replication::SystemIdentity system_;
  ServerHistory server_;
};

TEST_F(StartPosition, NothingStoredAndNoSlotLeavesThePositionOpen) {
  const auto verdict = Judge();
  ASSERT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict->available.ok());
  EXPECT_FALSE(verdict->position.has_value());
}

// Of several slots neither a backup nor the topics give the gap back.
TEST_F(StartPosition, BehindASlotThatIsHeldItSaysWhatCanBeTyped) {
  Slot(300, 400);
  Store(350);
  stored_->slot_held = true;
  for (const int slots : {1, 3}) {
    stored_->slots = slots;
    const auto verdict = Judge();
    ASSERT_TRUE(verdict.ok());
    EXPECT_EQ(ErrorReason(verdict->available), "lost_slot_held");
    const std::string hint = ErrorHint(verdict->available);
    EXPECT_THAT(hint, testing::HasSubstr("(walduct offsets reset)"));
    EXPECT_EQ(hint.find("walduct recover") == std::string::npos, slots > 1) << hint;
  }
}

TEST_F(StartPosition, ThatOfPolledTablesIsNone) {
  Slot(300, 400);
  Store(350);
  ASSERT_TRUE(Judge().ok());
  stored_->members[event::kOutboxMember] = R"("{\"t\":{\"seen\":\"1:1:\"}}")";
  EXPECT_EQ(ErrorReason(Judge().status()), "outbox_position_lost");
}

TEST_F(StartPosition, RST_11_OffsetsLostStartAtTheSlot) {
  Slot(300, 400);
  EXPECT_EQ(Judge()->position->commit_end, Lsn(400));
}

TEST_F(StartPosition, HalfCreatedSlotFallsBackToItsRestartLsn) {
  Slot(300, 0);
  EXPECT_EQ(Judge()->position->commit_end, Lsn(300));
}

TEST_F(StartPosition, RST_14_StoredBeyondTheSlotResumesAtTheStoredPositionWithItsOrdinal) {
  Store(500);
  Slot(300, 400);
  const auto verdict = Judge();
  ASSERT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict->available.ok());
  EXPECT_EQ(verdict->position->commit_end, Lsn(500));
  EXPECT_EQ(verdict->position->ordinal, 3u);
}

TEST_F(StartPosition, RST_12_MissingSlotMakesThePositionUnavailable) {
  Store(500);
  const auto verdict = Judge();
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(ErrorReason(verdict->available), "position_lost");
}

TEST_F(StartPosition, AMissingSlotIsToldWithTheOneThatThePositionWasReadFrom) {
  Store(500);
  stored_->slot_name = "shop";
  const std::string message(Judge()->available.message());
  EXPECT_NE(message.find("the replication slot does not exist; the position was read from "
                         "replication slot \"shop\""),
            std::string::npos)
      << message;
}

TEST_F(StartPosition, RST_13_SlotMovedPastTheStoredPositionIsNotResumedInSilence) {
  Store(500);
  Slot(400, 600);
  EXPECT_EQ(ErrorReason(Judge()->available), "position_skipped");
  EXPECT_EQ(ErrorReason(Judge(replication::OffsetMismatch::kTrustOffset)->available),
            "position_skipped");
  // What was done to it nobody can see.
  const absl::Status skipped = Judge()->available;
  EXPECT_NE(skipped.message().find("stands beyond it, at 0/258"), std::string::npos) << skipped;
  EXPECT_NE(skipped.message().find("Perhaps another client"), std::string::npos) << skipped;
  for (const char* const way :
       {"walduct offsets import NAME FILE", "walduct offsets set NAME 0/258 --accept-loss",
        "snapshot.mode=when_needed"})
    EXPECT_NE(ErrorHint(skipped).find(way), std::string::npos) << way;
}

TEST_F(StartPosition, RST_13_TrustSlotStartsAtTheSlot) {
  Store(500);
  Slot(400, 600);
  for (const auto strategy :
       {replication::OffsetMismatch::kTrustSlot, replication::OffsetMismatch::kTrustGreaterLsn}) {
    const auto verdict = Judge(strategy);
    ASSERT_TRUE(verdict.ok());
    EXPECT_TRUE(verdict->available.ok());
    EXPECT_EQ(verdict->position->commit_end, Lsn(600));
    EXPECT_EQ(verdict->position->ordinal, 0u);
  }
}

TEST_F(StartPosition, RST_16_StoredBeyondTheServersEndIsRefused) {
  Store(2000);
  Slot(300, 400);
  const absl::Status ahead = Judge()->available;
  EXPECT_EQ(ErrorReason(ahead), "position_ahead");
  EXPECT_NE(ahead.message().find("perhaps the server was restored"), std::string::npos) << ahead;
  EXPECT_NE(ErrorHint(ahead).find("walduct offsets import NAME FILE"), std::string::npos) << ahead;
  EXPECT_NE(ErrorHint(ahead).find("walduct offsets set NAME 0/190 goes on where the slot stands;"),
            std::string::npos)
      << ahead;
  // A snapshot would have to be followed from where the slot stands.
  EXPECT_EQ(Judge()->position->commit_end, Lsn(400));
  for (const auto strategy :
       {replication::OffsetMismatch::kTrustSlot, replication::OffsetMismatch::kTrustGreaterLsn})
    EXPECT_EQ(ErrorReason(Judge(strategy)->available), "position_ahead");
}

TEST_F(StartPosition, RST_16_AServerOnceSeenBehindIsRefusedAlsoWhenItsWalHasGrown) {
  Store(500);
  stored_->seen_behind = Lsn(400);
  Slot(300, 400);
  EXPECT_EQ(ErrorReason(Judge()->available), "position_ahead");
  // The server that was meant all along: its slot has gone on.
  Slot(300, 450);
  EXPECT_TRUE(Judge()->available.ok());
}

TEST_F(StartPosition, ATransactionThatIsYetToComeGivesARestoredServerAway) {
  Store(500);
  Slot(300, 400);
  stored_->position.xid = 700;
  server_.next_xid = 701;
  EXPECT_TRUE(Judge()->available.ok());
  server_.next_xid = 700;
  EXPECT_EQ(ErrorReason(Judge()->available), "position_ahead");
  // Ids of 32 bits come round; the server's have an epoch.
  stored_->position.xid = 4'294'967'290;
  server_.next_xid = 4'294'967'296 + 5;
  EXPECT_TRUE(Judge()->available.ok());
}

TEST_F(StartPosition, AStandbyMayBeBehind) {
  Store(2000);
  Slot(300, 400);
  server_.in_recovery = true;
  EXPECT_TRUE(Judge()->available.ok());
}

class Failover : public StartPosition {
 protected:
  Failover() {
    system_.timeline = 3;
    server_.timelines = {{.timeline = 1, .end = Lsn(500)}, {.timeline = 2, .end = Lsn(800)}};
    Slot(300, 400);
  }
  void StoreOn(uint32_t timeline, uint64_t commit_end) {
    Store(commit_end);
    stored_->timeline = timeline;
    stored_->position.ordinal = 0;
  }
};

TEST_F(Failover, FAIL_18_BeforeTheForkThePositionIsGood) {
  for (const auto& [timeline, position] : {std::pair(1, 500), std::pair(2, 800)}) {
    StoreOn(timeline, position);
    const auto verdict = Judge();
    ASSERT_TRUE(verdict.ok());
    EXPECT_TRUE(verdict->available.ok()) << verdict->available;
    EXPECT_EQ(verdict->position->commit_end, Lsn(position));
  }
}

TEST_F(Failover, FAIL_18_BehindTheForkItIsRefusedWithBothPositions) {
  for (const auto& [timeline, position] : {std::pair(1, 501), std::pair(2, 801)}) {
    StoreOn(timeline, position);
    const absl::Status why = Judge()->available;
    EXPECT_EQ(ErrorReason(why), "position_diverged");
    EXPECT_NE(why.message().find(Lsn(position).ToString()), std::string::npos) << why;
    EXPECT_NE(why.message().find(timeline == 1 ? "0/1F4" : "0/320"), std::string::npos) << why;
    EXPECT_NE(ErrorHint(why).find("when_needed"), std::string::npos);
    EXPECT_EQ(Judge(replication::OffsetMismatch::kTrustSlot)->available, why);
  }
}

TEST_F(Failover, ATransactionThatReachesOverTheForkWasPublishedInPart) {
  StoreOn(1, 500);
  stored_->position.ordinal = 2;
  stored_->position.transaction_final_lsn = Lsn(600);
  EXPECT_EQ(ErrorReason(Judge()->available), "position_diverged");
}

TEST_F(Failover, RowsReadBehindTheForkWerePublishedThoughThePositionIsBeforeIt) {
  StoreOn(1, 400);
  stored_->snapshot_seen = Lsn(450);
  EXPECT_TRUE(Judge()->available.ok());
  stored_->snapshot_seen = Lsn(501);
  const absl::Status available = Judge()->available;
  EXPECT_EQ(ErrorReason(available), "position_diverged");
  EXPECT_NE(available.message().find(
                "shows the database at 0/1F5 on timeline 1, which is not in the history"),
            std::string::npos)
      << available;
}

TEST_F(Failover, ATimelineThatTheServerNeverWasOnIsRefused) {
  StoreOn(4, 100);
  EXPECT_EQ(ErrorReason(Judge()->available), "position_diverged");
}

TEST_F(Failover, APositionWithoutTimelineIsJudgedByTheEndOfTheWalAlone) {
  Store(900);
  EXPECT_TRUE(Judge()->available.ok());
  Store(1001);
  EXPECT_EQ(ErrorReason(Judge()->available), "position_ahead");
}

TEST_F(StartPosition, AnInterruptedSnapshotIsTakenAgainWhateverTheStrategy) {
  Store(500);
  stored_->position.snapshot = event::SnapshotPhase::kRunning;
  Slot(400, 600);
  for (const auto strategy :
       {replication::OffsetMismatch::kNoValidation, replication::OffsetMismatch::kTrustSlot,
        replication::OffsetMismatch::kTrustGreaterLsn}) {
    const auto verdict = Judge(strategy);
    ASSERT_TRUE(verdict.ok());
    EXPECT_TRUE(verdict->available.ok());
    EXPECT_EQ(verdict->position->commit_end, Lsn(600));
  }
}

TEST_F(StartPosition, FAIL_18_AnotherServerIsRefused) {
  Store(500, "8000");
  Slot(300, 400);
  const absl::Status refused = Judge().status();
  EXPECT_EQ(ErrorReason(refused), "system_mismatch");
  // Who erases it at once may erase that of a connector that runs; the way back ends with a start.
  const std::string hint = ErrorHint(refused);
  EXPECT_THAT(hint, testing::StartsWith("another connector of this name may use this offset store: "
                                        "then give this one another name. "));
  EXPECT_LT(hint.find("; then start again; "), hint.find("only if this server is meant"));
  engine::ConnectorNames names;
  names.connector = "shop";
  names.served = true;
  names.called = {.who = "shop", .where = "http://w:1", .name = "shop"};
  const std::string served = engine::NamedHint("system_mismatch", "", hint, names);
  const size_t restart = served.find("; then walduct restart shop --url http://w:1;");
  ASSERT_NE(restart, std::string::npos) << served;
  // Without the second flag it would be refused.
  EXPECT_LT(restart, served.find("walduct offsets reset shop --accept-loss --accept-foreign --url "
                                 "http://w:1, which starts it again"));
}

TEST_F(StartPosition, RST_18_AnOffsetOfDebeziumHasNoIdentityToCheck) {
  Store(500, "");
  Slot(300, 400);
  EXPECT_TRUE(Judge().ok());
}

}  // namespace
}  // namespace walduct::slot
