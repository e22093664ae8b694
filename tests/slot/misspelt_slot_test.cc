// A slot.name that the server does not have, beside a slot that may be meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/configuration/connector_options.h"
#include "replication/options.h"
#include "slot/start/preparation.h"
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
                             .board = &board_});
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
