#include "engine/control/control.h"

#include <gtest/gtest.h>

namespace walduct::engine {
namespace {

class ControlTest : public testing::Test {
 protected:
  void Give(Command command) {
    mailbox_.Post(command);
    control_.Take();
  }
  ConnectorState state() const { return board_.Read().state; }

  Mailbox mailbox_;
  StatusBoard board_{"orders", Clock::Real()};
  Control control_{mailbox_, board_};
};

TEST_F(ControlTest, RunsOnceStarted) {
  EXPECT_FALSE(control_.runs());
  Give(Command::kStart);
  EXPECT_TRUE(control_.runs());
  EXPECT_FALSE(control_.interrupted());
}

TEST_F(ControlTest, CommandsCountWhenTheyAreTaken) {
  Give(Command::kStart);
  mailbox_.Post(Command::kStop);
  EXPECT_FALSE(control_.interrupted());
  control_.Take();
  EXPECT_TRUE(control_.interrupted());
  EXPECT_TRUE(control_.stops());
}

TEST_F(ControlTest, APauseEndsTheSession) {
  Give(Command::kStart);
  Give(Command::kPause);
  EXPECT_TRUE(control_.interrupted());
  EXPECT_FALSE(control_.holding());
  EXPECT_FALSE(control_.stops());
  Give(Command::kResume);
  EXPECT_FALSE(control_.interrupted());
  EXPECT_TRUE(control_.runs());
}

TEST_F(ControlTest, AHeldPauseKeepsTheSession) {
  board_.Show(ConnectorState::kRunning, Activity::kSnapshotting);
  Give(Command::kStart);
  control_.HoldPauses(true);
  Give(Command::kPause);
  EXPECT_FALSE(control_.interrupted());
  EXPECT_TRUE(control_.holding());
  EXPECT_EQ(state(), ConnectorState::kPaused);
  EXPECT_EQ(board_.Read().activity, Activity::kSnapshotting);
  Give(Command::kResume);
  EXPECT_FALSE(control_.holding());
  EXPECT_EQ(state(), ConnectorState::kRunning);
}

TEST_F(ControlTest, AHeldPauseEndsTheSessionOnceItNeedNotBeHeld) {
  Give(Command::kStart);
  control_.HoldPauses(true);
  Give(Command::kPause);
  control_.HoldPauses(false);
  EXPECT_TRUE(control_.interrupted());
  EXPECT_FALSE(control_.holding());
}

TEST_F(ControlTest, AStopEndsAHeldPause) {
  Give(Command::kStart);
  control_.HoldPauses(true);
  Give(Command::kPause);
  Give(Command::kStop);
  EXPECT_TRUE(control_.interrupted());
  EXPECT_FALSE(control_.holding());
}

TEST_F(ControlTest, ARestartInterruptsOnce) {
  Give(Command::kStart);
  Give(Command::kRestart);
  EXPECT_TRUE(control_.interrupted());
  EXPECT_EQ(state(), ConnectorState::kRestarting);
  EXPECT_TRUE(control_.TakeRestart());
  EXPECT_FALSE(control_.interrupted());
  EXPECT_TRUE(control_.runs());
}

TEST_F(ControlTest, ARestartRunsAFailedOneAndLeavesAPausedOne) {
  Give(Command::kStart);
  control_.OnFailed();
  EXPECT_FALSE(control_.runs());
  Give(Command::kResume);
  EXPECT_FALSE(control_.runs()) << "a failure is no pause";
  Give(Command::kRestart);
  EXPECT_TRUE(control_.runs());
  EXPECT_FALSE(control_.interrupted());
  Give(Command::kPause);
  Give(Command::kRestart);
  EXPECT_TRUE(control_.pauses());
  EXPECT_FALSE(control_.TakeRestart());
}

TEST_F(ControlTest, AFailedOneRunsWhenStartedOrStoppedAndResumed) {
  Give(Command::kStart);
  control_.OnFailed();
  Give(Command::kStart);
  EXPECT_TRUE(control_.runs());
  control_.OnFailed();
  Give(Command::kStop);
  EXPECT_FALSE(control_.failed());
  Give(Command::kResume);
  EXPECT_TRUE(control_.runs());
}

TEST_F(ControlTest, AReachedGoalStops) {
  Give(Command::kStart);
  control_.OnGoalReached();
  EXPECT_FALSE(control_.runs());
  EXPECT_TRUE(control_.stops());
}

TEST_F(ControlTest, NothingUndoesAQuit) {
  Give(Command::kStart);
  Give(Command::kQuit);
  Give(Command::kStart);
  EXPECT_TRUE(control_.interrupted());
  EXPECT_TRUE(control_.stops());
  EXPECT_FALSE(control_.runs());
}

}  // namespace
}  // namespace walduct::engine
