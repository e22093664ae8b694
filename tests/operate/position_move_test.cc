#include "operate/commands/position_move.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/match.h"
#include "base/error.h"

namespace walduct::operate {
namespace {

class PositionMove : public testing::Test {
 protected:
  PositionMove() {
    facts_.slot_name = "shop";
    facts_.slot.emplace();
    facts_.slot->restart_lsn = Lsn(100);
    facts_.slot->confirmed_flush_lsn = Lsn(200);
    facts_.wal_end = Lsn(1000);
    Store(500);
  }

  void Store(uint64_t commit_end) {
    facts_.stored.emplace();
    facts_.stored->position.commit_end = Lsn(commit_end);
  }

  std::string Reason(uint64_t to) {
    facts_.to = Lsn(to);
    return ErrorReason(JudgeMove(facts_).status());
  }

  void ExpectReport(absl::string_view words) {
    const auto report = JudgeMove(facts_);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(absl::StrContains(*report, words)) << *report;
  }

  MoveFacts facts_;
};

TEST_F(PositionMove, BackIsPublishedAgain) {
  facts_.to = Lsn(300);
  ExpectReport("200 bytes of WAL (0/12C to 0/1F4) is published again");
  ExpectReport("position was 0/1F4; is now 0/12C\n");
}

TEST_F(PositionMove, OnLosesChanges) {
  EXPECT_EQ(Reason(501), "move_loses_changes");
  facts_.accept_loss = true;
  EXPECT_EQ(Reason(501), "");
}

TEST_F(PositionMove, WhatNobodyCanReadIsForgottenOrReplacedOnceThatIsAccepted) {
  facts_.stored.reset();
  facts_.unreadable = true;
  EXPECT_EQ(Reason(300), "move_loses_changes");
  facts_.accept_loss = true;
  ExpectReport("position was not readable; is now 0/12C\nthe stored position is not readable");
  facts_.to.reset();
  facts_.accept_loss = false;
  EXPECT_EQ(ErrorReason(JudgeMove(facts_).status()), "move_loses_changes");
  facts_.accept_loss = true;
  ExpectReport("changed before 0/C8 is not known");
  ExpectReport("the stream goes on where replication slot shop stands, at 0/C8\n");
  facts_.slot.reset();
  ExpectReport("changed before the next start is not known");
}

TEST_F(PositionMove, WhatComesFromElsewhereSaysWhatItMeans) {
  std::optional<offset::StoredOffset> wanted(std::in_place);
  const auto means = [&](uint64_t to) {
    wanted->position.commit_end = Lsn(to);
    const auto lines = JudgeImport(facts_, wanted);
    return lines.ok() ? *lines : ErrorReason(lines.status());
  };
  using testing::HasSubstr;
  EXPECT_EQ(means(1001), "position_ahead");
  EXPECT_THAT(means(501), HasSubstr("1 bytes of WAL (0/1F4 to 0/1F5) is not published by this "
                                    "connector: right if the process that the position comes from "
                                    "has published it\n"));
  EXPECT_THAT(means(300), HasSubstr("is published again"));
  wanted->position.snapshot = event::SnapshotPhase::kRunning;
  EXPECT_THAT(means(300), HasSubstr("the next start takes the snapshot again"));
  EXPECT_THAT(means(199), HasSubstr("the next start takes the snapshot again"));
  facts_.slot.reset();
  wanted.reset();
  const auto none = JudgeImport(facts_, wanted);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT(*none, HasSubstr("replication slot shop does not exist: what was deleted since"));
}

// A script goes by the exit code: what no start goes on from is stored where that is accepted.
TEST_F(PositionMove, WhatNoStartGoesOnFromIsImportedOnceThatIsAccepted) {
  std::optional<offset::StoredOffset> wanted(std::in_place);
  wanted->position.commit_end = Lsn(199);
  const auto expect = [&](const std::string& reason, const std::string& words) {
    facts_.accept_loss = false;
    const absl::Status refused = JudgeImport(facts_, wanted).status();
    EXPECT_EQ(ErrorReason(refused), reason) << refused;
    EXPECT_THAT(std::string(refused.message()),
                testing::StartsWith("nothing is changed: no start can go on from there: " + words));
    EXPECT_THAT(ErrorHint(refused), testing::HasSubstr("repeat the command with --accept-loss"));
    facts_.accept_loss = true;
    const auto report = JudgeImport(facts_, wanted);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_THAT(*report, testing::StartsWith("no start can go on from there: " + words));
  };
  expect("position_skipped", "replication slot shop stands at 0/C8");
  facts_.slot->wal_status = "lost";
  expect("slot_lost", "replication slot shop has lost its WAL");
  facts_.slot.reset();
  expect("position_lost", "replication slot shop does not exist");
  facts_.of_other_server = true;
  expect("system_mismatch", "it is the position of another server");
  facts_.of_other_server = false;
  facts_.slot.emplace().restart_lsn = Lsn(100);
  wanted->position.commit_end = Lsn(1001);
  EXPECT_EQ(ErrorReason(JudgeImport(facts_, wanted).status()), "position_ahead");
}

// With snapshot.mode=when_needed.
TEST_F(PositionMove, WhereAStartTakesASnapshotAnImportSaysThat) {
  std::optional<offset::StoredOffset> wanted(std::in_place);
  wanted->position.commit_end = Lsn(199);
  facts_.fills_gaps = true;
  const auto expect = [&](const std::string& reason, const std::string& words) {
    facts_.accept_loss = false;
    const absl::Status refused = JudgeImport(facts_, wanted).status();
    EXPECT_EQ(ErrorReason(refused), reason) << refused;
    EXPECT_THAT(std::string(refused.message()),
                testing::HasSubstr("the next start takes a snapshot"));
    EXPECT_THAT(ErrorHint(refused), testing::HasSubstr("repeat the command with --accept-loss"));
    facts_.accept_loss = true;
    const auto report = JudgeImport(facts_, wanted);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(*report,
              "by snapshot.mode the next start takes a snapshot, every row of every table is "
              "published again, for nothing can be streamed from 0/C7 on: " +
                  words + "; what was deleted since is never told\n");
  };
  expect("position_skipped",
         "replication slot shop stands at 0/C8: the server sends nothing before that");
  facts_.holds_slot = true;
  expect("position_skipped",
         "replication slot shop stands at 0/C8: the server sends nothing before that");
  facts_.holds_slot = false;
  facts_.slot->wal_status = "lost";
  expect("slot_lost", "replication slot shop has lost its WAL");
  facts_.slot.reset();
  expect("position_lost", "replication slot shop does not exist");
  const auto said = [&] { return *JudgeImport(facts_, wanted); };
  facts_.holds_slot = true;
  EXPECT_THAT(said(), testing::StartsWith(std::string(kNoStart)));
  facts_.holds_slot = false;
  facts_.of_other_server = true;
  EXPECT_THAT(said(), testing::StartsWith(std::string(kNoStart))) << "a start refuses that server";
}

// As a start does: offset.mismatch.strategy says that the slot is right.
TEST_F(PositionMove, WhereAStartTrustsTheSlotAnImportDoes) {
  std::optional<offset::StoredOffset> wanted(std::in_place);
  wanted->position.commit_end = Lsn(100);
  const auto means = [&] {
    const auto lines = JudgeImport(facts_, wanted);
    return lines.ok() ? *lines : ErrorReason(lines.status());
  };
  EXPECT_EQ(means(), "position_skipped");
  facts_.trusts_slot = true;
  EXPECT_EQ(means(),
            "by offset.mismatch.strategy the next start goes on where replication slot shop "
            "stands, at 0/C8: what was committed in 100 bytes of WAL (0/64 to 0/C8) is never "
            "published\n");
  facts_.of_other_server = true;
  EXPECT_EQ(means(), "system_mismatch") << "pg_upgrade made nothing of it";
  facts_.upgraded = true;
  EXPECT_THAT(means(), testing::HasSubstr("at 0/C8, and nothing lies in between"));
  wanted->slot_held = true;
  EXPECT_EQ(means(), "system_mismatch") << "its slot had been lost";
  wanted->slot_held = false;
  facts_.trusts_slot = false;
  EXPECT_EQ(means(), "system_mismatch");
  facts_.of_other_server = facts_.upgraded = false;
  facts_.trusts_slot = true;
  facts_.slot.reset();
  EXPECT_EQ(means(), "position_lost");
}

// Nothing is confirmed to it that was not published and stored.
TEST_F(PositionMove, WhereTheSlotStandsNothingIsLeftOutOfWhatNobodyCanRead) {
  facts_.stored.reset();
  facts_.unreadable = true;
  EXPECT_EQ(Reason(200), "move_loses_changes") << "it may be a snapshot that has just begun";
  facts_.slot->used = true;
  EXPECT_EQ(Reason(201), "move_loses_changes");
  facts_.to = Lsn(200);
  ExpectReport("nothing is left out; what was not confirmed to the slot comes again");
  facts_.may_repeat_it = true;
  EXPECT_EQ(Reason(200), "move_loses_changes") << "rows of a snapshot that was repeated";
  facts_.may_repeat_it = false;
  facts_.slot->confirmed_flush_lsn = Lsn();
  EXPECT_EQ(Reason(100), "move_loses_changes") << "it is where its WAL begins";
}

TEST_F(PositionMove, WithoutAPositionTheSlotCounts) {
  facts_.stored.reset();
  EXPECT_EQ(Reason(200), "");
  EXPECT_EQ(Reason(201), "move_loses_changes");
}

TEST_F(PositionMove, WhereNoStartCouldGoOnIsRefusedWhateverIsAccepted) {
  facts_.accept_loss = true;
  EXPECT_EQ(Reason(199), "position_skipped");
  EXPECT_EQ(Reason(1001), "position_ahead");
  facts_.slot->wal_status = "lost";
  EXPECT_EQ(Reason(300), "slot_lost");
  facts_.slot.reset();
  EXPECT_EQ(Reason(300), "position_lost");
  facts_.of_other_server = true;
  EXPECT_EQ(Reason(300), "system_mismatch");
}

// As a rule it is that of another connector of this name, which runs.
TEST_F(PositionMove, ThePositionOfAnotherServerIsForgottenOnceItIsKnownWhoseItIs) {
  facts_.of_other_server = true;
  facts_.system = "7000";
  facts_.stored->system_identifier = "8000";
  facts_.stored->position.commit_time_us = 1'767'225'600'000'000;
  facts_.foreign = facts_.stored;
  facts_.accept_loss = true;
  const absl::Status refused = JudgeMove(facts_).status();
  EXPECT_EQ(ErrorReason(refused), "system_mismatch");
  EXPECT_EQ(refused.message(),
            "nothing is changed: the stored position 0/1F4, committed at 2026-01-01 00:00:00 UTC, "
            "belongs to the server with system identifier 8000, and database.hostname leads to "
            "7000");
  EXPECT_THAT(ErrorHint(refused),
              testing::AllOf(testing::HasSubstr("give this one another name. Where nobody"),
                             testing::HasSubstr("repeat the command with --accept-foreign")));
  facts_.accept_loss = false;
  facts_.accept_foreign = true;
  ExpectReport("not published yet, is never told");
  EXPECT_EQ(Reason(300), "system_mismatch") << "LSNs of two servers cannot be compared";
}

TEST_F(PositionMove, NoImportReplacesThePositionOfAnotherServer) {
  facts_.system = "7000";
  facts_.foreign = std::exchange(facts_.stored, std::nullopt);
  facts_.foreign->system_identifier = "8000";
  facts_.accept_loss = true;
  std::optional<offset::StoredOffset> wanted(std::in_place);
  wanted->position.commit_end = Lsn(300);
  const absl::Status refused = JudgeImport(facts_, wanted).status();
  EXPECT_EQ(ErrorReason(refused), "system_mismatch");
  EXPECT_THAT(std::string(refused.message()),
              testing::HasSubstr("the stored position 0/1F4 belongs to the server with system "
                                 "identifier 8000"));
  EXPECT_EQ(ErrorReason(JudgeImport(facts_, std::nullopt).status()), "system_mismatch")
      << "nor forgets it";
  facts_.accept_foreign = true;
  EXPECT_TRUE(JudgeImport(facts_, wanted).ok());
}

// Nothing lies between the position on the old server and where the new one's slot stands.
TEST_F(PositionMove, OnAnUpgradedServerTheSlotIsThePosition) {
  facts_.of_other_server = true;
  facts_.upgraded = true;
  facts_.stored->position.ordinal = 0;
  facts_.slot->confirmed_flush_lsn = Lsn(600);
  facts_.to = Lsn(600);
  ExpectReport("nothing is published again or left out");
  EXPECT_EQ(Reason(599), "position_skipped");
  EXPECT_EQ(Reason(601), "move_loses_changes");
}

TEST_F(PositionMove, WithoutAPositionNobodyKnowsWhatWasPublished) {
  facts_.stored.reset();
  facts_.to = replication::SlotLsn(*facts_.slot);
  ExpectReport("what was not confirmed to the slot comes again");
}

TEST_F(PositionMove, TheSamePlaceInATransaction) {
  facts_.to = Lsn(500);
  ExpectReport("nothing is published again");
  facts_.stored->position.ordinal = 7;
  ExpectReport("7 changes of the transaction after it are published again");
}

TEST_F(PositionMove, ASnapshotThatWasCutShort) {
  facts_.stored->position.snapshot = event::SnapshotPhase::kRunning;
  EXPECT_EQ(Reason(300), "move_loses_changes");
}

TEST_F(PositionMove, ForgottenWithItsSlot) {
  ExpectReport("every row of every table is published again");
  ExpectReport("the stream goes on where replication slot shop stands, at 0/C8");
  facts_.takes_snapshot = false;
  ExpectReport("300 bytes of WAL (0/C8 to 0/1F4) is published again");
  facts_.stored->members["incremental_snapshot_collections"] = "[]";
  ExpectReport("send its signal again");
}

TEST_F(PositionMove, ForgottenBehindWhereItsSlotStands) {
  facts_.slot->confirmed_flush_lsn = Lsn(600);
  EXPECT_EQ(ErrorReason(JudgeMove(facts_).status()), "move_loses_changes");
  facts_.accept_loss = true;
  ExpectReport("what was deleted in 100 bytes of WAL (0/1F4 to 0/258) is never told\n");
  facts_.reads_back = true;
  ExpectReport("is never told, unless walduct recover read compares the tables with the topics");
}

TEST_F(PositionMove, ForgottenWithoutItsSlot) {
  facts_.slot.reset();
  EXPECT_EQ(ErrorReason(JudgeMove(facts_).status()), "move_loses_changes");
  facts_.accept_loss = true;
  ExpectReport("what was deleted since 0/1F4 is never told\n");
  facts_.reads_back = true;
  ExpectReport("is never told, unless walduct recover read compares the tables with the topics");
  facts_.stored.reset();
  facts_.accept_loss = false;
  ExpectReport("position was none; is now none");
}

TEST_F(PositionMove, ForgottenWithALostSlot) {
  facts_.slot->wal_status = "lost";
  EXPECT_EQ(ErrorReason(JudgeMove(facts_).status()), "move_loses_changes");
  facts_.accept_loss = true;
  EXPECT_TRUE(DropsSlot(facts_));
  ExpectReport("replication slot shop, which had lost its WAL, is dropped");
  facts_.slot->wal_status = "reserved";
  facts_.slot->invalidation_reason = "idle_timeout";
  EXPECT_TRUE(DropsSlot(facts_));
  facts_.to = Lsn(300);
  EXPECT_FALSE(DropsSlot(facts_)) << "only what forgets the position";
}

TEST_F(PositionMove, ForgottenAndItsSlotDropped) {
  EXPECT_FALSE(DropsSlot(facts_));
  facts_.drops_slot = true;
  EXPECT_EQ(ErrorReason(JudgeMove(facts_).status()), "move_loses_changes");
  facts_.stored.reset();
  EXPECT_EQ(ErrorReason(JudgeMove(facts_).status()), "move_loses_changes") << "what it still has";
  facts_.accept_loss = true;
  EXPECT_TRUE(DropsSlot(facts_));
  ExpectReport("replication slot shop is dropped");
}

TEST_F(PositionMove, ForgottenOfAnotherServer) {
  facts_.of_other_server = true;
  EXPECT_EQ(ErrorReason(JudgeMove(facts_).status()), "move_loses_changes");
}

TEST(MovedSlot, OfSeveralOneIsNamed) {
  EXPECT_TRUE(CheckMovedSlot(0, 1).ok());
  EXPECT_TRUE(CheckMovedSlot(1, 1).ok());
  EXPECT_TRUE(CheckMovedSlot(3, 3).ok());
  for (const auto& [slot, slots] : {std::pair(0, 3), std::pair(4, 3), std::pair(2, 1)})
    EXPECT_TRUE(absl::IsInvalidArgument(CheckMovedSlot(slot, slots))) << slot << " of " << slots;
  EXPECT_NE(CheckMovedSlot(0, 3).message().find("--slot NUMBER, from 1 to 3"), std::string::npos);
  EXPECT_NE(CheckMovedSlot(2, 1).message().find("has one slot"), std::string::npos);
}

TEST(PositionMoveTest, OutboxTablesThatArePolledHaveNoSlotAndNoLsn) {
  MoveFacts facts = {.slot_name = "debezium", .system = "7", .polls = true};
  facts.stored.emplace().system_identifier = "7";
  const auto again = JudgeMove(facts);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_THAT(*again, testing::HasSubstr("all rows that the outbox tables have"));
  EXPECT_THAT(*again, testing::Not(testing::HasSubstr("slot")));
  facts.takes_snapshot = false;
  EXPECT_EQ(ErrorReason(JudgeMove(facts).status()), "move_loses_changes");
  facts.accept_loss = true;
  EXPECT_TRUE(JudgeMove(facts).ok());
  facts.foreign = facts.stored;
  EXPECT_EQ(ErrorReason(JudgeMove(facts).status()), "system_mismatch");
  facts.foreign.reset();
  facts.to = Lsn{16};
  EXPECT_EQ(ErrorReason(JudgeMove(facts).status()), "no_position");
}

}  // namespace
}  // namespace walduct::operate
