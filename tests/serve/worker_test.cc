#include "serve/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "absl/strings/match.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/poller.h"
#include "engine/lifecycle/connector.h"
#include "engine/lifecycle/connector_set.h"
#include "metrics/topic_board.h"
#include "serve/assignment/sole_worker.h"
#include "tests/serve/memory_topics.h"
#include "tests/serve/test_assignment.h"
#include "tests/serve/test_loader.h"
#include "tests/support/await.h"
#include "tests/support/fake_world.h"

namespace walduct::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A worker on topics in memory, whose connectors stream from a fake database. No thread of its own:
// the tests say when it looks.
class WorkerTest : public testing::Test {
 protected:
  ~WorkerTest() override {
    for (const auto& connector : connectors_.All())
      EXPECT_TRUE(connectors_.Remove(connector->name()).ok());
  }

  static ConfigMap Config(const std::string& name) {
    return {{"connector.class", std::string(kPostgresClass)}, {"name", name}};
  }

  Worker::Parts Parts() {
    return {.topics = &topics_,
            .assignment = &assignment_,
            .connectors = &connectors_,
            .environment = {&clock_, &Poller::Real()},
            .group = "g",
            .worker_id = "here:8083",
            .version = "3.6.1.Final",
            .loader = &loader_};
  }

  // Looks until it holds.
  void ReconcileUntil(const std::function<bool()>& condition, Worker* worker = nullptr) {
    Worker& one = worker == nullptr ? worker_ : *worker;
    test::Await([&] {
      one.Reconcile();
      return condition();
    });
  }

  std::string TaskState(const std::string& name) {
    const std::optional<StatusView> view = worker_.StatusOf(name);
    return view && view->task ? view->task->state : "";
  }

  void CreateRunning(const std::string& name) {
    ASSERT_TRUE(worker_.Create(name, Config(name), TargetState::kStarted).ok());
    ReconcileUntil([&] { return TaskState(name) == "RUNNING"; });
  }

  // The real time, and what a test adds to it.
  class ShiftedClock final : public Clock {
   public:
    absl::Time Now() override { return Clock::Real().Now() + shift; }
    absl::Duration Monotonic() override { return Clock::Real().Monotonic() + shift; }
    absl::Duration shift;
  };

  ShiftedClock clock_;
  std::shared_ptr<metrics::TopicBoard> board_ = std::make_shared<metrics::TopicBoard>();
  test::FakeWorld world_;
  engine::ConnectorSet connectors_{world_};
  test::MemoryTopics topics_;
  test::TestAssignment assignment_;
  test::TestLoader loader_{board_};
  Worker worker_{Parts()};
};

TEST_F(WorkerTest, AConnectorIsWrittenBeforeItRuns) {
  ASSERT_TRUE(worker_.Create("a", Config("a"), TargetState::kStarted).ok());
  EXPECT_THAT(topics_.Keys(InternalTopic::kConfigs), ElementsAre("connector-a"));
  EXPECT_EQ(worker_.Find("a")->tasks, 0);
  const auto is_told = [&] {
    const auto status = topics_.Last(InternalTopic::kStatus, "status-task-a-0");
    return status && absl::StrContains(*status, R"("state":"RUNNING")");
  };
  ReconcileUntil([&] { return TaskState("a") == "RUNNING" && is_told(); });
  EXPECT_THAT(topics_.Keys(InternalTopic::kConfigs),
              ElementsAre("connector-a", "task-a-0", "commit-a"));
  EXPECT_TRUE(is_told());
}

TEST_F(WorkerTest, WhatIsThereIsNotCreatedAgain) {
  CreateRunning("a");
  EXPECT_TRUE(absl::IsAlreadyExists(worker_.Create("a", Config("a"), TargetState::kStarted)));
}

TEST_F(WorkerTest, AnInitialStateIsWrittenFirst) {
  ASSERT_TRUE(worker_.Create("a", Config("a"), TargetState::kPaused).ok());
  worker_.Reconcile();
  EXPECT_THAT(topics_.Keys(InternalTopic::kConfigs), ElementsAre("target-state-a", "connector-a"));
  EXPECT_EQ(worker_.StatusOf("a")->state, "PAUSED");
  EXPECT_FALSE(worker_.StatusOf("a")->task.has_value());
  EXPECT_EQ(connectors_.Find("a"), nullptr);
}

