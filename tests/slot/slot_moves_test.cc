// What is said of connectors that do not read once somebody has moved their slots or positions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

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
  void RetryOf(MonitoredSlot& slot, const char* reason) {
    slot.now.state = engine::ConnectorState::kRunning;
    slot.now.activity = engine::Activity::kRetrying;
    slot.now.last_error = {
        .at = time_.Now(), .message = "away", .reason = reason, .hint = "", .change = ""};
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

// The way back to whoever read before, or to another walduct that stores positions elsewhere.
TEST_F(SlotMovesTest, WhoReadsTheSlotOfOneThatWasStoppedHasGoneOn) {
  Store(100);
  const auto slot = Add("one", "s");
  slot->now.state = engine::ConnectorState::kStopped;
  Pass(absl::Seconds(20));
  world_.reader = "pid 7, application Debezium Streaming";
  for (int i = 0; i < 120; ++i) {
    ++world_.confirmed;
    Pass(absl::Seconds(1));
    ASSERT_FALSE(slot->metrics().slot.position()) << i;
  }
  ASSERT_TRUE(slot->metrics().slot.gone_on());
  const metrics::PositionProblem told = *slot->metrics().slot.gone_on();
  EXPECT_THAT(told.message, testing::StartsWith("another reader (pid 7, application Debezium "));
  EXPECT_THAT(told.hint, testing::HasSubstr("walduct offsets import FILE"));
  for (const char* const loss : {"accept-loss", "when_needed", "erase", "reset"})
    EXPECT_THAT(told.hint, testing::Not(testing::HasSubstr(loss)));
  // It has ended, and nobody has stored where.
  world_.reader.clear();
  Pass(absl::Seconds(12));
  EXPECT_FALSE(slot->metrics().slot.gone_on());
  ASSERT_TRUE(slot->metrics().slot.position());
  EXPECT_EQ(slot->metrics().slot.position()->reason, "position_skipped");
  // By hand, beside this process.
  Store(world_.confirmed);
  Pass(absl::Seconds(18));
  EXPECT_FALSE(slot->metrics().slot.position());
}

TEST_F(SlotMovesTest, WhoReadsTheSlotOfOneThatHasFailedHasTakenItsChanges) {
  Store(100);
  const auto slot = Add("one", "s");
  slot->now.state = engine::ConnectorState::kFailed;
  world_.reader = "pid 7, application somebody";
  Pass(absl::Seconds(20));
  world_.confirmed = 200;
  Pass(absl::Seconds(12));
  ASSERT_TRUE(slot->metrics().slot.position());
  EXPECT_EQ(slot->metrics().slot.position()->reason, "position_skipped");
  EXPECT_FALSE(slot->metrics().slot.gone_on());
}

// A file, a database, a Redis; or a process that has not loaded its position yet.
TEST_F(SlotMovesTest, WhoDoesNotKnowWhereItStandsAsksWhileSomebodyElseHasItsSlot) {
  Store(100);
  const auto slot = Add("one", "s");
  RetryOf(*slot, "slot_in_use");
  Pass(absl::Seconds(90));
  EXPECT_EQ(world_.reads, 1) << "once";
  EXPECT_FALSE(slot->metrics().slot.position());
  world_.confirmed = 200;
  Pass(absl::Seconds(13));
  ASSERT_TRUE(slot->metrics().slot.position());
  EXPECT_EQ(slot->metrics().slot.position()->reason, "position_skipped");
}

TEST_F(SlotMovesTest, WhoRetriesForAnotherReasonIsNotAskedFor) {
  Store(100);
  RetryOf(*Add("one", "s"), "connection_lost");
  Pass(absl::Seconds(90));
  EXPECT_EQ(world_.reads, 0);
}

// Others read all of these slots, and store positions where these connectors do.
TEST_F(SlotMovesTest, DoubtsThatWereNoneComeSeldom) {
  constexpr int kMany = 20;
  for (int i = 0; i < kMany; ++i) RetryOf(*Add("one", std::to_string(i)), "slot_in_use");
  const auto pass = [this](int seconds) {
    for (int i = 0; i < seconds; ++i) {
      ++world_.confirmed;
      Store(world_.confirmed);
      Pass(absl::Seconds(1));
      for (const auto& slot : slots_) ASSERT_FALSE(slot->metrics().slot.position()) << i;
    }
  };
  pass(240);
  const int before = world_.reads;
  pass(240);
  EXPECT_LE(world_.reads - before, 49) << "one in five seconds at most";
}

}  // namespace
}  // namespace walduct::slot
