#include "slot/duties/checkpointer.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace walduct::slot {
namespace {

class ManualClock final : public Clock {
 public:
  absl::Time Now() override { return absl::UnixEpoch() + now; }
  absl::Duration Monotonic() override { return now; }
  absl::Duration now = absl::Seconds(100);
};

class FakeStore final : public offset::OffsetStore {
 public:
  absl::StatusOr<std::optional<offset::StoredOffset>> Load() override { return std::nullopt; }
  absl::Status StartSave(const offset::StoredOffset& offset) override {
    started.push_back(offset);
    blocks();
    return start_answer;
  }
  std::optional<absl::Status> PollSave() override {
    ++polls;
    return answer;
  }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override { return absl::OkStatus(); }
  absl::Status Doubt() override {
    ++doubts;
    return there;
  }

  absl::Status there;
  int doubts = 0;
  std::vector<offset::StoredOffset> started;
  absl::Status start_answer;
  std::optional<absl::Status> answer = absl::OkStatus();
  std::function<void()> blocks = [] {};
  int polls = 0;
};

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

delivery::Milestone At(uint64_t lsn) {
  delivery::Milestone position;
  position.commit_end = Lsn(lsn);
  return position;
}

class CheckpointerTest : public testing::Test {
 protected:
  Checkpointer Make(std::optional<event::Position> stored = std::nullopt,
                    absl::Duration interval = absl::Seconds(10)) {
    offset::StoredOffset base;
    base.system_identifier = "7";
    base.timeline = 2;
    base.skip = skip_;
    return Checkpointer(
        {.store = &store_, .clock = &clock_, .interval = interval, .base = base, .board = &board_},
        stored);
  }
  std::optional<event::ChangeId> skip_;
  FakeStore store_;
  ManualClock clock_;
  engine::StatusBoard board_{"orders", clock_};
};

// offset.flush.interval.ms=0.
TEST_F(CheckpointerTest, AnIntervalOfZeroStoresAtEveryAcknowledgement) {
  Checkpointer checkpointer = Make(std::nullopt, absl::ZeroDuration());
  store_.blocks = [this] { clock_.now += absl::Milliseconds(20); };
  for (const uint64_t lsn : {uint64_t{5}, uint64_t{6}, uint64_t{7}}) {
    checkpointer.OnDelivered();
    EXPECT_TRUE(checkpointer.Turn(At(lsn)).ok());
    EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(lsn));
  }
  EXPECT_EQ(store_.started.size(), 3u);
  // Without deliveries the loop is not kept awake.
  EXPECT_EQ(checkpointer.next_due() - clock_.now,
            Checkpointer::kIdleInterval - absl::Milliseconds(20));
  EXPECT_TRUE(checkpointer.Turn(At(8)).ok());
  EXPECT_EQ(store_.started.size(), 3u);
  clock_.now += Checkpointer::kIdleInterval;
  EXPECT_TRUE(checkpointer.Turn(At(8)).ok());
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(8));
}

TEST_F(CheckpointerTest, AnIntervalOfZeroWaitsForTheSaveUnderWay) {
  Checkpointer checkpointer = Make(std::nullopt, absl::ZeroDuration());
  store_.answer = std::nullopt;
  for (const uint64_t lsn : {uint64_t{5}, uint64_t{6}, uint64_t{7}}) {
    checkpointer.OnDelivered();
    EXPECT_TRUE(checkpointer.Turn(At(lsn)).ok());
  }
  EXPECT_EQ(store_.started.size(), 1u);
  EXPECT_GT(checkpointer.next_due(), clock_.now);
  store_.answer = absl::OkStatus();
  EXPECT_TRUE(checkpointer.Turn(At(7)).ok());
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(7));
}

TEST_F(CheckpointerTest, StoresOnlyWhenDue) {
  Checkpointer checkpointer = Make();
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_TRUE(store_.started.empty());
  clock_.now += absl::Seconds(10);
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  ASSERT_EQ(store_.started.size(), 1u);
  EXPECT_EQ(store_.started[0].system_identifier, "7");
  EXPECT_EQ(store_.started[0].timeline, 2u);
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(5));
}

TEST_F(CheckpointerTest, WhatASnapshotHasSeenIsToldUntilThePositionIsThere) {
  Checkpointer checkpointer = Make();
  checkpointer.OnSnapshot(Lsn(7));
  for (const uint64_t at : {uint64_t{5}, uint64_t{7}}) {
    checkpointer.MakeDue();
    EXPECT_TRUE(checkpointer.Turn(At(at)).ok());
  }
  EXPECT_EQ(store_.started.at(0).snapshot_seen, Lsn(7));
  EXPECT_FALSE(store_.started.at(1).snapshot_seen.has_value());
}

