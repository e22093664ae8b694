// What is said of connectors that do not read once somebody has moved their slots or positions.
#include <gtest/gtest.h>

#include <memory>

#include "tests/slot/slot_monitor_fixture.h"

namespace walduct::slot {
namespace {

class SlotMovesTest : public SlotMonitorFixture {
 protected:
  void Store(uint64_t lsn) {
    offset::StoredOffset stored;
    stored.position.commit_end = Lsn(lsn);
    world_.disk.content = offset::EncodeOffset(stored);
  }
  // Stopped, with a change in flight that was committed a while ago.
  std::shared_ptr<MonitoredSlot> Behind() {
    const auto slot = Add("one", "s");
    slot->now.state = engine::ConnectorState::kStopped;
    slot->metrics().lag.Begin(Lsn(100), 0);
    slot->metrics().lag.Show(
        {.oldest_us = absl::ToUnixMicros(time_.Now() - absl::Minutes(1)), .covered = Lsn(100)},
        time_.Now());
    return slot;
  }
  absl::Duration LagOf(MonitoredSlot& slot) {
    return slot.metrics().lag.Read(time_.Now()).value_or(absl::ZeroDuration());
  }
};

TEST_F(SlotMovesTest, APositionThatIsMovedOnByHandHasNoOldLag) {
  Store(100);
  const auto slot = Behind();
  Pass(absl::Seconds(30));
  EXPECT_GE(LagOf(*slot), absl::Seconds(90)) << "it is where it was";
  Store(1000);
  world_.confirmed = 1000;
  Pass(absl::Seconds(75));
  EXPECT_LE(LagOf(*slot), absl::Seconds(1));
  slots_.clear();
  EXPECT_LE(LagOf(*Add("one", "s")), absl::Seconds(1)) << "nor is it recalled";
}

TEST_F(SlotMovesTest, APositionThatIsErasedHasNoOldLag) {
  Store(100);
  const auto slot = Behind();
  Pass(absl::Seconds(30));
  world_.disk.content.reset();
  world_.disk.erased = true;
  world_.confirmed = 1000;
  Pass(absl::Seconds(75));
  EXPECT_LE(LagOf(*slot), absl::Seconds(1));
}

}  // namespace
}  // namespace walduct::slot
