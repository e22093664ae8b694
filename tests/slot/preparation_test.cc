#include "slot/start/preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/record_error_options.h"
#include "replication/options.h"
#include "route/options.h"
#include "slot/lanes/handover_news.h"
#include "snapshot/options.h"
#include "tests/support/fake_world.h"
#include "tests/support/simulated_time.h"
#include "transform/chain/chain_spec.h"

namespace walduct::slot {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class PreparationTest : public testing::Test {
 protected:
  PreparationTest() {
    mailbox_.Post(engine::Command::kStart);
    control_.Take();
  }

  absl::StatusOr<Prepared> Prepare() {
    Preparation preparation({.config = &config_,
                             .world = &world_,
                             .source = {.metrics = &metrics_},
                             .control = &control_,
                             .board = &board_});
    return preparation.Run();
  }
  // A position is stored and the slot is there.
  void WasRunning(Lsn position) {
    FakeSlot();
    offset::StoredOffset offset;
    offset.position.commit_end = position;
    offset.position.ordinal = 2;
    offset.system_identifier = "7000";
    offset.timeline = 1;
    world_.offsets.Store(offset);
  }
  void FakeSlot() {
    test::FakeSource source(world_.database);
    ASSERT_TRUE(source.CreateSlot({}, [] { return false; }).ok());
  }
  std::vector<std::string> asked() const { return world_.database.asked(); }

  test::SimulatedTime time_;
  test::FakeWorld world_{time_.environment()};
  engine::ConnectorOptions config_ = test::FakeConfig();
  metrics::ConnectorMetrics metrics_;
  engine::Mailbox mailbox_;
  engine::StatusBoard board_{"orders", time_};
  engine::Control control_{mailbox_, board_};
};

TEST_F(PreparationTest, TheFirstStartCreatesTopicsThenPublicationThenSlot) {
  const Lsn end = world_.database.Commit({"a"});
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->decision.snapshot);
  EXPECT_TRUE(prepared->decision.stream);
  EXPECT_EQ(prepared->start.commit_end, end);
  EXPECT_FALSE(prepared->resumes());
  EXPECT_THAT(asked(), ElementsAre("check slot", "preview", "check plan", "publication", "slot"));
  EXPECT_THAT(world_.broker.topics(), ElementsAre("srv.public.orders"));
}

TEST_F(PreparationTest, ALaterStartResumesAtTheStoredPosition) {
  WasRunning(Lsn(1000));
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->resumes());
  EXPECT_FALSE(prepared->decision.snapshot);
  EXPECT_EQ(prepared->start.commit_end, Lsn(1000));
  EXPECT_EQ(prepared->start.ordinal, 2u);
}

// So that what whoever had the slot before may yet store is found to be of another time.
TEST_F(PreparationTest, TheStoredOffsetIsTakenOver) {
  WasRunning(Lsn(1000));
  offset::StoredOffset offset = *world_.offsets.stored();
  offset.written_by_walduct = true;
  world_.offsets.Store(offset);
  ASSERT_TRUE(Prepare().ok());
  const std::string first = world_.offsets.stored()->taken_by;
  EXPECT_NE(first, "");
  EXPECT_EQ(world_.offsets.stored()->position, offset.position);
  ASSERT_TRUE(Prepare().ok());
  EXPECT_NE(world_.offsets.stored()->taken_by, first);
}

// What an earlier instance may yet store, that had found nothing either, would leave changes out.
TEST_F(PreparationTest, ASlotWithoutAnOffsetIsTakenOverWhereItStands) {
  FakeSlot();
  config_.snapshot->mode = snapshot::SnapshotMode::kNoData;
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  ASSERT_TRUE(world_.offsets.stored());
  EXPECT_NE(world_.offsets.stored()->taken_by, "");
  EXPECT_EQ(world_.offsets.stored()->position.commit_end, prepared->start.commit_end);
  EXPECT_EQ(world_.offsets.stored()->position.snapshot, event::SnapshotPhase::kNone);
  ASSERT_TRUE(Prepare()->resumes());
}