TEST_F(WorkerTest, PauseKeepsTheTaskAndStopTakesIt) {
  CreateRunning("a");
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kPaused).ok());
  ReconcileUntil([&] { return TaskState("a") == "PAUSED"; });
  const size_t written = topics_.Keys(InternalTopic::kConfigs).size();
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kStopped).ok());
  ReconcileUntil([&] { return connectors_.Find("a") == nullptr; });
  EXPECT_THAT(topics_.Keys(InternalTopic::kConfigs, written),
              ElementsAre("commit-a", "target-state-a"));
  EXPECT_EQ(TaskState("a"), "");
  worker_.Reconcile();
  EXPECT_FALSE(topics_.Last(InternalTopic::kStatus, "status-task-a-0").has_value());
  // Paused from there it has no task either, and cannot be altered.
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kPaused).ok());
  worker_.Reconcile();
  EXPECT_EQ(worker_.StatusOf("a")->state, "PAUSED");
  EXPECT_EQ(TaskState("a"), "");
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kStarted).ok());
  ReconcileUntil([&] { return TaskState("a") == "RUNNING"; });
}

TEST_F(WorkerTest, AnUnchangedConfigurationRestartsNothing) {
  CreateRunning("a");
  const auto before = connectors_.Find("a");
  EXPECT_FALSE(*worker_.PutConfig("a", Config("a"), false));
  worker_.Reconcile();
  EXPECT_EQ(connectors_.Find("a"), before);
  EXPECT_EQ(loader_.loads, 1);
}

TEST_F(WorkerTest, AChangedConfigurationReplacesTheConnector) {
  CreateRunning("a");
  const auto before = connectors_.Find("a");
  ConfigMap config = Config("a");
  PutValue(&config, "poll.interval.ms", "250");
  EXPECT_FALSE(*worker_.PutConfig("a", config, false));
  ReconcileUntil(
      [&] { return connectors_.Find("a") != nullptr && connectors_.Find("a") != before; });
  EXPECT_EQ(loader_.loads, 2);
}

TEST_F(WorkerTest, WhatCannotBeLoadedFailsAlone) {
  CreateRunning("a");
  ConfigMap bad = Config("b");
  PutValue(&bad, "bad", "yes");
  ASSERT_TRUE(worker_.Create("b", bad, TargetState::kStarted).ok());
  ReconcileUntil([&] { return TaskState("b") == "FAILED"; });
  EXPECT_EQ(worker_.StatusOf("b")->state, "RUNNING");
  EXPECT_THAT(worker_.StatusOf("b")->task->trace, HasSubstr("is bad"));
  EXPECT_EQ(TaskState("a"), "RUNNING");
  // Not tried again until somebody asks.
  worker_.Reconcile();
  EXPECT_EQ(loader_.loads, 2);
  ASSERT_TRUE(worker_.RestartTask("b", "0").ok());
  worker_.Reconcile();
  EXPECT_EQ(loader_.loads, 3);
}

TEST_F(WorkerTest, DeletedIsGoneFromTheTopics) {
  CreateRunning("a");
  ASSERT_TRUE(worker_.Delete("a").ok());
  EXPECT_FALSE(worker_.StatusOf("a").has_value());
  ReconcileUntil([&] { return connectors_.Find("a") == nullptr; });
  worker_.Reconcile();
  EXPECT_FALSE(topics_.Last(InternalTopic::kConfigs, "connector-a").has_value());
  EXPECT_FALSE(topics_.Last(InternalTopic::kStatus, "status-connector-a").has_value());
  EXPECT_FALSE(topics_.Last(InternalTopic::kStatus, "status-task-a-0").has_value());
  EXPECT_TRUE(absl::IsNotFound(worker_.Delete("a")));
}

