// Attempts, retries and commands over a fake world, on one thread, in simulated time.
#include "engine/lifecycle/lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/runtime_options.h"
#include "offset/options.h"
#include "replication/options.h"
#include "slot/lanes/handover_news.h"
#include "slot/lanes/lanes.h"
#include "tests/support/fake_world.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {
namespace {

using testing::ElementsAre;

class LifecycleTest : public testing::Test {
 protected:
  LifecycleTest() {
    config_.offset->flush_interval = absl::Seconds(10);
    mailbox_.Post(engine::Command::kStart);
  }

  void At(absl::Duration when, std::function<void()> what) { time_.After(when, std::move(what)); }
  void GiveAt(absl::Duration when, engine::Command command) {
    At(when, [this, command] { mailbox_.Post(command); });
  }
  // Until it has been told to quit, which it is after so long.
  void RunFor(absl::Duration duration) {
    GiveAt(duration, engine::Command::kQuit);
    engine::Lifecycle({.config = &config_,
                       .goal = {},
                       .world = &world_,
                       .control = &control_,
                       .board = &board_,
                       .metrics = &metrics_})
        .Run();
  }
  // What the board says at that moment.
  void LookAt(absl::Duration when) {
    At(when, [this] { seen_.push_back(board_.Read()); });
  }