// By word of whoever upgraded it: once. The next start is one on its own server.
TEST_F(PreparationTest, OnAnUpgradedServerThePositionBecomesOneOfItsOwn) {
  for (const auto phase : {event::SnapshotPhase::kNone, event::SnapshotPhase::kRunning}) {
    world_.database.Commit({"a"});
    if (!world_.offsets.stored()) FakeSlot();
    offset::StoredOffset old;
    old.position.commit_end = Lsn(5);
    old.position.xid = 3;
    old.position.snapshot = phase;
    old.system_identifier = "6000";
    old.timeline = 4;
    old.seen_behind = Lsn(4);
    old.members = {{"walduct_tables", "{}"}};
    old.written_by_walduct = true;
    world_.offsets.Store(old);
    EXPECT_EQ(ErrorReason(Prepare().status()), "system_mismatch");
    world_.database.Upgrade();
    EXPECT_EQ(ErrorReason(Prepare().status()), "server_upgraded");
    EXPECT_EQ(world_.offsets.stored()->system_identifier, "6000");
    config_.replication->offset_mismatch = replication::OffsetMismatch::kTrustSlot;
    const absl::StatusOr<Prepared> prepared = Prepare();
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    // Rows that had not all been read are read now.
    EXPECT_EQ(prepared->decision.snapshot, phase == event::SnapshotPhase::kRunning);
    EXPECT_GT(prepared->start.commit_end, Lsn(5));
    const offset::StoredOffset now = *world_.offsets.stored();
    EXPECT_EQ(now.position.commit_end, prepared->start.commit_end);
    EXPECT_EQ(now.position.snapshot, phase);
    EXPECT_EQ(now.position.xid, 3u);
    EXPECT_EQ(now.system_identifier, "7000");
    EXPECT_EQ(now.timeline, 1u);
    EXPECT_FALSE(now.seen_behind);
    EXPECT_EQ(now.members, old.members);
    config_.replication->offset_mismatch = replication::OffsetMismatch::kNoValidation;
    ASSERT_TRUE(Prepare().ok());
    world_.database.Forget();
  }
}

TEST_F(PreparationTest, ASnapshotBeginsItsTransactionAnew) {
  WasRunning(Lsn(1000));
  config_.snapshot->mode = snapshot::SnapshotMode::kAlways;
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_FALSE(prepared->resumes());
  EXPECT_EQ(prepared->start.ordinal, 0u);
}

TEST_F(PreparationTest, NothingIsAskedOfTheDatabaseWhileTheOffsetsAreAway) {
  world_.offsets.Fail(absl::UnavailableError("broker away"));
  EXPECT_EQ(Prepare().status().message(), "broker away");
  EXPECT_THAT(asked(), IsEmpty());
  EXPECT_EQ(board_.Read().wait, engine::WaitReason::kOffsetStore);
}

