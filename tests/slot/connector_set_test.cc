// Several connectors in one process, each over a fake world of its own.
#include "engine/lifecycle/connector_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "engine/configuration/connector_options.h"
#include "engine/lifecycle/connector.h"
#include "replication/options.h"
#include "tests/support/await.h"
#include "tests/support/fake_world.h"

namespace walduct::slot {
namespace {

using test::Await;
using testing::ElementsAre;

// Two databases, told apart by the connector's name.
class TwoWorlds final : public World {
 public:
  const Environment& environment() const override { return orders.environment(); }
  uint64_t Random() override { return 1; }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions& config,
                                                       sink::Refusals* refusals) override {
    return Of(config).OpenSink(config, refusals);
  }
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions& config) override {
    return Of(config).OpenOffsetStore(config);
  }
  std::unique_ptr<Source> MakeSource(const SourceOptions& options) override {
    return Of(*options.config).MakeSource(options);
  }

  test::FakeWorld orders, payments;

 private:
  test::FakeWorld& Of(const engine::ConnectorOptions& config) {
    return config.name == "orders" ? orders : payments;
  }
};

class ConnectorSetTest : public testing::Test {
 protected:
  void Add(const std::string& name) {
    EXPECT_TRUE(set_.Add({.config = test::FakeConfig(name)}).ok());
  }
  bool AwaitState(const std::string& name, engine::ConnectorState state) {
    return Await([&] { return set_.Find(name)->status().state == state; });
  }
  bool AwaitStreaming(const std::string& name) {
    return Await(
        [&] { return set_.Find(name)->status().activity == engine::Activity::kStreaming; });
  }
  void RefusePayments() {
    worlds_.payments.database.Refuse(
        Error(absl::StatusCode::kFailedPrecondition, "slot_lost", "gone", "start anew"));
  }

  TwoWorlds worlds_;
  engine::ConnectorSet set_{worlds_};
  engine::StopSignal stop_;
};

TEST_F(ConnectorSetTest, OneThatFailsLeavesTheOthersAlone) {
  RefusePayments();
  Add("orders");
  Add("payments");
  ASSERT_TRUE(AwaitState("payments", engine::ConnectorState::kFailed));
  ASSERT_TRUE(AwaitStreaming("orders"));
  worlds_.orders.database.Commit({"a"});
  EXPECT_TRUE(Await([&] { return worlds_.orders.broker.keys().size() == 1; }));
}

TEST_F(ConnectorSetTest, TheWorstExitCodeIsThatOfAll) {
  RefusePayments();
  Add("orders");
  Add("payments");
  engine::ExitCode outcome = engine::kExitClean;
  std::thread waiting([&] { outcome = set_.AwaitEnd(stop_); });
  ASSERT_TRUE(AwaitState("payments", engine::ConnectorState::kFailed));
  ASSERT_TRUE(AwaitStreaming("orders"));
  stop_.Request();
  waiting.join();
  EXPECT_EQ(outcome, engine::kExitDataSafety);
  EXPECT_EQ(set_.Find("orders")->status().exit_code, engine::kExitClean);
}

TEST_F(ConnectorSetTest, EndsWhenAllHaveFailed) {
  RefusePayments();
  Add("payments");
  EXPECT_EQ(set_.AwaitEnd(stop_), engine::kExitDataSafety);
}

TEST_F(ConnectorSetTest, AStopEndsAllCleanly) {
  Add("orders");
  Add("payments");
  ASSERT_TRUE(AwaitStreaming("orders") && AwaitStreaming("payments"));
  stop_.Request();
  EXPECT_EQ(set_.AwaitEnd(stop_), engine::kExitClean);
  EXPECT_EQ(set_.Statuses()[0].state, engine::ConnectorState::kStopped);
  EXPECT_EQ(set_.Statuses()[1].state, engine::ConnectorState::kStopped);
}

TEST_F(ConnectorSetTest, AStopThatComesAtOnceEndsAll) {
  for (int round = 0; round < 20; ++round) {
    Add("orders");
    stop_.Request();
    EXPECT_EQ(set_.AwaitEnd(stop_), engine::kExitClean);
    EXPECT_TRUE(set_.Remove("orders").ok());
  }
}