// Whoever drops the slot of one would lose what the other has not read.
TEST_F(WorkerTest, ASlotOfTwoConnectorsIsToldOf) {
  const auto said = [](const std::function<absl::Status()>& act) {
    testing::internal::CaptureStderr();
    EXPECT_TRUE(act().ok());
    return testing::internal::GetCapturedStderr();
  };
  const auto put = [&](const std::string& name, const std::string& slot, bool loads = true) {
    ConfigMap config = Config(name);
    PutValue(&config, "slot.name", slot);
    if (!loads) PutValue(&config, test::TestLoader::kUnknownProperty, "x");
    return said([&] { return worker_.PutConfig(name, config, false).status(); });
  };
  EXPECT_THAT(put("a", "s") + put("b", "other"), Not(HasSubstr("reads it")));
  EXPECT_THAT(put("c", "s"), HasSubstr("connector a of this worker reads it"));
  EXPECT_THAT(put("b", "s"), HasSubstr("connector a, c of this worker reads it"));
  EXPECT_THAT(put("b", "s"), Not(HasSubstr("reads it"))) << "nothing has changed";
  const std::string deleted = said([&] { return worker_.Delete("a"); });
  EXPECT_THAT(deleted, HasSubstr("leave the slot as it is: connector b, c would lose"));
  EXPECT_THAT(deleted, Not(HasSubstr("pg_drop_replication_slot")));
  EXPECT_TRUE(worker_.Delete("b").ok());
  // Whether it is another slot is not known of one whose configuration does not load.
  put("d", "s", /*loads=*/false);
  EXPECT_THAT(said([&] { return worker_.Delete("c"); }), HasSubstr("as it is: connector d would"));
  EXPECT_THAT(said([&] { return worker_.Delete("d"); }), HasSubstr("_replication_slot('s')"));
}

TEST_F(WorkerTest, MadeAgainWhileItEndsItHasNoTaskOfItsLifeBefore) {
  CreateRunning("a");
  const auto before = connectors_.Find("a");
  ASSERT_TRUE(worker_.Delete("a").ok());
  ASSERT_TRUE(worker_.Create("a", Config("a"), TargetState::kStarted).ok());
  ASSERT_EQ(connectors_.Find("a"), before);
  EXPECT_EQ(worker_.StatusOf("a")->state, "RUNNING");
  EXPECT_EQ(TaskState("a"), "");
  ReconcileUntil([&] { return TaskState("a") == "RUNNING"; });
  EXPECT_NE(connectors_.Find("a"), before);
  EXPECT_EQ(worker_.Find("a")->tasks, 1);
}

TEST_F(WorkerTest, ResumedWhileItStopsItStartsAnew) {
  CreateRunning("a");
  const auto before = connectors_.Find("a");
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kStopped).ok());
  worker_.Reconcile();
  ASSERT_EQ(connectors_.Find("a"), before);
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kStarted).ok());
  ReconcileUntil([&] { return TaskState("a") == "RUNNING"; });
  EXPECT_NE(connectors_.Find("a"), before);
}

TEST_F(WorkerTest, TheNextWorkerFindsWhatTheTopicsSay) {
  ASSERT_TRUE(worker_.Create("runs", Config("runs"), TargetState::kStarted).ok());
  ASSERT_TRUE(worker_.Create("paused", Config("paused"), TargetState::kPaused).ok());
  ASSERT_TRUE(worker_.Create("gone", Config("gone"), TargetState::kStopped).ok());
  ASSERT_TRUE(worker_.Delete("gone").ok());
  Worker next(Parts());
  ASSERT_TRUE(next.Load().ok());
  EXPECT_THAT(next.Names(), ElementsAre("paused", "runs"));
  EXPECT_EQ(next.StatusOf("paused")->state, "PAUSED");
  ReconcileUntil([&] { return connectors_.Find("runs") != nullptr; }, &next);
}