TEST_F(PreparationTest, NothingIsCreatedWhenTheStartIsRefused) {
  WasRunning(Lsn(900'000));
  EXPECT_EQ(ErrorReason(Prepare().status()), "position_ahead");
  EXPECT_THAT(asked(), Not(Contains("publication")));
  EXPECT_THAT(world_.broker.topics(), IsEmpty());
}

TEST_F(PreparationTest, AnUnusableSlotIsRefused) {
  world_.database.FailAt(
      "check slot", Error(absl::StatusCode::kFailedPrecondition, "slot_lost", "gone", "create it"));
  EXPECT_EQ(ErrorReason(Prepare().status()), "slot_lost");
}

TEST_F(PreparationTest, ASlotThatIsGoneIsPositionLostUnlessASnapshotIsAllowed) {
  WasRunning(Lsn(1000));
  world_.database.DropSlot();
  EXPECT_EQ(ErrorReason(Prepare().status()), "position_lost");
  config_.snapshot->mode = snapshot::SnapshotMode::kWhenNeeded;
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->decision.snapshot);
  EXPECT_TRUE(world_.database.has_slot());
}

TEST_F(PreparationTest, ASnapshotIsRememberedBeforeTheSlotIsCreated) {
  world_.database.FailAt("slot", absl::UnavailableError("cut short"));
  EXPECT_EQ(Prepare().status().message(), "cut short");
  ASSERT_TRUE(world_.offsets.stored());
  EXPECT_EQ(world_.offsets.stored()->position.snapshot, event::SnapshotPhase::kRunning);
  EXPECT_EQ(world_.offsets.stored()->system_identifier, "7000");
  EXPECT_EQ(world_.offsets.stored()->timeline, 1u);
}

TEST_F(PreparationTest, ASnapshotThatIsRememberedKeepsABlockingOneThatWaits) {
  WasRunning(Lsn(1000));
  offset::StoredOffset offset = *world_.offsets.stored();
  offset.members = {{"walduct_blocking_snapshots", R"("[{}]")"},
                    {"incremental_snapshot_correlation_id", R"("s1")"}};
  world_.offsets.Store(offset);
  config_.snapshot->mode = snapshot::SnapshotMode::kAlways;
  ASSERT_TRUE(Prepare().ok());
  EXPECT_EQ(world_.offsets.stored()->position.snapshot, event::SnapshotPhase::kRunning);
  EXPECT_THAT(world_.offsets.stored()->members,
              testing::ElementsAre(testing::Pair("walduct_blocking_snapshots", R"("[{}]")")));
}

TEST_F(PreparationTest, WhereThePublicationIsRefusedNothingIsRemembered) {
  world_.database.FailAt("publication", absl::PermissionDeniedError("not the owner"));
  EXPECT_EQ(Prepare().status().message(), "not the owner");
  EXPECT_FALSE(world_.offsets.stored());
}

TEST_F(PreparationTest, NoSlotIsCreatedWhereTheSnapshotCannotBeRemembered) {
  world_.offsets.FailSaves(absl::UnavailableError("broker away"));
  EXPECT_EQ(Prepare().status().message(), "broker away");
  EXPECT_THAT(asked(), Not(Contains("slot")));
}

TEST_F(PreparationTest, AnInterruptedRecoverySnapshotIsTakenAgainWhateverTheStrategy) {
  using replication::OffsetMismatch;
  config_.snapshot->mode = snapshot::SnapshotMode::kWhenNeeded;
  for (const auto strategy : {OffsetMismatch::kNoValidation, OffsetMismatch::kTrustOffset,
                              OffsetMismatch::kTrustSlot, OffsetMismatch::kTrustGreaterLsn}) {
    config_.replication->offset_mismatch = strategy;
    WasRunning(Lsn(900));
    world_.database.DropSlot();
    ASSERT_TRUE(Prepare().ok());
    // Here it dies: the slot is there, and ahead of the position that was stored.
    ASSERT_TRUE(world_.database.has_slot());
    const absl::StatusOr<Prepared> again = Prepare();
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(again->decision.snapshot);
  }
}

TEST_F(PreparationTest, SLT_13_ALostSlotIsReplacedWhenNeeded) {
  WasRunning(Lsn(1000));
  world_.database.FailAt(
      "check slot", Error(absl::StatusCode::kFailedPrecondition, "slot_lost", "gone", "create it"));
  EXPECT_EQ(ErrorReason(Prepare().status()), "slot_lost");
  EXPECT_TRUE(world_.database.has_slot());
  config_.snapshot->mode = snapshot::SnapshotMode::kWhenNeeded;
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->decision.snapshot);
  EXPECT_THAT(asked(), testing::IsSupersetOf({"publication", "drop slot", "slot"}));
  EXPECT_EQ(metrics_.recovery_snapshots.value(), 1u);
}

