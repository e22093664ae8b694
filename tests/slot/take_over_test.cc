// Starts of a connector whose sink has transactions: when earlier instances are shut out, and what
// an interrupted snapshot leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "slot/start/preparation.h"
#include "tests/support/fake_offset_store.h"
#include "tests/support/fake_sink.h"
#include "tests/support/fake_world.h"

namespace walduct::slot {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

// A FakeWorld whose sink has transactions.
class TransactionalWorld final : public World {
 public:
  explicit TransactionalWorld(test::SimulatedTime* time)
      : time_(*time), world_(time->environment()) {}

  const Environment& environment() const override { return world_.environment(); }
  uint64_t Random() override { return world_.Random(); }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions&,
                                                       sink::Refusals*) override {
    return std::make_unique<test::FakeSink>(
        &time_, &target, test::FakeSink::Options{.capacity = 10, .transactional = true});
  }
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions&) override {
    return std::make_unique<test::FakeOffsetStore>(&time_, &disk);
  }
  std::unique_ptr<Source> MakeSource(const SourceOptions& options) override {
    return world_.MakeSource(options);
  }
  test::FakeDatabase& database() { return world_.database; }

  test::FakeTarget target;
  test::FakeDisk disk;

 private:
  test::SimulatedTime& time_;
  test::FakeWorld world_;
};

class TakeOverTest : public testing::Test {
 protected:
  TakeOverTest() {
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
  Lsn CreateSlot() {
    test::FakeSource source(world_.database());
    return *source.CreateSlot({}, [] { return false; });
  }
  void Store(Lsn position, event::SnapshotPhase phase = event::SnapshotPhase::kNone) {
    offset::StoredOffset offset;
    offset.position.commit_end = position;
    offset.position.snapshot = phase;
    offset.system_identifier = "7000";
    offset.timeline = 1;
    world_.disk.content = offset::EncodeOffset(offset);
  }
  std::vector<std::string> asked() { return world_.database().asked(); }

  test::SimulatedTime time_;
  TransactionalWorld world_{&time_};
  engine::ConnectorOptions config_ = test::FakeConfig();
  metrics::ConnectorMetrics metrics_;
  engine::Mailbox mailbox_;
  engine::StatusBoard board_{"orders", time_};
  engine::Control control_{mailbox_, board_};
};

TEST_F(TakeOverTest, EarlierInstancesAreShutOut) {
  const Lsn slot = CreateSlot();
  Store(slot);
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->resumes());
  EXPECT_EQ(world_.target.owner, 1u);
}

// It would end although this one cannot take its place.
TEST_F(TakeOverTest, AnInstanceAtWorkIsNot) {
  Store(CreateSlot());
  world_.database().FailAt("check slot", Error(absl::StatusCode::kAborted, "slot_in_use", "held"));
  EXPECT_EQ(ErrorReason(Prepare().status()), "slot_in_use");
  EXPECT_EQ(world_.target.owner, 0u);
}

// A commit of the one before may have been decided only by the take-over.
TEST_F(TakeOverTest, ThePositionIsReadBehindTheFence) {
  const Lsn slot = CreateSlot();
  const Lsn later = world_.database().Commit({"a"});
  Store(slot);
  world_.database().OnInspect([&] {
    if (world_.target.owner == 0) Store(later);
  });
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(prepared->start.commit_end, later);
}

TEST_F(TakeOverTest, TheMarkOfASnapshotIsATransactionOfItsOwn) {
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  ASSERT_EQ(world_.target.records.size(), 1u);
  const auto mark = offset::DecodeOffset(*world_.target.records[0].value);
  ASSERT_TRUE(mark.ok());
  EXPECT_EQ(mark->position.snapshot, event::SnapshotPhase::kRunning);
}

TEST_F(TakeOverTest, APositionThatAStartStoresProvesThatTheStoreIsThere) {
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "offset_topic_gone", "gone"));
  EXPECT_TRUE(board_.error_place().of_store);
  ASSERT_TRUE(Prepare().ok());
  EXPECT_FALSE(board_.error_place().of_store);
  EXPECT_TRUE(board_.has_open_error()) << "the stream has to go on, too";
}

// What happened between the old slot and the new snapshot is in the snapshot's rows.
TEST_F(TakeOverTest, AnInterruptedSnapshotGetsANewSlot) {
  world_.database().Commit({"a"});
  Store(Lsn(1), event::SnapshotPhase::kRunning);
  CreateSlot();
  const Lsn now = world_.database().Commit({"b"});
  const absl::StatusOr<Prepared> prepared = Prepare();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(prepared->decision.snapshot);
  EXPECT_THAT(asked(), Contains("drop slot"));
  EXPECT_EQ(prepared->start.commit_end, now);
}

// Changes of rows that were published before would be missing.
TEST_F(TakeOverTest, ASlotThatWasReadStays) {
  world_.database().Commit({"a"});
  Store(Lsn(1), event::SnapshotPhase::kRunning);
  CreateSlot();
  world_.database().UseSlot();
  ASSERT_TRUE(Prepare().ok());
  EXPECT_THAT(asked(), Not(Contains("drop slot")));
}

TEST_F(TakeOverTest, ASlotOlderThanTheMarkStays) {
  const Lsn slot = CreateSlot();
  Store(slot, event::SnapshotPhase::kRunning);
  ASSERT_TRUE(Prepare().ok());
  EXPECT_THAT(asked(), Not(Contains("drop slot")));
}

}  // namespace
}  // namespace walduct::slot