TEST_F(WorkerTest, OtherClassesAreListedAndLeftAlone) {
  const ConfigMap other = {{"connector.class", "org.example.Sink"}, {"name", "s"}};
  ASSERT_TRUE(
      topics_
          .Write(InternalTopic::kConfigs, {{.key = "connector-s", .value = ConnectorValue(other)}})
          .ok());
  ASSERT_TRUE(
      topics_.Write(InternalTopic::kStatus, {{.key = "status-connector-s", .value = "{}"}}).ok());
  ASSERT_TRUE(worker_.Load().ok());
  worker_.Reconcile();
  EXPECT_THAT(worker_.Names(), ElementsAre("s"));
  EXPECT_EQ(worker_.StatusOf("s")->state, "UNASSIGNED");
  EXPECT_EQ(loader_.loads, 0);
  EXPECT_TRUE(absl::IsFailedPrecondition(worker_.Delete("s")));
  EXPECT_TRUE(absl::IsFailedPrecondition(worker_.SetTarget("s", TargetState::kPaused)));
  EXPECT_EQ(*topics_.Last(InternalTopic::kStatus, "status-connector-s"), "{}");
}

TEST_F(WorkerTest, RestartSaysWhatWillRestart) {
  CreateRunning("a");
  const size_t written = topics_.Keys(InternalTopic::kConfigs).size();
  EXPECT_EQ(worker_.Restart("a", false, false)->task->state, "RUNNING");
  EXPECT_THAT(topics_.Keys(InternalTopic::kConfigs, written), IsEmpty());
  const absl::StatusOr<StatusView> all = worker_.Restart("a", true, false);
  EXPECT_EQ(all->state, "RESTARTING");
  EXPECT_EQ(all->task->state, "RESTARTING");
  EXPECT_EQ(worker_.Restart("a", true, true)->task->state, "RUNNING");
  EXPECT_THAT(topics_.Keys(InternalTopic::kConfigs, written),
              ElementsAre("restart-connector-a", "restart-connector-a"));
  ReconcileUntil([&] { return TaskState("a") == "RUNNING"; });
}

TEST_F(WorkerTest, OffsetsAreChangedOnceTheConnectorHasEnded) {
  CreateRunning("a");
  EXPECT_TRUE(
      absl::IsFailedPrecondition(worker_.WhileStopped("a", [] { return absl::OkStatus(); })));
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kStopped).ok());
  ReconcileUntil([&] { return connectors_.Find("a") == nullptr; });
  bool changed = false;
  EXPECT_TRUE(worker_
                  .WhileStopped("a",
                                [&] {
                                  changed = true;
                                  return absl::OkStatus();
                                })
                  .ok());
  EXPECT_TRUE(changed);
}

// It has ended when the change begins, stays paused, and begins anew.
TEST_F(WorkerTest, APausedConnectorIsEndedForAChange) {
  CreateRunning("a");
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kPaused).ok());
  ReconcileUntil([&] { return TaskState("a") == "PAUSED"; });
  EXPECT_TRUE(
      absl::IsFailedPrecondition(worker_.WhileStopped("a", [] { return absl::OkStatus(); })));
  absl::Status changed = absl::UnknownError("not yet");
  std::atomic<bool> done{false};
  std::thread asks([&] {
    changed = worker_.WhileStopped(
        "a",
        [&] {
          return connectors_.Find("a") == nullptr ? absl::OkStatus()
                                                  : absl::InternalError("it runs");
        },
        /*also_paused=*/true);
    done = true;
  });
  ReconcileUntil([&] { return done.load(); });
  asks.join();
  EXPECT_TRUE(changed.ok()) << changed;
  EXPECT_EQ(worker_.StatusOf("a")->state, "PAUSED");
  EXPECT_EQ(TaskState("a"), "PAUSED");
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kStarted).ok());
  ReconcileUntil([&] { return TaskState("a") == "RUNNING"; });
}

TEST_F(WorkerTest, WithoutTheGroupsSeatNothingIsWritten) {
  assignment_.confirmed = absl::AbortedError("not now");
  EXPECT_TRUE(absl::IsAborted(worker_.Create("a", Config("a"), TargetState::kStarted)));
  EXPECT_THAT(worker_.Names(), IsEmpty());
  worker_.Reconcile();
  EXPECT_THAT(topics_.Keys(InternalTopic::kStatus), IsEmpty());
}