  test::SimulatedTime time_;
  test::FakeWorld world_{time_.environment()};
  engine::ConnectorOptions config_ = test::FakeConfig();
  engine::Mailbox mailbox_;
  engine::StatusBoard board_{"orders", time_};
  engine::Control control_{mailbox_, board_};
  metrics::ConnectorMetrics metrics_;
  std::vector<engine::ConnectorStatus> seen_;
};

TEST_F(LifecycleTest, AnOutageIsRetriedUntilItIsOver) {
  world_.database.Refuse(absl::UnavailableError("away"));
  LookAt(absl::Minutes(5));
  At(absl::Minutes(10), [this] { world_.database.Refuse(absl::OkStatus()); });
  LookAt(absl::Minutes(11));
  RunFor(absl::Minutes(12));
  EXPECT_EQ(seen_[0].state, engine::ConnectorState::kRunning);
  EXPECT_EQ(seen_[0].activity, engine::Activity::kRetrying);
  EXPECT_EQ(seen_[0].last_error->message, "away");
  EXPECT_EQ(seen_[1].activity, engine::Activity::kStreaming);
  // At most ten seconds apart, and not in a hurry.
  EXPECT_GE(metrics_.reconnects.value(), 60u);
  EXPECT_LE(metrics_.reconnects.value(), 100u);
}

TEST_F(LifecycleTest, RetriesAreBounded) {
  config_.runtime->errors_max_retries = 3;
  world_.database.Refuse(absl::UnavailableError("away"));
  RunFor(absl::Hours(1));
  EXPECT_EQ(metrics_.reconnects.value(), 3u);
  EXPECT_EQ(board_.Read().state, engine::ConnectorState::kFailed);
  EXPECT_EQ(board_.Read().exit_code, engine::kExitFailure);
}

// Whoever waits for it to hand tables over.
TEST_F(LifecycleTest, TheOtherLanesHearThatTheFirstHasFailed) {
  config_ = slot::LanesOf(config_)[0];
  config_.runtime->errors_max_retries = 3;
  world_.database.Refuse(absl::UnavailableError("away"));
  RunFor(absl::Hours(1));
  EXPECT_EQ(config_.handover_news->Read().refusals, 1u);
  EXPECT_EQ(config_.handover_news->Read().refused, absl::UnavailableError("away"));
  config_.replication->share.number = 2;
  RunFor(absl::Hours(1));
  EXPECT_EQ(config_.handover_news->Read().refusals, 1u) << "of another lane nobody needs to hear";
}

TEST_F(LifecycleTest, AStreamThatRanStartsTheCountAnew) {
  config_.runtime->errors_max_retries = 1;
  for (int i = 1; i <= 5; ++i) {
    At(absl::Minutes(i), [this] { world_.database.Disconnect(absl::UnavailableError("lost")); });
  }
  LookAt(absl::Minutes(6));
  RunFor(absl::Minutes(7));
  EXPECT_EQ(seen_[0].activity, engine::Activity::kStreaming);
  EXPECT_EQ(metrics_.reconnects.value(), 5u);
}

TEST_F(LifecycleTest, WhatAnOperatorHasToMendIsNotRetried) {
  world_.database.Refuse(
      Error(absl::StatusCode::kFailedPrecondition, "wal_level", "not logical", "set it"));
  RunFor(absl::Hours(1));
  EXPECT_EQ(metrics_.reconnects.value(), 0u);
  EXPECT_EQ(board_.Read().state, engine::ConnectorState::kFailed);
  EXPECT_EQ(board_.Read().exit_code, engine::kExitPrerequisite);
}

TEST_F(LifecycleTest, AnUnknownHostIsAnErrorAtTheStartAndAnOutageLater) {
  const absl::Status unknown =
      Error(absl::StatusCode::kUnavailable, "unknown_host", "who is that", "check the name");
  At(absl::Minutes(1), [&] {
    world_.database.Refuse(unknown);
    world_.database.Disconnect(absl::UnavailableError("lost"));
  });
  LookAt(absl::Minutes(2));
  RunFor(absl::Minutes(3));
  EXPECT_EQ(seen_[0].activity, engine::Activity::kRetrying);
}

TEST_F(LifecycleTest, AnUnknownHostStaysAnOutageOverAPause) {
  GiveAt(absl::Minutes(1), engine::Command::kPause);
  At(absl::Minutes(2), [&] {
    world_.database.Refuse(
        Error(absl::StatusCode::kUnavailable, "unknown_host", "who is that", "check the name"));
    mailbox_.Post(engine::Command::kResume);
  });
  LookAt(absl::Minutes(3));
  RunFor(absl::Minutes(4));
  EXPECT_EQ(seen_[0].activity, engine::Activity::kRetrying);
}

TEST_F(LifecycleTest, OneThatIsStoppedBeforeItCouldRunHasEnded) {
  mailbox_.Post(engine::Command::kStop);
  LookAt(absl::Seconds(1));
  RunFor(absl::Seconds(2));
  EXPECT_EQ(seen_[0].state, engine::ConnectorState::kStopped);
  EXPECT_EQ(seen_[0].exit_code, engine::kExitClean);
  EXPECT_EQ(world_.database.connections(), 0);
}

TEST_F(LifecycleTest, OneThatIsPausedBeforeItCouldRunIsPaused) {
  mailbox_.Post(engine::Command::kPause);
  LookAt(absl::Seconds(1));
  GiveAt(absl::Seconds(2), engine::Command::kResume);
  LookAt(absl::Seconds(3));
  RunFor(absl::Seconds(4));
  EXPECT_EQ(seen_[0].state, engine::ConnectorState::kPaused);
  EXPECT_EQ(seen_[1].activity, engine::Activity::kStreaming);
}

TEST_F(LifecycleTest, NothingComesTwiceOverCleanPausesAndRestarts) {
  int row = 0;
  for (int i = 1; i <= 60; ++i)
    At(absl::Seconds(i), [&] { world_.database.Commit({std::to_string(++row)}); });
  GiveAt(absl::Milliseconds(10'500), engine::Command::kPause);
  GiveAt(absl::Milliseconds(20'500), engine::Command::kResume);
  GiveAt(absl::Milliseconds(30'500), engine::Command::kRestart);
  LookAt(absl::Seconds(15));
  RunFor(absl::Minutes(2));
  EXPECT_EQ(seen_[0].state, engine::ConnectorState::kPaused);
  std::vector<std::string> expected;
  for (int i = 1; i <= 60; ++i) expected.push_back("{\"id\":\"" + std::to_string(i) + "\"}");
  EXPECT_EQ(world_.broker.keys(), expected);
  EXPECT_EQ(world_.database.connections(), 3);
  EXPECT_EQ(metrics_.reconnects.value(), 0u);
}

TEST_F(LifecycleTest, APauseThatCannotDeliverIsAPauseAndTheRestIsReadAgain) {
  At(absl::Seconds(1), [this] {
    world_.broker.SetAvailable(false);
    world_.database.Commit({"a"});
  });
  GiveAt(absl::Seconds(5), engine::Command::kPause);
  LookAt(absl::Minutes(1));
  At(absl::Minutes(2), [this] {
    world_.broker.SetAvailable(true);
    mailbox_.Post(engine::Command::kResume);
  });
  RunFor(absl::Minutes(3));
  EXPECT_EQ(seen_[0].state, engine::ConnectorState::kPaused);
  EXPECT_TRUE(seen_[0].last_error.has_value());
  EXPECT_THAT(world_.broker.keys(), ElementsAre(R"({"id":"a"})"));
}

TEST_F(LifecycleTest, AFailureStaysTheOutcomeOfItsRun) {
  world_.database.Refuse(
      Error(absl::StatusCode::kFailedPrecondition, "slot_lost", "gone", "start anew"));
  GiveAt(absl::Minutes(1), engine::Command::kStop);
  RunFor(absl::Minutes(2));
  EXPECT_EQ(board_.Read().state, engine::ConnectorState::kStopped);
  EXPECT_EQ(board_.Read().exit_code, engine::kExitDataSafety);
}

// What the server says of the slot, and its row denies.
TEST_F(LifecycleTest, ADisputedSlotIsTriedAgainForTenMinutes) {
  const absl::Status disputed =
      Error(absl::StatusCode::kUnavailable, "slot_disputed", "segment gone; but reserved", "look");
  world_.database.FailAt("stream", disputed);
  At(absl::Minutes(9), [this] { world_.database.FailAt("stream", absl::OkStatus()); });
  LookAt(absl::Minutes(8));
  // The time that it lasted is forgotten when it is over.
  At(absl::Minutes(20), [&] {
    world_.database.FailAt("stream", disputed);
    world_.database.Disconnect(disputed);
  });
  LookAt(absl::Minutes(29));
  LookAt(absl::Minutes(31));
  RunFor(absl::Minutes(32));
  for (const size_t at : {0, 1}) {
    EXPECT_EQ(seen_[at].activity, engine::Activity::kRetrying);
    EXPECT_EQ(seen_[at].last_error->reason, "slot_disputed");
  }
  EXPECT_EQ(seen_[2].state, engine::ConnectorState::kFailed);
  EXPECT_EQ(seen_[2].exit_code, engine::kExitPrerequisite);
  EXPECT_THAT(seen_[2].last_error->message,
              testing::MatchesRegex("for 10m.*the server has said: segment gone; but reserved"));
  EXPECT_EQ(seen_[2].last_error->hint, "look");
}

TEST_F(LifecycleTest, QuittingEndsARunCleanly) {
  world_.database.Commit({"a"});
  RunFor(absl::Seconds(10));
  EXPECT_EQ(board_.Read().state, engine::ConnectorState::kStopped);
  EXPECT_EQ(board_.Read().exit_code, engine::kExitClean);
  EXPECT_EQ(world_.offsets.stored()->position.commit_end, world_.database.end());
}

}  // namespace
}  // namespace walduct::slot