TEST_F(CheckpointerTest, AChangeToBeSkippedIsToldUntilItsTransactionIsBehind) {
  skip_ = event::ChangeId{Lsn(6), 2};
  Checkpointer checkpointer = Make();
  for (const uint64_t at : {5u, 6u, 7u}) {
    checkpointer.MakeDue();
    EXPECT_TRUE(checkpointer.Turn(At(at)).ok());
  }
  EXPECT_EQ(store_.started.at(0).skip, skip_);
  EXPECT_EQ(store_.started.at(1).skip, skip_);
  EXPECT_EQ(store_.started.at(2).skip, std::nullopt);
}

TEST_F(CheckpointerTest, I5_NothingCountsAsStoredBeforeTheStoreAnswered) {
  Checkpointer checkpointer = Make();
  store_.answer.reset();
  checkpointer.MakeDue();
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_FALSE(checkpointer.stored().has_value());
  EXPECT_TRUE(checkpointer.Turn(At(9)).ok());
  EXPECT_EQ(store_.started.size(), 1u) << "one save at a time";
  store_.answer = absl::OkStatus();
  EXPECT_TRUE(checkpointer.Turn(At(9)).ok());
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(5)) << "what was saved, not what is safe by now";
}

TEST_F(CheckpointerTest, RST_23_AFailedSaveIsTriedAgainAndMovesNothing) {
  Checkpointer checkpointer = Make(At(1));
  store_.answer = absl::UnavailableError("disk");
  checkpointer.MakeDue();
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(1));
  EXPECT_FALSE(checkpointer.last_error().ok());
  store_.answer = absl::OkStatus();
  clock_.now += absl::Seconds(1);
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(5));
  EXPECT_TRUE(checkpointer.last_error().ok());
}

TEST_F(CheckpointerTest, AnUnmovedPositionIsNotStoredAgain) {
  Checkpointer checkpointer = Make(At(5));
  checkpointer.MakeDue();
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_TRUE(store_.started.empty());
}

TEST_F(CheckpointerTest, TheEndOfASnapshotIsStoredThoughTheLsnIsTheSame) {
  delivery::Milestone running = At(5);
  running.snapshot = event::SnapshotPhase::kRunning;
  Checkpointer checkpointer = Make(running);
  delivery::Milestone completed = At(5);
  completed.snapshot = event::SnapshotPhase::kCompleted;
  EXPECT_FALSE(checkpointer.Covers(completed));
  checkpointer.MakeDue();
  EXPECT_TRUE(checkpointer.Turn(completed).ok());
  EXPECT_TRUE(checkpointer.Covers(completed));
}

TEST_F(CheckpointerTest, WhatWasDeliveredIsStoredSoon) {
  Checkpointer checkpointer = Make(At(1));
  checkpointer.OnDelivered();
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(5)) << "the first at once";
  checkpointer.OnDelivered();
  EXPECT_EQ(checkpointer.next_due(), clock_.now + Checkpointer::kSoon);
  EXPECT_TRUE(checkpointer.Turn(At(6)).ok());
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(5));
  clock_.now += Checkpointer::kSoon;
  EXPECT_TRUE(checkpointer.Turn(At(7)).ok());
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(7));
}

TEST_F(CheckpointerTest, APositionThatMovesWithoutDeliveriesWaitsForTheInterval) {
  Checkpointer checkpointer = Make(At(1));
  const absl::Duration end = clock_.now + absl::Seconds(10);
  while (clock_.now < end) {
    EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
    EXPECT_TRUE(store_.started.empty());
    EXPECT_EQ(checkpointer.next_due(), end);
    clock_.now += absl::Milliseconds(500);
  }
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(store_.started.size(), 1u);
}

// Not every delivery makes a position safe: the loop must not be woken again and again for it.
TEST_F(CheckpointerTest, ADeliveryThatMovesNothingIsNotDueForEver) {
  Checkpointer checkpointer = Make(At(5));
  checkpointer.OnDelivered();
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_GT(checkpointer.next_due(), clock_.now);
}

TEST_F(CheckpointerTest, SavesThatBlockAreFewer) {
  store_.blocks = [this] { clock_.now += absl::Milliseconds(50); };
  Checkpointer checkpointer = Make(At(1));
  checkpointer.OnDelivered();
  const absl::Duration begin = clock_.now;
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  checkpointer.OnDelivered();
  EXPECT_EQ(checkpointer.next_due(), begin + Checkpointer::kCostFactor * absl::Milliseconds(50));
  store_.blocks = [this] { clock_.now += absl::Seconds(5); };
  clock_.now = checkpointer.next_due();
  EXPECT_TRUE(checkpointer.Turn(At(6)).ok());
  checkpointer.OnDelivered();
  EXPECT_LE(checkpointer.next_due() - clock_.now, absl::Seconds(10)) << "never beyond the interval";
}

