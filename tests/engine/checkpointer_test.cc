#include "engine/duties/checkpointer.h"

#include <gtest/gtest.h>

#include <vector>

namespace walduct::engine {
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
    return start_answer;
  }
  std::optional<absl::Status> PollSave() override { return answer; }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override { return absl::OkStatus(); }

  std::vector<offset::StoredOffset> started;
  absl::Status start_answer;
  std::optional<absl::Status> answer = absl::OkStatus();
};

event::Position At(uint64_t lsn) {
  event::Position position;
  position.commit_end = Lsn(lsn);
  return position;
}

class CheckpointerTest : public testing::Test {
 protected:
  Checkpointer Make(std::optional<event::Position> stored = std::nullopt) {
    return Checkpointer({.store = &store_,
                         .clock = &clock_,
                         .interval = absl::Seconds(10),
                         .system_identifier = "7",
                         .timeline = 2},
                        stored);
  }
  FakeStore store_;
  ManualClock clock_;
};

TEST_F(CheckpointerTest, StoresOnlyWhenDue) {
  Checkpointer checkpointer = Make();
  checkpointer.Turn(At(5));
  EXPECT_TRUE(store_.started.empty());
  clock_.now += absl::Seconds(10);
  checkpointer.Turn(At(5));
  ASSERT_EQ(store_.started.size(), 1u);
  EXPECT_EQ(store_.started[0].system_identifier, "7");
  EXPECT_EQ(store_.started[0].timeline, 2u);
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(5));
}

TEST_F(CheckpointerTest, I5_NothingCountsAsStoredBeforeTheStoreAnswered) {
  Checkpointer checkpointer = Make();
  store_.answer.reset();
  checkpointer.MakeDue();
  checkpointer.Turn(At(5));
  EXPECT_FALSE(checkpointer.stored().has_value());
  checkpointer.Turn(At(9));
  EXPECT_EQ(store_.started.size(), 1u) << "one save at a time";
  store_.answer = absl::OkStatus();
  checkpointer.Turn(At(9));
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(5)) << "what was saved, not what is safe by now";
}

TEST_F(CheckpointerTest, RST_23_AFailedSaveIsTriedAgainAndMovesNothing) {
  Checkpointer checkpointer = Make(At(1));
  store_.answer = absl::UnavailableError("disk");
  checkpointer.MakeDue();
  checkpointer.Turn(At(5));
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(1));
  EXPECT_FALSE(checkpointer.last_error().ok());
  store_.answer = absl::OkStatus();
  clock_.now += absl::Seconds(1);
  checkpointer.Turn(At(5));
  EXPECT_EQ(checkpointer.stored()->commit_end, Lsn(5));
  EXPECT_TRUE(checkpointer.last_error().ok());
}

TEST_F(CheckpointerTest, AnUnmovedPositionIsNotStoredAgain) {
  Checkpointer checkpointer = Make(At(5));
  checkpointer.MakeDue();
  checkpointer.Turn(At(5));
  EXPECT_TRUE(store_.started.empty());
}

TEST_F(CheckpointerTest, TheEndOfASnapshotIsStoredThoughTheLsnIsTheSame) {
  event::Position running = At(5);
  running.snapshot = event::SnapshotPhase::kRunning;
  Checkpointer checkpointer = Make(running);
  event::Position completed = At(5);
  completed.snapshot = event::SnapshotPhase::kCompleted;
  EXPECT_FALSE(checkpointer.Covers(completed));
  checkpointer.MakeDue();
  checkpointer.Turn(completed);
  EXPECT_TRUE(checkpointer.Covers(completed));
}

}  // namespace
}  // namespace walduct::engine
