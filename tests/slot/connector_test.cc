// A Connector on its thread, driven by commands of this one, over a fake world.
#include "engine/lifecycle/connector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/runtime_options.h"
#include "snapshot/options.h"
#include "tests/support/await.h"
#include "tests/support/fake_world.h"

namespace walduct::slot {
namespace {

using test::Await;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

class ConnectorTest : public testing::Test {
 protected:
  // Starts it and waits until it streams.
  engine::Connector& Streaming() {
    Make().Start();
    EXPECT_TRUE(AwaitActivity(engine::Activity::kStreaming));
    return *connector_;
  }
  engine::Connector& Make() {
    connector_ = std::make_unique<engine::Connector>(
        engine::Connector::Options{.config = config_, .goal = goal_}, world_);
    return *connector_;
  }

  engine::ConnectorStatus status() const { return connector_->status(); }
  bool AwaitState(engine::ConnectorState state) {
    return Await([&] { return status().state == state; });
  }
  bool AwaitActivity(engine::Activity activity) {
    return Await([&] { return status().activity == activity; });
  }
  bool AwaitRecords(size_t count) {
    return Await([&] { return world_.broker.keys().size() >= count; });
  }

  test::FakeWorld world_;
  engine::ConnectorOptions config_ = test::FakeConfig();
  engine::RunGoal goal_;
  std::unique_ptr<engine::Connector> connector_;
};

TEST_F(ConnectorTest, DoesNothingBeforeItIsStarted) {
  Make();
  EXPECT_EQ(status().state, engine::ConnectorState::kUnassigned);
  EXPECT_EQ(world_.database.connections(), 0);
}

TEST_F(ConnectorTest, TakesItsSnapshotThenStreams) {
  world_.database.Commit({"a"});
  Streaming();
  EXPECT_EQ(status().state, engine::ConnectorState::kRunning);
  world_.database.Commit({"b"});
  ASSERT_TRUE(AwaitRecords(2));
  EXPECT_THAT(world_.broker.keys(), ElementsAre(R"({"id":"a"})", R"({"id":"b"})"));
}

TEST_F(ConnectorTest, AStopStoresAndConfirmsWhatWasRead) {
  Streaming();
  const Lsn end = world_.database.Commit({"a"});
  ASSERT_TRUE(AwaitRecords(1));
  connector_->Stop();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kStopped));
  EXPECT_EQ(status().exit_code, engine::kExitClean);
  EXPECT_EQ(world_.offsets.stored()->position.commit_end, end);
  EXPECT_EQ(world_.database.confirmed(), end);
  EXPECT_FALSE(world_.database.streaming());
}

TEST_F(ConnectorTest, APauseReleasesTheSlotAndAResumeGoesOnFromTheStoredPosition) {
  Streaming();
  world_.database.Commit({"a"});
  ASSERT_TRUE(AwaitRecords(1));
  connector_->Pause();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kPaused));
  EXPECT_EQ(status().wait, engine::WaitReason::kCommand);
  EXPECT_FALSE(world_.database.streaming());
  EXPECT_TRUE(world_.database.has_slot());
  world_.database.Commit({"b"});
  EXPECT_EQ(world_.broker.keys().size(), 1u);
  connector_->Resume();
  ASSERT_TRUE(AwaitRecords(2));
  EXPECT_THAT(world_.broker.keys(), ElementsAre(R"({"id":"a"})", R"({"id":"b"})"));
  EXPECT_EQ(status().state, engine::ConnectorState::kRunning);
}

TEST_F(ConnectorTest, APausedOneThatIsStartedAnewStaysPausedUntilResumed) {
  Streaming().Pause();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kPaused));
  const int connections = world_.database.connections();
  connector_->Restart();
  connector_->Stop();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kStopped));
  EXPECT_EQ(world_.database.connections(), connections);
}

TEST_F(ConnectorTest, ASnapshotThatIsPausedGoesOnWhereItWas) {
  world_.database.Commit({"a", "b", "c", "d"});
  world_.database.LimitSnapshot(3);
  Make().Start();
  ASSERT_TRUE(AwaitRecords(2)) << "one row is held back until it is known what follows";
  connector_->Pause();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kPaused));
  EXPECT_EQ(status().activity, engine::Activity::kSnapshotting);
  world_.database.LimitSnapshot(std::nullopt);
  EXPECT_EQ(world_.broker.keys().size(), 2u);
  connector_->Resume();
  ASSERT_TRUE(AwaitActivity(engine::Activity::kStreaming));
  EXPECT_EQ(world_.broker.keys().size(), 4u) << "no row came twice";
  EXPECT_EQ(world_.database.connections(), 1);
}