// Without the seat for a while: another worker may have changed what is to run.
TEST_F(WorkerTest, TheTopicsAreReadAgainWhenItMayWriteAgain) {
  ASSERT_TRUE(worker_.Load().ok());
  CreateRunning("kept");
  CreateRunning("paused");
  CreateRunning("deleted");
  const auto kept = connectors_.Find("kept");
  assignment_.confirmed = absl::UnavailableError("Kafka is away");
  worker_.Reconcile();
  EXPECT_TRUE(absl::IsUnavailable(worker_.SetTarget("kept", TargetState::kPaused)));
  Worker::Parts parts = Parts();
  parts.connectors = nullptr;
  SoleWorker sole;
  parts.assignment = &sole;
  Worker other(parts);
  ASSERT_TRUE(other.Load().ok());
  ASSERT_TRUE(other.SetTarget("paused", TargetState::kPaused).ok());
  ASSERT_TRUE(other.Delete("deleted").ok());
  ASSERT_TRUE(other.Create("new", Config("new"), TargetState::kStarted).ok());
  worker_.Reconcile();
  EXPECT_EQ(TaskState("paused"), "RUNNING");  // not asked for here
  assignment_.confirmed = absl::OkStatus();
  ReconcileUntil([&] {
    return TaskState("paused") == "PAUSED" && TaskState("new") == "RUNNING" &&
           connectors_.Find("deleted") == nullptr;
  });
  EXPECT_THAT(worker_.Names(), ElementsAre("kept", "new", "paused"));
  EXPECT_EQ(connectors_.Find("kept"), kept);
}

TEST_F(WorkerTest, AnAnswerThatDidNotComeIsLookedUp) {
  ASSERT_TRUE(worker_.Load().ok());
  CreateRunning("a");
  topics_.FailWith(absl::DeadlineExceededError("no answer"));
  const absl::Status paused = worker_.SetTarget("a", TargetState::kPaused);
  EXPECT_THAT(std::string(paused.message()), HasSubstr("may have been stored"));
  EXPECT_EQ(ErrorReason(paused), "change_not_acknowledged");
  // It had been.
  topics_.FailWith(absl::OkStatus());
  ASSERT_TRUE(topics_
                  .Write(InternalTopic::kConfigs,
                         {{.key = TargetKey("a"), .value = TargetValue(TargetState::kPaused)}})
                  .ok());
  ReconcileUntil([&] { return TaskState("a") == "PAUSED"; });
}

TEST_F(WorkerTest, ATopicThatHasLostEverythingIsNoOrder) {
  ASSERT_TRUE(worker_.Load().ok());
  CreateRunning("a");
  assignment_.confirmed = absl::UnavailableError("Kafka is away");
  worker_.Reconcile();
  topics_.LoseAll();
  assignment_.confirmed = absl::OkStatus();
  worker_.Reconcile();
  EXPECT_EQ(TaskState("a"), "RUNNING");
  // What is known here is in them again.
  ReconcileUntil([&] { return !topics_.Records(InternalTopic::kStatus).empty(); });
  EXPECT_TRUE(topics_.Last(InternalTopic::kConfigs, ConnectorKey("a")));
  EXPECT_TRUE(topics_.Last(InternalTopic::kConfigs, CommitKey("a")));
  ASSERT_TRUE(worker_.SetTarget("a", TargetState::kPaused).ok());
  ReconcileUntil([&] { return TaskState("a") == "PAUSED"; });
}

TEST_F(WorkerTest, ATopicThatWasDeletedIsBroughtBack) {
  ASSERT_TRUE(worker_.Load().ok());
  CreateRunning("a");
  CreateRunning("b");
  ASSERT_TRUE(worker_.SetTarget("b", TargetState::kPaused).ok());
  ReconcileUntil([&] { return TaskState("b") == "PAUSED"; });
  topics_.BeGone();
  topics_.FailWith(absl::UnavailableError("topic a: Local: Unknown partition"));
  const absl::Status paused = worker_.SetTarget("a", TargetState::kPaused);
  EXPECT_EQ(ErrorReason(paused), "worker_topic_gone");
  EXPECT_THAT(std::string(paused.message()), HasSubstr("Nothing was stored"));
  EXPECT_EQ(ErrorReason(worker_.TopicsTrouble()), "worker_topic_gone");
  topics_.FailWith(absl::OkStatus());
  ReconcileUntil([&] { return worker_.TopicsTrouble().ok(); });
  EXPECT_EQ(TaskState("a"), "RUNNING");
  Worker other(Parts());
  ASSERT_TRUE(other.Load().ok());
  EXPECT_THAT(other.Names(), ElementsAre("a", "b"));
  EXPECT_EQ(topics_.Last(InternalTopic::kConfigs, TargetKey("b")),
            TargetValue(TargetState::kPaused));
}

