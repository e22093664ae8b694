#include "engine/start/start_position.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "replication/options.h"

namespace walduct::engine {
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
    return JudgeStart(
        {.stored = &stored_, .slot = &slot_, .system = system_, .strategy = strategy});
  }

  std::optional<offset::StoredOffset> stored_;
  std::optional<replication::SlotState> slot_;
  replication::SystemIdentity system_;
};

TEST_F(StartPosition, NothingStoredAndNoSlotLeavesThePositionOpen) {
  const auto verdict = Judge();
  ASSERT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict->available.ok());
  EXPECT_FALSE(verdict->position.has_value());
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

TEST_F(StartPosition, RST_13_SlotMovedPastTheStoredPositionIsNotResumedInSilence) {
  Store(500);
  Slot(400, 600);
  EXPECT_EQ(ErrorReason(Judge()->available), "position_skipped");
  EXPECT_EQ(ErrorReason(Judge(replication::OffsetMismatch::kTrustOffset)->available),
            "position_skipped");
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
  EXPECT_EQ(ErrorReason(Judge().status()), "position_ahead");
}

TEST_F(StartPosition, FAIL_18_AnotherServerIsRefused) {
  Store(500, "8000");
  Slot(300, 400);
  EXPECT_EQ(ErrorReason(Judge().status()), "system_mismatch");
}

TEST_F(StartPosition, RST_18_AnOffsetOfDebeziumHasNoIdentityToCheck) {
  Store(500, "");
  Slot(300, 400);
  EXPECT_TRUE(Judge().ok());
}

}  // namespace
}  // namespace walduct::engine