// walduct.slot.lost=hold.
class SlotHold : public PreparationTest {
 protected:
  SlotHold() {
    config_.replication->holds_lost_slot = true;
    world_.database.Commit({"a"});
    WasRunning(world_.database.end());
    offset::StoredOffset offset = *world_.offsets.stored();
    offset.written_by_walduct = true;
    world_.offsets.Store(offset);
    before_ = offset.position;
    world_.database.Commit({"b"});
  }
  void ExpectHeld() {
    const absl::Status status = Prepare().status();
    EXPECT_EQ(ErrorReason(status), "lost_slot_held") << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(before_.commit_end.ToString()));
    EXPECT_TRUE(world_.database.has_slot());
    EXPECT_EQ(world_.offsets.stored()->position, before_);
    EXPECT_TRUE(world_.offsets.stored()->slot_held);
  }
  long Made() const {
    const std::vector<std::string> all = asked();
    return std::count(all.begin(), all.end(), "slot");
  }

  event::Position before_;
};

TEST_F(SlotHold, ASlotThatIsGoneIsMadeAnewAndNotStreamedFrom) {
  world_.database.DropSlot();
  using replication::OffsetMismatch;
  for (const auto mode : {snapshot::SnapshotMode::kInitial, snapshot::SnapshotMode::kWhenNeeded}) {
    for (const auto strategy : {OffsetMismatch::kNoValidation, OffsetMismatch::kTrustSlot}) {
      config_.snapshot->mode = mode;
      config_.replication->offset_mismatch = strategy;
      ExpectHeld();
    }
  }
  // The one of the start; the later ones find that it stands.
  EXPECT_EQ(Made(), 2);
  EXPECT_EQ(metrics_.recovery_snapshots.value(), 0u);
}

TEST_F(SlotHold, WhatIsLeftOfALostSlotMakesRoom) {
  world_.database.FailAt(
      "check slot", Error(absl::StatusCode::kFailedPrecondition, "slot_lost", "gone", "create it"));
  ExpectHeld();
  EXPECT_THAT(asked(), testing::IsSupersetOf({"drop slot", "slot"}));
  EXPECT_THAT(asked(), Not(Contains("publication")));
}

TEST_F(SlotHold, ThatItCannotBeMadeIsSaid) {
  world_.database.DropSlot();
  world_.database.FailAt("slot", Error(absl::StatusCode::kFailedPrecondition, "no_free_slot",
                                       "all are in use", "raise max_replication_slots"));
  const absl::Status status = Prepare().status();
  EXPECT_EQ(ErrorReason(status), "lost_slot_not_held");
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("all are in use"));
  EXPECT_THAT(ErrorHint(status), testing::HasSubstr("raise max_replication_slots"));
  // Tried again as any start, and by the next one.
  world_.database.FailAt("slot", absl::UnavailableError("server away"));
  EXPECT_EQ(Prepare().status().message(), "server away");
  world_.database.FailAt("slot", absl::OkStatus());
  ExpectHeld();
}

TEST_F(SlotHold, NoSlotIsMadeWhereThatCannotBeRemembered) {
  world_.database.DropSlot();
  world_.offsets.FailSaves(absl::UnavailableError("broker away"));
  EXPECT_EQ(Prepare().status().message(), "broker away");
  EXPECT_FALSE(world_.database.has_slot());
}

TEST_F(SlotHold, WithoutItASnapshotIsTakenWhenNeeded) {
  world_.database.DropSlot();
  ExpectHeld();
  config_.replication->holds_lost_slot = false;
  EXPECT_EQ(ErrorReason(Prepare().status()), "lost_slot_held") << "the truth stays";
  config_.snapshot->mode = snapshot::SnapshotMode::kWhenNeeded;
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->decision.snapshot);
  EXPECT_EQ(Made(), 2) << "the slot that is held is gone on with";
  EXPECT_FALSE(world_.offsets.stored()->slot_held);
}

