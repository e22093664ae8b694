// A slot.name that the server does not have, beside a slot that may be meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/error.h"
#include "engine/configuration/connector_options.h"
#include "replication/options.h"
#include "slot/start/preparation.h"
#include "slot/start/start_rules.h"
#include "snapshot/options.h"
#include "tests/support/fake_world.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {
namespace {

class MisspeltSlot : public testing::Test {
 protected:
  MisspeltSlot() {
    mailbox_.Post(engine::Command::kStart);
    control_.Take();
    world_.database.Commit({"a"});
    offset::StoredOffset offset;
    offset.position.commit_end = world_.database.end();
    offset.system_identifier = "7000";
    offset.timeline = 1;
    offset.written_by_walduct = true;
    world_.offsets.Store(offset);
    world_.database.FailAt("slot name", Error(absl::StatusCode::kFailedPrecondition,
                                              "slot_other_name", "slot.name is x", "set it"));
  }
  absl::StatusOr<Prepared> Prepare() {
    Preparation preparation({.config = &config_,
                             .world = &world_,
                             .source = {.metrics = &metrics_},
                             .control = &control_,
                             .board = &board_,
                             .slots_read = &slots_read_});
    return preparation.Run();
  }
  void ExpectNamedAndNothingMade() {
    const absl::Status status = Prepare().status();
    EXPECT_EQ(ErrorReason(status), "slot_other_name") << status;
    EXPECT_EQ(ErrorHint(status), "set it");
    EXPECT_FALSE(world_.database.has_slot());
    EXPECT_FALSE(world_.offsets.stored()->slot_held);
  }

  test::SimulatedTime time_;
  test::FakeWorld world_{time_.environment()};
  engine::ConnectorOptions config_ = test::FakeConfig();
  std::set<std::string> slots_read_;
  metrics::ConnectorMetrics metrics_;
  engine::Mailbox mailbox_;
  engine::StatusBoard board_{"orders", time_};
  engine::Control control_{mailbox_, board_};
};

TEST_F(MisspeltSlot, IsToldInThePlaceOfALostPosition) {
  ExpectNamedAndNothingMade();
  world_.database.FailAt("slot name", absl::OkStatus());
  EXPECT_EQ(ErrorReason(Prepare().status()), "position_lost");
}

TEST_F(MisspeltSlot, OneThatThisProcessHasReadWasDropped) {
  config_.replication->slot_name = "shop";
  slots_read_ = {"other"};
  EXPECT_EQ(ErrorReason(Prepare().status()), "slot_other_name");
  slots_read_ = {"shop"};
  EXPECT_EQ(ErrorReason(Prepare().status()), "position_lost");
}

TEST_F(MisspeltSlot, IsLookedForByWhatThePositionTells) {
  offset::StoredOffset offset = *world_.offsets.stored();
  offset.slot_name = "shop";
  world_.offsets.Store(offset);
  ASSERT_FALSE(Prepare().ok());
  EXPECT_EQ(world_.database.trace().position, offset.position.commit_end);
  EXPECT_EQ(world_.database.trace().slot, "shop");
  EXPECT_TRUE(world_.database.trace().exact);
}

// It was brought from elsewhere, and nothing was read here.
TEST(TraceOf, ADebeziumsPositionMayLieBeyondItsSlot) {
  const auto trace = TraceOf(*offset::DecodeOffset(R"({"lsn":500})"));
  EXPECT_FALSE(trace.exact);
  EXPECT_EQ(trace.slot, "");
  EXPECT_TRUE(TraceOf(*offset::DecodeOffset(R"({"lsn":500,"walduct_ordinal":0})")).exact);
}

TEST_F(MisspeltSlot, IsNotMadeAnewToBeHeld) {
  config_.replication->holds_lost_slot = true;
  ExpectNamedAndNothingMade();
  config_.snapshot->mode = snapshot::SnapshotMode::kWhenNeeded;
  ExpectNamedAndNothingMade();
}

TEST_F(MisspeltSlot, ASnapshotIsTakenWhereItIsAskedFor) {
  config_.snapshot->mode = snapshot::SnapshotMode::kWhenNeeded;
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->decision.snapshot);
  EXPECT_TRUE(world_.database.has_slot());
}

TEST_F(MisspeltSlot, WhatCannotBeAskedIsTheError) {
  world_.database.FailAt("slot name", absl::UnavailableError("server away"));
  EXPECT_EQ(Prepare().status().message(), "server away");
}

TEST_F(MisspeltSlot, ThePositionIsStoredWithTheNameOfTheSlotThatItIsReadFrom) {
  test::FakeSource source(world_.database);
  ASSERT_TRUE(source.CreateSlot({}, [] { return false; }).ok());
  offset::StoredOffset offset = *world_.offsets.stored();
  offset.position.commit_end = world_.database.end();
  offset.slot_name = "before";
  world_.offsets.Store(offset);
  config_.replication->slot_name = "shop";
  absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(world_.offsets.stored()->slot_name, "shop");
  EXPECT_EQ(prepared->NewOffset(config_).slot_name, "shop");
  config_.replication->restored_server = true;
  EXPECT_EQ(prepared->NewOffset(config_).slot_name, "before") << "the primary's is meant";
}

// A slot that was lost has its name.
TEST_F(MisspeltSlot, OneThatIsThereIsNotLookedFor) {
  test::FakeSource source(world_.database);
  ASSERT_TRUE(source.CreateSlot({}, [] { return false; }).ok());
  world_.database.FailAt(
      "check slot", Error(absl::StatusCode::kFailedPrecondition, "slot_lost", "gone", "create it"));
  EXPECT_EQ(ErrorReason(Prepare().status()), "slot_lost");
  config_.snapshot->mode = snapshot::SnapshotMode::kWhenNeeded;
  ASSERT_TRUE(Prepare().ok());
  EXPECT_THAT(world_.database.asked(), testing::Not(testing::Contains("slot name")));
}

}  // namespace
}  // namespace walduct::slot