TEST_F(CheckpointerTest, TheStoreIsPolledWithNothingUnderWay) {
  Checkpointer checkpointer = Make(At(5));
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(store_.polls, 1) << "its descriptor would stay readable";
}

TEST_F(CheckpointerTest, AStoreThatKeepsFailingIsSaidAgainAndAgainAndShown) {
  testing::internal::CaptureStderr();
  Checkpointer checkpointer = Make(At(1));
  store_.answer = Error(absl::StatusCode::kUnavailable, "away", "no disk", "mount it");
  checkpointer.MakeDue();
  const absl::Duration end = clock_.now + absl::Minutes(3);
  for (; clock_.now < end; clock_.now += absl::Milliseconds(500)) {
    EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Count(log, "cannot store the offset"), 1);
  EXPECT_EQ(Count(log, "the position is not stored"), 3);
  EXPECT_EQ(board_.Read().last_error->hint, "mount it");
}

TEST_F(CheckpointerTest, AStoreThatDoesNotAnswerIsSaidToo) {
  testing::internal::CaptureStderr();
  Checkpointer checkpointer = Make(At(1));
  store_.answer.reset();
  checkpointer.MakeDue();
  const absl::Duration end = clock_.now + absl::Seconds(40);
  for (; clock_.now < end; clock_.now += absl::Milliseconds(500)) {
    EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Count(log, "the position is not stored"), 1);
  EXPECT_EQ(board_.Read().last_error->reason, "offset_store_slow");
}

// A deleted topic shows as a save that is waited for, or as one that fails of its consequences.
TEST_F(CheckpointerTest, AStoreThatIsGoneIsFoundOutBySeconds) {
  testing::internal::CaptureStderr();
  const absl::Status gone = Error(absl::StatusCode::kNotFound, "offset_topic_gone",
                                  "the offset topic is gone", "make it");
  engine::ConnectorNames names;
  names.called.who = "orders";
  board_.SetNames(names);
  Checkpointer checkpointer = Make(At(1));
  store_.answer.reset();
  checkpointer.MakeDue();
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(checkpointer.next_due(), clock_.now + Checkpointer::kLong);
  clock_.now += absl::Seconds(4);
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(store_.doubts, 0) << "a store may take its time";
  clock_.now += absl::Seconds(1);
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(store_.doubts, 1);
  EXPECT_FALSE(board_.Read().last_error) << "it is not known yet";
  store_.there = gone;
  for (int i = 0; i < 20; ++i) {
    clock_.now += absl::Milliseconds(100);
    EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  }
  EXPECT_LE(store_.doubts, 5) << "not with each turn";
  EXPECT_EQ(ErrorReason(checkpointer.last_error()), "offset_topic_gone");
  EXPECT_EQ(board_.Read().last_error->reason, "offset_topic_gone");
  EXPECT_EQ(board_.Read().last_error->hint,
            "make it. If it has ended all the same: walduct offsets set orders 0/1");
  store_.answer = absl::UnavailableError("Local: Broker handle destroyed");
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(ErrorReason(checkpointer.last_error()), "offset_topic_gone") << "the cause counts";
  store_.answer = absl::OkStatus();
  clock_.now += absl::Seconds(1);
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_TRUE(checkpointer.last_error().ok());
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(5));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Count(log, "cannot store the offset"), 1);
}

TEST_F(CheckpointerTest, ASaveThatFailsIsDoubtedAtOnce) {
  Checkpointer checkpointer = Make(At(1));
  store_.answer = absl::UnavailableError("Local: Broker handle destroyed");
  store_.there = Error(absl::StatusCode::kNotFound, "offset_topic_gone", "gone");
  checkpointer.MakeDue();
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_TRUE(checkpointer.Turn(At(5)).ok());
  EXPECT_EQ(board_.Read().last_error->reason, "offset_topic_gone");
  EXPECT_FALSE(checkpointer.Covers(At(5)));
}

TEST_F(CheckpointerTest, APositionThatSomebodyElseHasStoredEndsTheSession) {
  Checkpointer checkpointer = Make(At(1));
  store_.start_answer =
      Error(absl::StatusCode::kFailedPrecondition, "offset_superseded", "another instance");
  checkpointer.MakeDue();
  EXPECT_EQ(ErrorReason(checkpointer.Turn(At(5))), "offset_superseded");
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(1));
}

}  // namespace
}  // namespace walduct::slot
