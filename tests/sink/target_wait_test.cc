#include "sink/target_wait.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "tests/support/fake_sink.h"
#include "tests/support/simulated_time.h"

namespace walduct::sink {
namespace {

class TargetWaitTest : public testing::Test, public AckHandler {
 protected:
  void OnAcknowledged(Ticket, uint32_t) override {}
  absl::Status Flush(absl::Duration timeout) {
    return wait_.Flush(
        sink_, *this, [] { return false; }, "nothing is confirmed", timeout);
  }

  test::SimulatedTime time_;
  test::FakeTarget target_;
  test::FakeSink sink_{&time_, &target_, {}};
  TargetWait wait_{"RabbitMQ", time_.environment(), absl::Milliseconds(300), absl::Seconds(10)};
};

// Whoever stops asks in steps, and the last of them may begin behind its end: no step is a time to
// tell of.
TEST_F(TargetWaitTest, AFlushThatIsNotInTimeTellsNoTime) {
  for (const absl::Duration step : {absl::Milliseconds(100), -absl::Microseconds(12)}) {
    const absl::Status late = Flush(step);
    EXPECT_TRUE(absl::IsDeadlineExceeded(late)) << late;
    EXPECT_EQ(ErrorReason(late), "flush_timeout");
    EXPECT_EQ(late.message(), "nothing is confirmed");
  }
}

TEST_F(TargetWaitTest, AFlushThatIsNotInTimeTellsWhatIsWaitedFor) {
  wait_.Begin(Error(absl::StatusCode::kUnavailable, "rabbitmq_blocked", "an alarm", "end it"),
              absl::Seconds(1));
  const absl::Status late = Flush(absl::Milliseconds(100));
  EXPECT_EQ(late.message(), "an alarm");
  EXPECT_EQ(ErrorHint(late), "end it");
  wait_.End();
  EXPECT_EQ(Flush(absl::Milliseconds(100)).message(), "nothing is confirmed");
}

}  // namespace
}  // namespace walduct::sink
