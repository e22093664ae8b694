// A Session over a fake world, on one thread, in simulated time.
#include "slot/phases/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "incremental/options/incremental_options.h"
#include "replication/options.h"
#include "snapshot/options.h"
#include "tests/support/fake_world.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    config_.offset->flush_interval = absl::Seconds(10);
    mailbox_.Post(engine::Command::kStart);
    control_.Take();
  }

  Prepared Prepare(Preparation* preparation) const {
    Prepared prepared = *preparation->Run();
    prepared.deleted_topics = deleted_topics_;
    return prepared;
  }
  absl::Status Run() {
    Preparation preparation({.config = &config_,
                             .world = &world_,
                             .source = {},
                             .control = &control_,
                             .board = &board_});
    Session session({.config = &config_,
                     .goal = goal_,
                     .world = &world_,
                     .control = &control_,
                     .board = &board_,
                     .metrics = &metrics_,
                     .warn_once = &warn_once_},
                    Prepare(&preparation));
    const absl::Status ran = session.Run();
    goal_reached_ = session.goal_reached();
    progressed_ = session.progressed();
    stored_ = session.stored();
    return ran;
  }
  void GiveAfter(absl::Duration delay, engine::Command command) {
    time_.After(delay, [this, command] { mailbox_.Post(command); });
  }
  Lsn durable() const {
    const auto stored = world_.offsets.stored();
    return stored ? stored->position.commit_end : Lsn();
  }

  test::SimulatedTime time_;
  test::FakeWorld world_{time_.environment()};
  engine::ConnectorOptions config_ = test::FakeConfig();
  engine::RunGoal goal_;
  engine::Mailbox mailbox_;
  engine::StatusBoard board_{"orders", time_};
  engine::Control control_{mailbox_, board_};
  metrics::ConnectorMetrics metrics_;
  engine::WarnOnce warn_once_;
  std::vector<std::string> deleted_topics_;
  bool goal_reached_ = false, progressed_ = false;
  std::optional<event::Position> stored_;
};

