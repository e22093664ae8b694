#include "delivery/progress/heartbeat.h"

#include <gtest/gtest.h>

#include "tests/slot/duties_fixture.h"

namespace walduct::slot {
namespace {

class HeartbeatTest : public DutiesFixture {
 protected:
  HeartbeatTest() : DutiesFixture(2) {}

  delivery::Heartbeat Make(absl::Duration interval) {
    return delivery::Heartbeat({.interval = interval,
                                .clock = &time_,
                                .pipeline = &path_->pipeline(),
                                .sink = &sink_,
                                .action = [this] { ++actions_; }});
  }

  int actions_ = 0;
};

TEST_F(HeartbeatTest, NoneWithoutAnInterval) {
  delivery::Heartbeat heartbeat = Make(absl::ZeroDuration());
  EXPECT_EQ(heartbeat.UntilDue(), absl::InfiniteDuration());
  EXPECT_TRUE(heartbeat.Turn().ok());
  EXPECT_TRUE(heartbeat.Beat().ok());
  EXPECT_TRUE(target_.records.empty());
  EXPECT_EQ(actions_, 0);
}

TEST_F(HeartbeatTest, OneEachInterval) {
  delivery::Heartbeat heartbeat = Make(absl::Seconds(5));
  EXPECT_EQ(heartbeat.UntilDue(), absl::Seconds(5));
  time_.Advance(absl::Milliseconds(4999));
  ASSERT_TRUE(heartbeat.Turn().ok());
  EXPECT_TRUE(target_.records.empty());
  time_.Advance(absl::Milliseconds(1));
  ASSERT_TRUE(heartbeat.Turn().ok());
  ASSERT_TRUE(heartbeat.Turn().ok());
  ASSERT_EQ(target_.records.size(), 1u);
  EXPECT_EQ(target_.records[0].topic, "__debezium-heartbeat.srv");
  EXPECT_EQ(actions_, 1);
  EXPECT_EQ(heartbeat.UntilDue(), absl::Seconds(5));
}

TEST_F(HeartbeatTest, LateRatherThanInTheWay) {
  sink_.by_hand = true;
  WriteRecord(100);
  WriteRecord(200);
  delivery::Heartbeat heartbeat = Make(absl::Seconds(5));
  time_.Advance(absl::Minutes(1));
  ASSERT_TRUE(heartbeat.Turn().ok());
  EXPECT_EQ(target_.records.size(), 2u);
  EXPECT_LE(heartbeat.UntilDue(), absl::ZeroDuration());
  sink_.AcknowledgeAll();
  ASSERT_TRUE(housekeeping().Turn().ok());
  ASSERT_TRUE(heartbeat.Turn().ok());
  EXPECT_EQ(target_.records.size(), 3u);
}

TEST_F(HeartbeatTest, MovesNoPosition) {
  delivery::Heartbeat heartbeat = Make(absl::Seconds(5));
  ASSERT_TRUE(heartbeat.Beat().ok());
  ASSERT_TRUE(housekeeping().Turn().ok());
  EXPECT_FALSE(duties_.tracker().safe().has_value());
}

}  // namespace
}  // namespace walduct::slot
