#include "delivery/settling/ack_tracker.h"

#include <gtest/gtest.h>

namespace walduct::delivery {
namespace {

event::Position At(uint64_t commit_end, uint64_t ordinal = 0) {
  return {.commit_end = Lsn(commit_end),
          .ordinal = ordinal,
          .transaction_final_lsn = Lsn(),
          .change_lsn = Lsn()};
}

// Writes one record and returns the ticket it went under.
uint64_t WriteOne(AckTracker* tracker) {
  const uint64_t ticket = tracker->NextTicket();
  tracker->OnWritten();
  return ticket;
}

TEST(AckTrackerTest, NothingIsSafeAtFirst) {
  const AckTracker tracker;
  EXPECT_FALSE(tracker.safe());
  EXPECT_TRUE(tracker.idle());
}

TEST(AckTrackerTest, KnowsTheOldestCommitInFlight) {
  AckTracker tracker;
  WriteOne(&tracker);  // of no transaction
  EXPECT_EQ(tracker.oldest_commit_us(), 0);
  tracker.OnAcknowledged(0, 1);
  tracker.SetCommitTime(1000);
  for (uint32_t i = 0; i < AckTracker::kMaxGroupRecords; ++i) WriteOne(&tracker);
  tracker.SetCommitTime(2000);
  WriteOne(&tracker);
  EXPECT_EQ(tracker.oldest_commit_us(), 1000);
  tracker.OnAcknowledged(0, AckTracker::kMaxGroupRecords - 1);
  EXPECT_EQ(tracker.oldest_commit_us(), 1000);
  tracker.OnAcknowledged(1, 2);
  EXPECT_EQ(tracker.oldest_commit_us(), 0);
  tracker.SetCommitTime(3000);
  WriteOne(&tracker);
  EXPECT_EQ(tracker.oldest_commit_us(), 3000) << "the group is empty, and begins anew";
}

TEST(AckTrackerTest, GroupsBehindOneThatIsNotAcknowledgedAreKnownApart) {
  AckTracker tracker;
  for (uint64_t row = 1; row <= 4; ++row) {
    WriteOne(&tracker);
    tracker.Advance(At(row));
    tracker.EndGroup();
  }
  tracker.OnAcknowledged(0, 1);
  tracker.OnAcknowledged(2, 1);
  tracker.OnAcknowledged(3, 1);
  EXPECT_EQ(tracker.safe(), At(1));
  EXPECT_EQ(tracker.acknowledged_apart(), (std::vector<event::Position>{At(3), At(4)}));
  tracker.OnAcknowledged(1, 1);
  EXPECT_EQ(tracker.safe(), At(4));
  EXPECT_TRUE(tracker.acknowledged_apart().empty());
}

TEST(AckTrackerTest, WhatIsBesideTheChangesIsAcknowledgedApart) {
  AckTracker tracker;
  const uint64_t change = WriteOne(&tracker);
  tracker.Advance(At(10));
  tracker.SetBeside(true);
  const uint64_t heartbeat = WriteOne(&tracker);
  tracker.SetBeside(false);
  tracker.Advance(At(10));
  EXPECT_FALSE(tracker.is_beside(change));
  EXPECT_TRUE(tracker.is_beside(heartbeat));
  EXPECT_FALSE(tracker.only_beside());
  const uint64_t next = WriteOne(&tracker);
  EXPECT_FALSE(tracker.is_beside(next)) << "no group has both";
  tracker.OnAcknowledged(heartbeat, 1);
  EXPECT_FALSE(tracker.safe());
  EXPECT_TRUE(tracker.acknowledged_apart().empty()) << "it is of no change";
  tracker.OnAcknowledged(change, 1);
  EXPECT_EQ(tracker.safe(), At(10));
  tracker.OnAcknowledged(next, 1);
  tracker.SetBeside(true);
  WriteOne(&tracker);
  EXPECT_TRUE(tracker.only_beside());
}

TEST(AckTrackerTest, WithNothingInFlightAPositionIsSafeAtOnce) {
  AckTracker tracker;
  tracker.Advance(At(10));
  EXPECT_EQ(tracker.safe(), At(10));
}

TEST(AckTrackerTest, APositionIsSafeOnlyOnceItsRecordsAreAcknowledged) {
  AckTracker tracker;
  const uint64_t ticket = WriteOne(&tracker);
  WriteOne(&tracker);
  tracker.Advance(At(10));
  tracker.OnAcknowledged(ticket, 1);
  EXPECT_FALSE(tracker.safe());
  EXPECT_EQ(tracker.in_flight_records(), 1u);
  tracker.OnAcknowledged(ticket, 1);
  EXPECT_EQ(tracker.safe(), At(10));
  EXPECT_TRUE(tracker.idle());
}

TEST(AckTrackerTest, ARecordWrittenAfterThePositionHoldsItBackButIsNotCoveredByIt) {
  AckTracker tracker;
  const uint64_t ticket = WriteOne(&tracker);
  tracker.Advance(At(10));
  WriteOne(&tracker);  // of the next change
  tracker.OnAcknowledged(ticket, 2);
  EXPECT_EQ(tracker.safe(), At(10));
}

TEST(AckTrackerTest, CON01_AnUnacknowledgedGroupHoldsBackAllThatFollow) {
  AckTracker tracker;
  uint64_t first = 0;
  for (uint32_t i = 0; i < AckTracker::kMaxGroupRecords; ++i) first = WriteOne(&tracker);
  tracker.Advance(At(10));
  const uint64_t second = WriteOne(&tracker);
  tracker.Advance(At(20));
  ASSERT_NE(first, second);
  tracker.OnAcknowledged(second, 1);
  EXPECT_FALSE(tracker.safe());
  tracker.OnAcknowledged(first, AckTracker::kMaxGroupRecords - 1);
  EXPECT_FALSE(tracker.safe());
  tracker.OnAcknowledged(first, 1);
  EXPECT_EQ(tracker.safe(), At(20));
}

TEST(AckTrackerTest, AFullGroupIsSafeBeforeTheNextIsAcknowledged) {
  AckTracker tracker;
  uint64_t first = 0;
  for (uint32_t i = 0; i < AckTracker::kMaxGroupRecords; ++i) first = WriteOne(&tracker);
  tracker.Advance(At(10));
  WriteOne(&tracker);
  tracker.Advance(At(20));
  tracker.OnAcknowledged(first, AckTracker::kMaxGroupRecords);
  EXPECT_EQ(tracker.safe(), At(10));
  EXPECT_EQ(tracker.in_flight_records(), 1u);
}

TEST(AckTrackerTest, ATicketThatFoundNoRoomIsGoodForTheNextAttempt) {
  AckTracker tracker;
  uint64_t first = 0;
  for (uint32_t i = 0; i < AckTracker::kMaxGroupRecords; ++i) first = WriteOne(&tracker);
  tracker.Advance(At(10));
  const uint64_t refused = tracker.NextTicket();  // a new group; the sink had no room
  tracker.OnAcknowledged(first, AckTracker::kMaxGroupRecords);
  EXPECT_EQ(tracker.NextTicket(), refused);
  tracker.OnWritten();
  tracker.Advance(At(20));
  EXPECT_EQ(tracker.safe(), At(10));
  tracker.OnAcknowledged(refused, 1);
  EXPECT_EQ(tracker.safe(), At(20));
}

TEST(AckTrackerTest, AFilteredChangeBehindRecordsInFlightWaitsForThem) {
  AckTracker tracker;
  uint64_t first = 0;
  for (uint32_t i = 0; i < AckTracker::kMaxGroupRecords; ++i) first = WriteOne(&tracker);
  tracker.NextTicket();     // an empty group is the last
  tracker.Advance(At(20));  // a change without records
  EXPECT_FALSE(tracker.safe());
  tracker.OnAcknowledged(first, AckTracker::kMaxGroupRecords);
  EXPECT_EQ(tracker.safe(), At(20));
}

TEST(AckTrackerTest, TicketsOfAcknowledgedGroupsAreNotGivenAgain) {
  AckTracker tracker;
  uint64_t last = 0;
  for (int round = 0; round < 5; ++round) {
    for (uint32_t i = 0; i < AckTracker::kMaxGroupRecords; ++i) {
      const uint64_t ticket = WriteOne(&tracker);
      if (round > 0 && i == 0) {
        EXPECT_GT(ticket, last);
      }
      last = ticket;
    }
    tracker.OnAcknowledged(last, AckTracker::kMaxGroupRecords);
  }
}

TEST(AckTrackerTest, RST_01_ARepeatedStretchDoesNotMoveTheSafePositionBack) {
  AckTracker tracker;
  tracker.Advance(At(30, 4));
  const uint64_t ticket = WriteOne(&tracker);
  tracker.Advance(At(20));
  tracker.OnAcknowledged(ticket, 1);
  EXPECT_EQ(tracker.safe(), At(30, 4));
}

TEST(AckTrackerTest, TheEndOfASnapshotReplacesItsRunningPosition) {
  AckTracker tracker;
  event::Position running = At(10);
  running.snapshot = event::SnapshotPhase::kRunning;
  tracker.Advance(running);
  event::Position completed = At(10);
  completed.snapshot = event::SnapshotPhase::kCompleted;
  tracker.Advance(completed);
  ASSERT_TRUE(tracker.safe());
  EXPECT_EQ(tracker.safe()->snapshot, event::SnapshotPhase::kCompleted);
}

}  // namespace
}  // namespace walduct::delivery
