#include "slot/phases/snapshot_phase.h"

#include <gtest/gtest.h>

#include "slot/duties/stall_watch.h"
#include "tests/slot/duties_fixture.h"

namespace walduct::slot {
namespace {

// Answers what it was given, one answer a step, then that it is done.
class FakeRows final : public snapshot::RowSource {
 public:
  explicit FakeRows(test::SimulatedTime& time) : fd_(time.NewDescriptor()) {}

  absl::StatusOr<Progress> Step(event::ChangeHandler&, int) override {
    ++steps;
    on_step();
    if (answers.empty()) return Progress::kDone;
    absl::StatusOr<Progress> answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  int ready_fd() const override { return fd_; }

  std::deque<absl::StatusOr<Progress>> answers;
  std::function<void()> on_step = [] {};
  int steps = 0;

 private:
  const int fd_;
};

using Progress = snapshot::RowSource::Progress;

class SnapshotPhaseTest : public DutiesFixture {
 protected:
  SnapshotPhaseTest() : DutiesFixture(2) { control_.HoldPauses(true); }

  FakeRows rows_{time_};
  SnapshotPhase phase_{{.reader = &rows_,
                        .housekeeping = &duties_.housekeeping(),
                        .pipeline = &path_->pipeline(),
                        .clock = &time_}};
};

TEST_F(SnapshotPhaseTest, StepsUntilAllIsRead) {
  rows_.answers = {Progress::kRead, Progress::kRead};
  ASSERT_TRUE(phase_.Run().ok());
  EXPECT_TRUE(phase_.done());
  EXPECT_EQ(rows_.steps, 3);
}

TEST_F(SnapshotPhaseTest, WaitsForTheServerWithoutSpinning) {
  constexpr size_t kBeats = 7;
  rows_.answers.assign(kBeats, Progress::kWouldBlock);
  const absl::Duration begin = time_.Monotonic();
  time_.After(kBeats * Ownership::kBeat, [this] { time_.SetReadable(rows_.ready_fd(), true); });
  ASSERT_TRUE(phase_.Run().ok());
  EXPECT_EQ(time_.Monotonic() - begin, kBeats * Ownership::kBeat);
}

TEST_F(SnapshotPhaseTest, SaysThatItWaitsForTheDatabaseWhenThatTakesLong) {
  constexpr size_t kBeats = 30;
  rows_.answers.assign(kBeats, Progress::kWouldBlock);
  engine::WaitReason soon = engine::WaitReason::kCommand, later = engine::WaitReason::kNothing;
  time_.After(absl::Milliseconds(500), [&] { soon = board_.Read().wait; });
  time_.After(absl::Seconds(2), [&] { later = board_.Read().wait; });
  ASSERT_TRUE(phase_.Run().ok());
  EXPECT_EQ(soon, engine::WaitReason::kNothing);
  EXPECT_EQ(later, engine::WaitReason::kDatabase);
}

// snapshot.lock.timeout.ms is no longer than walduct.stall.warn.ms: the wait for a table goes on
// over all of its tries.
TEST_F(SnapshotPhaseTest, ALockedTableIsAStallOverAllItsTries) {
  StallWatch watch({.patience = absl::Seconds(10),
                    .clock = &time_,
                    .board = &board_,
                    .metrics = &metrics_,
                    .sink = &sink_,
                    .tracker = &duties_.tracker(),
                    .checkpointer = &duties_.checkpointer(),
                    .server = [] {
                      ServerView view;
                      view.lock = "a lock on table public.t, held up by pid 12";
                      return view;
                    }});
  duties_.housekeeping().SetWatches(&watch, nullptr);
  const absl::Duration begin = time_.Monotonic();
  absl::Duration put_off_at = begin;
  rows_.on_step = [&] {
    rows_.answers.clear();
    if (time_.Monotonic() - begin > absl::Seconds(60)) return;
    const bool times_out = time_.Monotonic() - put_off_at >= absl::Seconds(9);
    if (times_out) put_off_at = time_.Monotonic();
    rows_.answers.push_back(times_out ? Progress::kPutOff : Progress::kWouldBlock);
  };
  std::optional<engine::Stall> soon, later, last;
  time_.After(absl::Seconds(5), [&] { soon = board_.Read().stall; });
  time_.After(absl::Seconds(15), [&] { later = board_.Read().stall; });
  time_.After(absl::Seconds(55), [&] { last = board_.Read().stall; });
  ASSERT_TRUE(phase_.Run().ok());
  duties_.housekeeping().SetWatches(nullptr, nullptr);
  EXPECT_FALSE(soon);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->cause, "a lock on table public.t, held up by pid 12");
  EXPECT_NE(later->hint.find("pg_terminate_backend(12)"), std::string::npos);
  ASSERT_TRUE(last);
  EXPECT_EQ(metrics_.stalls.value(), 1u);
}

TEST_F(SnapshotPhaseTest, ReadsNothingIntoAFullSink) {
  sink_.by_hand = true;
  WriteRecord(100);
  WriteRecord(200);
  int before = -1;
  time_.After(absl::Seconds(5), [&] {
    before = rows_.steps;
    sink_.AcknowledgeAll();
  });
  ASSERT_TRUE(phase_.Run().ok());
  EXPECT_EQ(before, 0);
}

TEST_F(SnapshotPhaseTest, AnInterruptionEndsItUnfinished) {
  rows_.answers = {Progress::kWouldBlock, Progress::kWouldBlock};
  rows_.on_step = [this] { mailbox_.Post(engine::Command::kStop); };
  ASSERT_TRUE(phase_.Run().ok());
  EXPECT_FALSE(phase_.done());
  EXPECT_EQ(rows_.steps, 1);
}

TEST_F(SnapshotPhaseTest, APauseHoldsItUntilItIsResumed) {
  rows_.answers = {Progress::kRead};
  rows_.on_step = [this] {
    if (rows_.steps == 1) mailbox_.Post(engine::Command::kPause);
  };
  int while_paused = 0;
  time_.After(absl::Hours(2), [&] {
    while_paused = rows_.steps;
    mailbox_.Post(engine::Command::kResume);
  });
  ASSERT_TRUE(phase_.Run().ok());
  EXPECT_TRUE(phase_.done());
  EXPECT_EQ(while_paused, 1);
  EXPECT_EQ(rows_.steps, 2);
}

TEST_F(SnapshotPhaseTest, ErrorsOfTheReaderEndIt) {
  rows_.answers = {absl::UnavailableError("connection lost")};
  EXPECT_TRUE(absl::IsUnavailable(phase_.Run()));
  EXPECT_FALSE(phase_.done());
}

}  // namespace
}  // namespace walduct::slot
