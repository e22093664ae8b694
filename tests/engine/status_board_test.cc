#include "engine/control/status_board.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "base/error.h"

namespace walduct::engine {
namespace {

class ManualClock final : public Clock {
 public:
  absl::Time Now() override { return now; }
  absl::Duration Monotonic() override { return now - absl::UnixEpoch(); }
  absl::Time now = absl::UnixEpoch();
};

class StatusBoardTest : public testing::Test {
 protected:
  // Whether the listener was woken since the last call.
  bool Woken() {
    pollfd polled = {.fd = changed_.fd(), .events = POLLIN, .revents = 0};
    const bool woken = poll(&polled, 1, 0) == 1;
    changed_.Drain();
    return woken;
  }

  ManualClock clock_;
  Wake changed_;
  StatusBoard board_{"orders", clock_, &changed_};
};

TEST_F(StatusBoardTest, BeginsUnassigned) {
  const ConnectorStatus status = board_.Read();
  EXPECT_EQ(status.name, "orders");
  EXPECT_EQ(StateText(status.state), "UNASSIGNED");
  EXPECT_FALSE(status.last_error.has_value());
  EXPECT_FALSE(status.exit_code.has_value());
}

TEST_F(StatusBoardTest, StateAndActivityHaveTimesOfTheirOwn) {
  clock_.now += absl::Seconds(1);
  board_.Show(ConnectorState::kRunning, Activity::kConnecting);
  clock_.now += absl::Seconds(1);
  board_.Show(Activity::kStreaming);
  const ConnectorStatus status = board_.Read();
  EXPECT_EQ(StateText(status.state), "RUNNING");
  EXPECT_EQ(status.state_since, absl::UnixEpoch() + absl::Seconds(1));
  EXPECT_EQ(ActivityText(status.activity), "streaming");
  EXPECT_EQ(status.activity_since, absl::UnixEpoch() + absl::Seconds(2));
}

TEST_F(StatusBoardTest, AWaitKeepsTheTimeItBegan) {
  board_.WaitsFor(WaitReason::kRoom);
  const absl::Time begin = clock_.now;
  clock_.now += absl::Minutes(1);
  board_.WaitsFor(WaitReason::kRoom);
  EXPECT_EQ(board_.Read().wait_since, begin);
  EXPECT_EQ(WaitText(board_.Read().wait), "room in the sink");
  board_.WaitsFor(WaitReason::kNothing);
  EXPECT_EQ(WaitText(board_.Read().wait), "");
}

TEST_F(StatusBoardTest, ANewActivityWaitsForNothing) {
  board_.WaitsFor(WaitReason::kDatabase);
  board_.Show(Activity::kStreaming);
  EXPECT_EQ(board_.Read().wait, WaitReason::kNothing);
}

TEST_F(StatusBoardTest, WhoIsWaitedForGoesWithTheWait) {
  board_.WaitsFor(WaitReason::kTransactions);
  board_.WaitsOn("pid 7 (database shop), pid 8 (database shop)");
  EXPECT_EQ(board_.Read().wait_on, "pid 7 (database shop), pid 8 (database shop)");
  EXPECT_NE(board_.Read().wait_hint.find("pg_terminate_backend(7)"), std::string::npos);
  board_.WaitsFor(WaitReason::kTransactions);
  EXPECT_NE(board_.Read().wait_on, "");
  board_.WaitsOn("prepared transaction \"forgotten\" (database shop)");
  EXPECT_NE(board_.Read().wait_hint.find("ROLLBACK PREPARED"), std::string::npos);
  EXPECT_EQ(board_.Read().wait_hint.find("PID"), std::string::npos);
  board_.WaitsFor(WaitReason::kDatabase);
  EXPECT_EQ(board_.Read().wait_on, "");
  EXPECT_EQ(board_.Read().wait_hint, "");
}

TEST_F(StatusBoardTest, TheLastErrorStaysWithReasonAndHint) {
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "connection_lost", "gone", "look there"));
  board_.Show(ConnectorState::kRunning, Activity::kStreaming);
  const ConnectorStatus status = board_.Read();
  ASSERT_TRUE(status.last_error.has_value());
  EXPECT_EQ(status.last_error->message, "gone");
  EXPECT_EQ(status.last_error->reason, "connection_lost");
  EXPECT_EQ(status.last_error->hint, "look there");
  EXPECT_TRUE(board_.has_open_error());
  EXPECT_FALSE(status.last_error->solved_at);
}

TEST_F(StatusBoardTest, AnErrorThatIsSolvedStaysToBeRead) {
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "connection_lost", "gone"), Lsn(100));
  EXPECT_EQ(board_.error_place().received, Lsn(100));
  board_.SolveError();
  EXPECT_FALSE(board_.has_open_error());
  EXPECT_EQ(board_.Read().last_error->reason, "connection_lost");
  EXPECT_TRUE(board_.Read().last_error->solved_at);
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "connection_lost", "gone again"));
  EXPECT_FALSE(board_.Read().last_error->solved_at);
}

TEST_F(StatusBoardTest, AnEndHasItsExitCode) {
  board_.ShowEnd(ConnectorState::kFailed, kExitDataSafety);
  EXPECT_TRUE(board_.Read().ended());
  EXPECT_EQ(board_.Read().exit_code, kExitDataSafety);
  board_.Show(ConnectorState::kRunning, Activity::kConnecting);
  EXPECT_FALSE(board_.Read().ended());
}

TEST_F(StatusBoardTest, WhatHasEndedIsNotStalled) {
  board_.ShowStall(Stall{.since = absl::UnixEpoch(), .kind = "sink", .cause = "Kafka"});
  EXPECT_TRUE(board_.Read().stall);
  board_.ShowEnd(ConnectorState::kFailed, kExitConfiguration);
  EXPECT_FALSE(board_.Read().stall);
}

TEST_F(StatusBoardTest, ListenersAreWokenByStatesAndActivitiesOnly) {
  board_.Show(Activity::kStreaming);
  EXPECT_TRUE(Woken());
  board_.ShowState(ConnectorState::kPaused);
  EXPECT_TRUE(Woken());
  board_.ShowEnd(ConnectorState::kStopped, kExitClean);
  EXPECT_TRUE(Woken());
  board_.WaitsFor(WaitReason::kRoom);
  EXPECT_FALSE(Woken());
}

}  // namespace
}  // namespace walduct::engine