TEST_F(SlotHold, NothingIsHeldWithoutAPosition) {
  world_.offsets.Forget();
  world_.database.FailAt(
      "check slot", Error(absl::StatusCode::kFailedPrecondition, "slot_lost", "gone", "create it"));
  EXPECT_EQ(ErrorReason(Prepare().status()), "slot_lost");
  EXPECT_THAT(asked(), Not(Contains("drop slot")));
}

TEST_F(PreparationTest, FAIL_18_APromotionBehindThePositionIsRefusedOrAnsweredWithASnapshot) {
  const Lsn end = world_.database.Commit({"a", "b"});
  WasRunning(end);
  world_.database.Promote(Lsn(end.value() - 1));
  EXPECT_EQ(ErrorReason(Prepare().status()), "position_diverged");
  EXPECT_EQ(world_.offsets.stored()->position.commit_end, end);
  config_.snapshot->mode = snapshot::SnapshotMode::kWhenNeeded;
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->decision.snapshot);
  EXPECT_EQ(metrics_.recovery_snapshots.value(), 1u);
  EXPECT_EQ(world_.offsets.stored()->timeline, 2u);
}

TEST_F(PreparationTest, FAIL_18_APromotionAfterThePositionIsGoneOnFrom) {
  const Lsn end = world_.database.Commit({"a"});
  WasRunning(end);
  world_.database.Promote(end);
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->resumes());
}

TEST_F(PreparationTest, RST_16_ThatAServerWasBehindIsRemembered) {
  WasRunning(Lsn(5000));
  EXPECT_EQ(ErrorReason(Prepare().status()), "position_ahead");
  EXPECT_TRUE(world_.offsets.stored()->seen_behind.has_value());
  while (world_.database.end() < Lsn(5000)) world_.database.Commit({"x", "y", "z"});
  EXPECT_EQ(ErrorReason(Prepare().status()), "position_ahead");
}

TEST_F(PreparationTest, RST_11_ALostOffsetIsAskedAboutWhereTheSlotWasReadFrom) {
  FakeSlot();
  EXPECT_TRUE(Prepare().ok()) << "somebody has created it for us";
  world_.offsets.Forget();
  world_.database.UseSlot();
  EXPECT_EQ(ErrorReason(Prepare().status()), "offset_missing");
  config_.snapshot->mode = snapshot::SnapshotMode::kNoData;
  EXPECT_TRUE(Prepare().ok());
  world_.offsets.Forget();
  config_.snapshot->mode = snapshot::SnapshotMode::kWhenNeeded;
  EXPECT_TRUE(Prepare()->decision.snapshot);
}

TEST_F(PreparationTest, TheOffsetIsLoadedOnceTheSlotIsTaken) {
  WasRunning(Lsn(900));
  offset::StoredOffset last;
  last.position.commit_end = Lsn(1000);
  world_.database.OnConnect([this, last] { world_.offsets.Store(last); });
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(prepared->start.commit_end, Lsn(1000));
}

TEST_F(PreparationTest, AnOffsetThatWasStoredMeanwhileIsLoadedAgain) {
  WasRunning(Lsn(900));  // the slot stands at 1000
  offset::StoredOffset newer;
  newer.position.commit_end = Lsn(1000);
  world_.database.OnInspect([this, newer] { world_.offsets.Store(newer); });
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(prepared->start.commit_end, Lsn(1000));
}

TEST_F(PreparationTest, AStandbyThatTakesOverIsWaitedFor) {
  WasRunning(Lsn(1000));
  world_.database.SetRecovery(true);
  EXPECT_TRUE(Prepare().ok()) << "its slot is its own";
  world_.database.SyncSlot(true);
  absl::Status waits = Prepare().status();
  EXPECT_TRUE(absl::IsUnavailable(waits));
  EXPECT_EQ(ErrorReason(waits), "waiting_for_promotion");
  world_.database.DropSlot();
  EXPECT_EQ(ErrorReason(Prepare().status()), "waiting_for_promotion");
  EXPECT_THAT(asked(), Not(Contains("drop slot")));
}