// A crash in the middle of a snapshot must forget neither.
TEST_F(SessionTest, ABlockingSnapshotThatWaitsIsStoredBesideWhatIsRead) {
  world_.database.Commit({"a", "b", "c"});
  offset::StoredOffset before;
  before.position.commit_end = world_.database.end();
  before.system_identifier = "7000";
  before.timeline = 1;
  before.members = {{event::kBlockingMember, R"("[{\"id\":\"s1\",\"data\":\"{}\"}]")"}};
  world_.offsets.Store(before);
  ASSERT_TRUE(test::FakeSource(world_.database).CreateSlot({}, [] { return false; }).ok());
  world_.database.TakeSignals();
  world_.database.LimitSnapshot(2);
  config_.snapshot->mode = snapshot::SnapshotMode::kAlways;
  config_.snapshot->resume = true;
  config_.incremental->file_channel = true;
  GiveAfter(absl::Seconds(15), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_FALSE(progressed_) << "nothing of the table is read whole";
  const offset::StoredOffset stored = *world_.offsets.stored();
  EXPECT_EQ(stored.position.snapshot, event::SnapshotPhase::kRunning);
  EXPECT_EQ(stored.members,
            (event::OffsetMembers{*before.members.begin(), {event::kReadMember, "\"{}\""}}));
}

// Nobody creates the topic, so that no position moves on: the next process is to know all the same.
TEST_F(SessionTest, ADeletedTopicIsStoredThoughThePositionStays) {
  offset::StoredOffset before;
  before.position.commit_end = world_.database.Commit({"a"});
  before.system_identifier = "7000";
  before.timeline = 1;
  before.members = {
      {event::kTablesMember, EncodeKnownTables({.lists = "", .tables = {{"public.orders", {}}}})}};
  world_.offsets.Store(before);
  ASSERT_TRUE(test::FakeSource(world_.database).CreateSlot({}, [] { return false; }).ok());
  world_.database.KnowCaptured();
  world_.broker.SetAvailable(false);
  world_.database.Commit({"b"});
  deleted_topics_ = {"srv.public.orders"};
  GiveAfter(absl::Seconds(5), engine::Command::kStop);
  Run().IgnoreError();
  const offset::StoredOffset stored = *world_.offsets.stored();
  EXPECT_EQ(stored.position.commit_end, before.position.commit_end);
  const std::optional<KnownTables> known =
      DecodeKnownTables(event::FindMember(stored.members, event::kTablesMember));
  ASSERT_TRUE(known);
  ASSERT_EQ(known->lacks.size(), 1u);
  EXPECT_EQ(known->lacks.front().why, "topic");
}

TEST_F(SessionTest, SnapshotAndStreamMeetWithoutGapOrOverlap) {
  world_.database.Commit({"a", "b"});
  time_.After(absl::Seconds(1), [this] { world_.database.Commit({"c"}); });
  GiveAfter(absl::Seconds(5), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(world_.broker.keys(), ElementsAre(R"({"id":"a"})", R"({"id":"b"})", R"({"id":"c"})"));
  EXPECT_EQ(stored_->commit_end, world_.database.end());
  EXPECT_EQ(world_.database.confirmed(), world_.database.end());
}

TEST_F(SessionTest, ASnapshotIsStoredBeforeTheStreamBegins) {
  const Lsn end = world_.database.Commit({"a"});
  world_.database.FailAt("stream", absl::UnavailableError("lost"));
  EXPECT_TRUE(absl::IsUnavailable(Run()));
  EXPECT_EQ(durable(), end);
  EXPECT_EQ(world_.offsets.stored()->position.snapshot, event::SnapshotPhase::kCompleted);
  EXPECT_TRUE(progressed_);
}

TEST_F(SessionTest, AnEmptyDatabaseHasACompletedSnapshotToo) {
  GiveAfter(absl::Seconds(5), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(world_.broker.keys(), IsEmpty());
  EXPECT_EQ(durable(), world_.database.end());
}

TEST_F(SessionTest, WithoutAStreamTheSnapshotIsTheGoal) {
  world_.database.Commit({"a"});
  config_.snapshot->mode = snapshot::SnapshotMode::kInitialOnly;
  ASSERT_TRUE(Run().ok());
  EXPECT_TRUE(goal_reached_);
  EXPECT_THAT(world_.database.asked(), Not(Contains("stream")));
}

TEST_F(SessionTest, EndsCaughtUp) {
  world_.database.Commit({"a"});
  goal_.until_caught_up = true;
  ASSERT_TRUE(Run().ok());
  EXPECT_TRUE(goal_reached_);
}

TEST_F(SessionTest, AfterAFailureWhatWasDeliveredIsStored) {
  Lsn end;
  time_.After(absl::Seconds(1), [&] { end = world_.database.Commit({"a"}); });
  time_.After(absl::Seconds(3),
              [this] { world_.database.Disconnect(absl::UnavailableError("lost")); });
  EXPECT_EQ(Run().message(), "lost");
  EXPECT_EQ(durable(), end);
  EXPECT_EQ(board_.Read().activity, engine::Activity::kSettling);
}

TEST_F(SessionTest, AStopThatCannotDeliverSaysSo) {
  time_.After(absl::Seconds(1), [this] {
    world_.broker.SetAvailable(false);
    world_.database.Commit({"a"});
  });
  GiveAfter(absl::Seconds(3), engine::Command::kStop);
  EXPECT_TRUE(absl::IsDeadlineExceeded(Run()));
}

TEST_F(SessionTest, OnlyAStopDropsTheSlot) {
  config_.replication->drop_slot_on_stop = true;
  for (const engine::Command command : {engine::Command::kPause, engine::Command::kRestart}) {
    GiveAfter(absl::Seconds(3), command);
    ASSERT_TRUE(Run().ok());
    EXPECT_TRUE(world_.database.has_slot());
    mailbox_.Post(engine::Command::kResume);
    control_.Take();
    control_.TakeRestart();
  }
  GiveAfter(absl::Seconds(3), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_FALSE(world_.database.has_slot());
}

TEST_F(SessionTest, ATemporarySlotIsKeptWhilePaused) {
  config_.replication->temporary_slot = true;
  GiveAfter(absl::Seconds(3), engine::Command::kPause);
  bool streaming = false;
  time_.After(absl::Hours(1), [&] {
    streaming = world_.database.streaming();
    mailbox_.Post(engine::Command::kStop);
  });
  ASSERT_TRUE(Run().ok());
  EXPECT_TRUE(streaming);
}

TEST_F(SessionTest, RowsOfAStandbyAreReadOnceItHasReplayed) {
  const ReplayLag lag = {.standby = "b:5432", .needed = Lsn(20 << 20), .replayed = Lsn(4 << 20)};
  world_.database.Lag(std::deque<ReplayLag>(1000, lag));
  std::vector<std::string> asked;
  engine::WaitReason waits = engine::WaitReason::kNothing;
  std::optional<engine::Stall> stall;
  time_.After(absl::Seconds(30), [&] {
    asked = world_.database.asked();
    waits = board_.Read().wait;
    stall = board_.Read().stall;
  });
  GiveAfter(absl::Hours(1), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(asked, AllOf(Contains("slot"), Not(Contains("snapshot"))));
  EXPECT_EQ(waits, engine::WaitReason::kStandby);
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->kind, "standby");
  EXPECT_EQ(stall->cause,
            "the standby b:5432 to replay the WAL up to 0/1400000 (it is at 0/400000, 16.0 MB are "
            "left)");
  EXPECT_THAT(world_.database.asked(), AllOf(Contains("snapshot"), Contains("stream")));
  EXPECT_FALSE(board_.Read().stall);
}

TEST_F(SessionTest, AStopWhileAStandbyReplaysReadsNothing) {
  world_.database.Lag(std::deque<ReplayLag>(100'000));
  GiveAfter(absl::Seconds(30), engine::Command::kStop);
  const absl::Duration begin = time_.Monotonic();
  ASSERT_TRUE(Run().ok());
  EXPECT_LT(time_.Monotonic() - begin, absl::Seconds(31));
  EXPECT_THAT(world_.database.asked(), Not(Contains("snapshot")));
  EXPECT_FALSE(progressed_);
}

TEST_F(SessionTest, AStandbyThatIsLostWhileItReplaysEndsTheAttempt) {
  world_.database.FailAt("lag", absl::UnavailableError("the standby is gone"));
  EXPECT_TRUE(absl::IsUnavailable(Run()));
  EXPECT_THAT(world_.database.asked(), Not(Contains("snapshot")));
}

TEST_F(SessionTest, AHeartbeatHasItsAction) {
  config_.heartbeat->interval = absl::Seconds(2);
  GiveAfter(absl::Seconds(7), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  const std::vector<std::string> asked = world_.database.asked();
  // One at the end of the snapshot, then each interval.
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "heartbeat action"), 4);
}

}  // namespace
}  // namespace walduct::slot