TEST_F(ConnectorTest, ARestartBeginsANewSession) {
  Streaming();
  world_.database.Commit({"a"});
  ASSERT_TRUE(AwaitRecords(1));
  connector_->Restart();
  ASSERT_TRUE(Await([&] { return world_.database.connections() == 2; }));
  ASSERT_TRUE(AwaitActivity(engine::Activity::kStreaming));
  world_.database.Commit({"b"});
  ASSERT_TRUE(AwaitRecords(2));
  EXPECT_THAT(world_.broker.keys(), ElementsAre(R"({"id":"a"})", R"({"id":"b"})"));
}

TEST_F(ConnectorTest, AFailureIsShownAndARestartMendsIt) {
  world_.database.FailAt("check plan", Error(absl::StatusCode::kPermissionDenied, "no_select",
                                             "may not read", "grant select"));
  Make().Start();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kFailed));
  EXPECT_EQ(status().exit_code, engine::kExitPrerequisite);
  EXPECT_EQ(status().last_error->message, "may not read");
  EXPECT_EQ(status().last_error->reason, "no_select");
  EXPECT_EQ(status().last_error->hint, "grant select");
  world_.database.FailAt("check plan", absl::OkStatus());
  connector_->Restart();
  EXPECT_TRUE(AwaitActivity(engine::Activity::kStreaming));
  EXPECT_EQ(status().state, engine::ConnectorState::kRunning);
}

TEST_F(ConnectorTest, AStoppedOneCanBeStartedAgain) {
  Streaming().Stop();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kStopped));
  connector_->Start();
  EXPECT_TRUE(AwaitActivity(engine::Activity::kStreaming));
}

TEST_F(ConnectorTest, CommandsReachOneThatWaitsToRetry) {
  config_.runtime->retry_wait = absl::Hours(1);
  world_.database.Refuse(absl::UnavailableError("away"));
  Make().Start();
  ASSERT_TRUE(AwaitActivity(engine::Activity::kRetrying));
  EXPECT_EQ(status().state, engine::ConnectorState::kRunning);
  EXPECT_EQ(status().wait, engine::WaitReason::kRetry);
  EXPECT_EQ(status().last_error->message, "away");
  connector_->Pause();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kPaused));
  world_.database.Refuse(absl::OkStatus());
  connector_->Resume();
  EXPECT_TRUE(AwaitActivity(engine::Activity::kStreaming));
}

TEST_F(ConnectorTest, CommandsReachOneThatIsBlockedByAFullSink) {
  config_.snapshot->mode = snapshot::SnapshotMode::kNoData;
  config_.runtime->shutdown_timeout = absl::Milliseconds(10);
  world_.broker.SetRoom(2);
  Streaming();
  world_.broker.SetAvailable(false);
  world_.database.Commit({"a", "b", "c", "d"});
  ASSERT_TRUE(Await([&] { return status().wait == engine::WaitReason::kRoom; }));
  connector_->Pause();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kPaused));
  world_.broker.SetAvailable(true);
  connector_->Resume();
  ASSERT_TRUE(AwaitRecords(4));
  EXPECT_THAT(world_.broker.keys(),
              IsSupersetOf({R"({"id":"a"})", R"({"id":"b"})", R"({"id":"c"})", R"({"id":"d"})"}));
}

TEST_F(ConnectorTest, EndsByItselfOnceItsGoalIsReached) {
  world_.database.Commit({"a"});
  goal_.until_caught_up = true;
  Make().Start();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kStopped));
  EXPECT_EQ(status().exit_code, engine::kExitClean);
}

TEST_F(ConnectorTest, AGoalThatIsNotReachedIsNoCleanEnd) {
  goal_.until_lsn = Lsn(1'000'000);
  Streaming().Stop();
  ASSERT_TRUE(AwaitState(engine::ConnectorState::kStopped));
  EXPECT_EQ(status().exit_code, engine::kExitNotCaughtUp);
}

TEST_F(ConnectorTest, GoesWithoutBeingStopped) {
  Streaming();
  world_.database.Commit({"a"});
  ASSERT_TRUE(AwaitRecords(1));
  connector_.reset();
  EXPECT_FALSE(world_.database.streaming());
  EXPECT_EQ(world_.offsets.stored()->position.commit_end, world_.database.end());
}

}  // namespace
}  // namespace walduct::slot
