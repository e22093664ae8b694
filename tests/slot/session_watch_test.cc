#include "slot/duties/session_watch.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {
namespace {

class SessionWatchTest : public testing::Test {
 protected:
  test::SimulatedTime time_;
  absl::Status session_;
  int checks_ = 0;
  SessionWatch watch_{time_, [this] {
                        ++checks_;
                        return session_;
                      }};
};

TEST_F(SessionWatchTest, LooksOnceASecond) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(watch_.Turn().ok());
    time_.Advance(absl::Milliseconds(100));
  }
  EXPECT_LE(checks_, 11);
  EXPECT_FALSE(watch_.lost());
}

TEST_F(SessionWatchTest, AfterAMomentTheStreamIsToBeClosed) {
  session_ = Error(absl::StatusCode::kUnavailable, "server_shutting_down", "going down", "wait");
  EXPECT_TRUE(watch_.Turn().ok());
  EXPECT_TRUE(watch_.lost());
  time_.Advance(SessionWatch::kGrace - absl::Milliseconds(1));
  EXPECT_TRUE(watch_.Turn().ok());
  time_.Advance(absl::Seconds(2));
  const absl::Status ended = watch_.Turn();
  EXPECT_TRUE(absl::IsUnavailable(ended));
  EXPECT_EQ(ErrorReason(ended), "server_shutting_down");
  EXPECT_EQ(ErrorHint(ended), "wait");
}

}  // namespace
}  // namespace walduct::slot