TEST_F(ConnectorSetTest, APausedOneIsStoppedTooAndIsNoEnd) {
  Add("orders");
  ASSERT_TRUE(AwaitStreaming("orders"));
  engine::ExitCode outcome = engine::kExitFailure;
  std::thread waiting([&] { outcome = set_.AwaitEnd(stop_); });
  set_.Find("orders")->Pause();
  ASSERT_TRUE(AwaitState("orders", engine::ConnectorState::kPaused));
  set_.Find("orders")->Resume();
  ASSERT_TRUE(AwaitStreaming("orders")) << "it was not taken for ended";
  set_.Find("orders")->Pause();
  ASSERT_TRUE(AwaitState("orders", engine::ConnectorState::kPaused));
  stop_.Request();
  waiting.join();
  EXPECT_EQ(outcome, engine::kExitClean);
}

TEST_F(ConnectorSetTest, ConnectorsComeAndGoWhileOthersRun) {
  Add("orders");
  ASSERT_TRUE(AwaitStreaming("orders"));
  Add("payments");
  ASSERT_TRUE(AwaitStreaming("payments"));
  const std::shared_ptr<engine::Connector> removed = set_.Find("payments");
  EXPECT_TRUE(set_.Remove("payments").ok());
  EXPECT_EQ(set_.Find("payments"), nullptr);
  EXPECT_EQ(removed->status().state, engine::ConnectorState::kStopped);
  EXPECT_FALSE(worlds_.payments.database.streaming());
  EXPECT_EQ(set_.Find("orders")->status().activity, engine::Activity::kStreaming);
  Add("payments");
  EXPECT_TRUE(AwaitStreaming("payments"));
}

TEST_F(ConnectorSetTest, NamesAreTakenOnce) {
  Add("orders");
  EXPECT_EQ(ErrorReason(set_.Add({.config = test::FakeConfig("orders")})), "connector_exists");
  EXPECT_EQ(ErrorReason(set_.Remove("shipments")), "connector_unknown");
  EXPECT_EQ(set_.Statuses().size(), 1u);
}

// The second lane reads the other database.
class TwoLanesTest : public ConnectorSetTest {
 protected:
  static engine::ConnectorOptions TwoLanes() {
    engine::ConnectorOptions config = test::FakeConfig("orders");
    config.replication->share.count = 2;
    return config;
  }
  engine::ConnectorStatus Whole() { return *set_.StatusOf("orders"); }
  bool AwaitWhole(engine::ConnectorState state) {
    return Await([&] { return Whole().state == state; });
  }
};

TEST_F(TwoLanesTest, AreCommandedTogetherAndShownOneByOne) {
  ASSERT_TRUE(set_.Add({.config = TwoLanes()}).ok());
  ASSERT_TRUE(Await([&] { return Whole().activity == engine::Activity::kStreaming; }));
  std::vector<std::string> names;
  for (const engine::ConnectorView& view : set_.Views()) names.push_back(view.status.name);
  EXPECT_THAT(names, ElementsAre("orders", "orders/2"));
  worlds_.orders.database.Commit({"a"});
  worlds_.payments.database.Commit({"b"});
  EXPECT_TRUE(Await([&] {
    return worlds_.orders.broker.keys().size() == 1 && worlds_.payments.broker.keys().size() == 1;
  }));
  ASSERT_TRUE(set_.Post("orders", engine::Command::kPause));
  ASSERT_TRUE(AwaitWhole(engine::ConnectorState::kPaused));
  for (const engine::ConnectorStatus& lane : set_.Statuses()) EXPECT_EQ(lane.state, Whole().state);
  ASSERT_TRUE(set_.Post("orders", engine::Command::kResume));
  ASSERT_TRUE(Await([&] { return Whole().activity == engine::Activity::kStreaming; }));
  EXPECT_TRUE(set_.Remove("orders").ok());
  EXPECT_THAT(set_.Statuses(), testing::IsEmpty());
}

TEST_F(TwoLanesTest, OneThatFailsIsTheConnectorsFailureAndTheOtherGoesOn) {
  RefusePayments();
  ASSERT_TRUE(set_.Add({.config = TwoLanes()}).ok());
  ASSERT_TRUE(AwaitWhole(engine::ConnectorState::kFailed));
  EXPECT_EQ(Whole().name, "orders");
  EXPECT_EQ(Whole().last_error->reason, "slot_lost");
  ASSERT_TRUE(AwaitStreaming("orders"));
  worlds_.orders.database.Commit({"a"});
  EXPECT_TRUE(Await([&] { return worlds_.orders.broker.keys().size() == 1; }));
}

}  // namespace
}  // namespace walduct::slot