TEST_F(WorkerTest, WhatIsForgottenEndsAndIsTakenUpAgain) {
  ASSERT_TRUE(worker_.Load().ok());
  CreateRunning("a");
  assignment_.confirmed = absl::AbortedError("another worker serves");
  worker_.Forget();
  ReconcileUntil([&] { return connectors_.Find("a") == nullptr; });
  EXPECT_THAT(worker_.Names(), IsEmpty());
  assignment_.confirmed = absl::OkStatus();
  worker_.Reconcile();
  EXPECT_THAT(worker_.Names(), IsEmpty());
  ASSERT_TRUE(worker_.Load().ok());
  ReconcileUntil([&] { return TaskState("a") == "RUNNING"; });
}

TEST_F(WorkerTest, WithoutTheSeatNothingNewBegins) {
  ASSERT_TRUE(worker_.Load().ok());
  ASSERT_TRUE(worker_.Create("a", Config("a"), TargetState::kStarted).ok());
  assignment_.confirmed = absl::UnavailableError("Kafka is away");
  worker_.Reconcile();
  EXPECT_EQ(connectors_.Find("a"), nullptr);
  assignment_.confirmed = absl::OkStatus();
  ReconcileUntil([&] { return TaskState("a") == "RUNNING"; });
}

TEST_F(WorkerTest, ATopicThatCouldNotBeWrittenIsWrittenLater) {
  CreateRunning("a");
  board_->Of("t")->Set();
  topics_.FailWith(absl::UnavailableError("Kafka is away"));
  worker_.Reconcile();
  EXPECT_THAT(worker_.TopicsOf("a"), IsEmpty());
  topics_.FailWith(absl::OkStatus());
  clock_.shift = absl::Seconds(6);
  worker_.Reconcile();
  EXPECT_THAT(worker_.TopicsOf("a"), ElementsAre("t"));
  EXPECT_TRUE(topics_.Last(InternalTopic::kStatus, "status-topic-t:connector-a").has_value());
}

TEST_F(WorkerTest, ATopicOfBeforeAResetIsThereAgainOnceItIsWrittenTo) {
  CreateRunning("a");
  metrics::TopicBoard::Mark* const mark = board_->Of("t");
  mark->Set();
  worker_.Reconcile();
  EXPECT_THAT(worker_.TopicsOf("a"), ElementsAre("t"));
  mark->Set();
  ASSERT_TRUE(worker_.ResetTopics("a").ok());
  worker_.Reconcile();
  EXPECT_THAT(worker_.TopicsOf("a"), IsEmpty());
  mark->Set();
  worker_.Reconcile();
  EXPECT_THAT(worker_.TopicsOf("a"), ElementsAre("t"));
}

TEST_F(WorkerTest, ARestartWhileItsStatusIsWrittenIsWrittenToo) {
  CreateRunning("a");
  worker_.Reconcile();
  const auto times = [this] {
    const std::vector<std::string> keys = topics_.Keys(InternalTopic::kStatus);
    return std::count(keys.begin(), keys.end(), "status-task-a-0");
  };
  ASSERT_TRUE(worker_.RestartTask("a", "0").ok());
  topics_.DuringNextWrite([this] { EXPECT_TRUE(worker_.RestartTask("a", "0").ok()); });
  const auto before = times();
  worker_.Reconcile();
  worker_.Reconcile();
  EXPECT_GE(times(), before + 2);
  ReconcileUntil([&] { return TaskState("a") == "RUNNING"; });
}

TEST_F(WorkerTest, WhatKafkaDidNotTakeDidNotHappen) {
  topics_.FailWith(absl::UnavailableError("Kafka is away"));
  EXPECT_TRUE(absl::IsUnavailable(worker_.Create("a", Config("a"), TargetState::kStarted)));
  EXPECT_THAT(worker_.Names(), IsEmpty());
}

}  // namespace
}  // namespace walduct::serve