TEST_F(PreparationTest, ATopicThatIsRefusedIsTheErrorOfItsRecordsWhereThoseAreTolerated) {
  world_.broker.FailTopics(absl::InvalidArgumentError("bad name"));
  EXPECT_EQ(Prepare().status().message(), "bad name");
  EXPECT_FALSE(world_.database.has_slot());
  config_.record_errors->tolerate = true;
  EXPECT_TRUE(Prepare().ok());
}

TEST_F(PreparationTest, ASnapshotThatWasDoneAndNoStreamLeaveNothingToDo) {
  WasRunning(Lsn(1000));
  config_.snapshot->mode = snapshot::SnapshotMode::kInitialOnly;
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_FALSE(prepared->decision.snapshot || prepared->decision.stream);
  EXPECT_THAT(asked(), Not(Contains("publication")));
}

TEST_F(PreparationTest, AnInterruptionEndsTheCreationOfTheSlot) {
  mailbox_.Post(engine::Command::kStop);
  EXPECT_TRUE(absl::IsCancelled(Prepare().status()));
  EXPECT_FALSE(world_.database.has_slot());
}

TEST(KnownTopics, NamesWhatTheConfigurationAsksFor) {
  engine::ConnectorOptions config = test::FakeConfig();
  const std::vector<postgres::TableName> tables = {{.schema = "public", .table = "orders"}};
  EXPECT_THAT(KnownTopics(config, tables, true), ElementsAre("srv.public.orders"));
  config.heartbeat->interval = absl::Seconds(1);
  config.route->transaction_metadata = true;
  EXPECT_THAT(KnownTopics(config, tables, true),
              ElementsAre("srv.public.orders", "srv.transaction", "__debezium-heartbeat.srv"));
  EXPECT_THAT(KnownTopics(config, tables, false),
              ElementsAre("srv.public.orders", "__debezium-heartbeat.srv"));
  config.chain->transforms.emplace_back();
  EXPECT_THAT(KnownTopics(config, tables, true), IsEmpty());
}

TEST_F(PreparationTest, AnotherNumberOfSlotsIsToldBeforeAnythingIsCreated) {
  WasRunning(Lsn(1000));
  config_.replication->share.count = 2;
  const absl::StatusOr<Prepared> grown = Prepare();
  EXPECT_EQ(ErrorReason(grown.status()), kHandoverDue) << grown.status();
  EXPECT_THAT(asked(), ElementsAre("slot"));  // WasRunning's

  offset::StoredOffset offset = *world_.offsets.stored();
  offset.slots = 2;
  world_.offsets.Store(offset);
  EXPECT_TRUE(Prepare().ok());
  offset.handover = offset::ParseHandover("2>3 moving");
  world_.offsets.Store(offset);
  EXPECT_EQ(ErrorReason(Prepare().status()), kHandoverDue) << "under way";
  config_.replication->share.hands_over = true;
  EXPECT_TRUE(Prepare().ok()) << "a slot that reads what it has to";
  config_.replication->share = {};
  EXPECT_EQ(ErrorReason(Prepare().status()), kHandoverDue);
  config_.replication->share.number = config_.replication->share.count = 2;
  config_.handover_news = std::make_shared<slot::HandoverNews>();
  config_.handover_news->Begin();
  world_.database.Refuse(absl::InternalError("the slot is not to be touched"));
  EXPECT_EQ(ErrorReason(Prepare().status()), kHandoverDue) << "the first lane is at it";
  config_.handover_news->Rest();
  EXPECT_TRUE(absl::IsInternal(Prepare().status()));
  config_.replication->share = {};
  EXPECT_EQ(ErrorReason(CheckSameSlots(config_.replication->share.count, offset)), "slots_changed");
}

}  // namespace
}  // namespace walduct::slot
