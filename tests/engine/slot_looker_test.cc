// One session for all slots of a server, as often as it is due, and never beside a look that a
// session has by itself.
#include "engine/lifecycle/slot_looker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/configuration/connector_options.h"
#include "tests/support/fake_world.h"
#include "tests/support/simulated_time.h"

namespace walduct::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Servers final : public World {
 public:
  explicit Servers(test::SimulatedTime* time) : time_(*time), environment_(time->environment()) {}

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return 1; }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const ConnectorOptions&,
                                                       sink::Refusals*) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const ConnectorOptions&) override {
    return absl::UnimplementedError("");
  }
  std::unique_ptr<Source> MakeSource(const SourceOptions&) override { return nullptr; }
  absl::StatusOr<std::vector<replication::SlotLook>> LookAtSlots(
      const ConnectorOptions&, const std::vector<std::string>& slots,
      const postgres::StopCheck&) override {
    asked.push_back(slots);
    time_.Advance(took);
    if (away) return absl::UnavailableError("away");
    std::vector<replication::SlotLook> looks(slots.size());
    for (size_t i = 0; i < slots.size(); ++i) looks[i].slot = slots[i];
    return looks;
  }

  std::vector<std::vector<std::string>> asked;
  bool away = false;
  absl::Duration took;

 private:
  test::SimulatedTime& time_;
  const Environment environment_;
};

class FakeSlot final : public WatchedSlot {
 public:
  FakeSlot(test::SimulatedTime* time, std::string server, std::string slot)
      : time_(*time), place_({.server = std::move(server), .slot = std::move(slot)}) {
    now.activity = Activity::kNone;
    now.state_since = now.activity_since = time_.Now();
  }
  const ConnectorOptions& config() const override { return config_; }
  const std::optional<SlotPlace>& slot_place() const override { return place_; }
  ConnectorStatus status() const override { return now; }
  std::optional<metrics::SlotView> slot_view() const override { return view; }
  void BeginWatch() override {}
  void ShowLook(const replication::SlotLook& look, absl::Duration at) override {
    EXPECT_EQ(look.slot, place_->slot);
    Looked(at);
  }
  void Looked(absl::Duration at) {
    view.emplace();
    view->wal_status = "reserved";
    view->looked_at = at;
  }

  ConnectorStatus now;
  std::optional<metrics::SlotView> view;

 private:
  test::SimulatedTime& time_;
  const ConnectorOptions config_ = test::FakeConfig();
  const std::optional<SlotPlace> place_;
};

class SlotLookerTest : public testing::Test {
 protected:
  std::shared_ptr<FakeSlot> Add(const std::string& server, const std::string& slot) {
    slots_.push_back(std::make_shared<FakeSlot>(&time_, server, slot));
    looker_.Watch(slots_.back());
    return slots_.back();
  }
  void Pass(absl::Duration duration) {
    for (absl::Duration passed; passed < duration; passed += absl::Seconds(1)) {
      time_.Advance(absl::Seconds(1));
      looker_.Turn();
    }
  }

  test::SimulatedTime time_;
  Servers world_{&time_};
  SlotLooker looker_{world_};
  std::vector<std::shared_ptr<FakeSlot>> slots_;
};

TEST_F(SlotLookerTest, OneLookForAllSlotsOfAServerEachTenSeconds) {
  for (int i = 0; i < 200; ++i) Add("one", std::to_string(i));
  Add("two", "other");
  Pass(absl::Seconds(1));
  ASSERT_THAT(world_.asked, SizeIs(2));
  EXPECT_THAT(world_.asked[0], SizeIs(200));
  EXPECT_THAT(world_.asked[1], ElementsAre("other"));
  world_.asked.clear();
  Pass(absl::Seconds(100));
  EXPECT_THAT(world_.asked, SizeIs(20));
}

TEST_F(SlotLookerTest, WhoStreamsLooksByItself) {
  const auto slot = Add("one", "s");
  slot->now.activity = Activity::kStreaming;
  for (int i = 0; i < 10; ++i) {
    Pass(absl::Seconds(9));
    slot->Looked(time_.Monotonic());
  }
  EXPECT_THAT(world_.asked, IsEmpty());
  Pass(absl::Seconds(16));
  EXPECT_THAT(world_.asked, SizeIs(1)) << "its session does not get to it";
}

TEST_F(SlotLookerTest, ThatASessionHasEndedIsLookedAtSoon) {
  const auto slot = Add("one", "s");
  slot->now.activity = Activity::kStreaming;
  slot->Looked(time_.Monotonic());
  Pass(absl::Seconds(5));
  slot->now.activity = Activity::kNone;
  slot->now.activity_since = time_.Now();
  Pass(absl::Seconds(1));
  EXPECT_THAT(world_.asked, SizeIs(1));
  Pass(absl::Seconds(8));
  EXPECT_THAT(world_.asked, SizeIs(1));
}

TEST_F(SlotLookerTest, ADoubtIsLookedAtSoon) {
  const auto slot = Add("one", "s");
  Pass(absl::Seconds(4));
  world_.asked.clear();
  slot->view->doubted = true;
  Pass(absl::Seconds(1));
  EXPECT_THAT(world_.asked, SizeIs(1));
}

TEST_F(SlotLookerTest, AServerThatIsAwayIsAskedNoMoreOften) {
  const auto slot = Add("one", "s");
  slot->now.activity = Activity::kRetrying;
  slot->now.activity_since = time_.Now() + absl::Seconds(50);
  world_.away = true;
  world_.took = absl::Seconds(5);
  Pass(absl::Seconds(100));
  EXPECT_LE(world_.asked.size(), 15u);
  EXPECT_GE(world_.asked.size(), 6u);
  EXPECT_FALSE(slot->view);
}

TEST_F(SlotLookerTest, WhoBeginsComesToItsServerByItself) {
  const auto slot = Add("one", "s");
  slot->now.activity = Activity::kConnecting;
  Pass(absl::Seconds(4));
  EXPECT_THAT(world_.asked, IsEmpty());
  Pass(absl::Seconds(3));
  EXPECT_THAT(world_.asked, SizeIs(1)) << "unless Kafka is waited for";
}

TEST_F(SlotLookerTest, WhatIsGoneIsForgotten) {
  Add("one", "s");
  Pass(absl::Seconds(2));
  world_.asked.clear();
  slots_.clear();
  Pass(absl::Seconds(30));
  EXPECT_THAT(world_.asked, IsEmpty());
}

}  // namespace
}  // namespace walduct::engine
