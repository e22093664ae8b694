#include "cli/process/stop_request.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace walduct::cli {
namespace {

TEST(StopRequest, TheSameSignalSoonAfterIsTheSameWish) {
  StopRequest request;
  EXPECT_FALSE(request.Insists(SIGTERM, absl::Seconds(100)));
  EXPECT_FALSE(request.Insists(SIGTERM, absl::Seconds(100)));
  EXPECT_FALSE(request.Insists(SIGTERM, absl::Seconds(102)));
}

TEST(StopRequest, LaterItIsImpatience) {
  StopRequest request;
  EXPECT_FALSE(request.Insists(SIGINT, absl::Seconds(100)));
  EXPECT_FALSE(request.Insists(SIGINT, absl::Seconds(101)));
  EXPECT_TRUE(request.Insists(SIGINT, absl::Seconds(102) + absl::Milliseconds(1)));
}

TEST(StopRequest, SoIsAnotherSignal) {
  StopRequest request;
  EXPECT_FALSE(request.Insists(SIGTERM, absl::Seconds(100)));
  EXPECT_TRUE(request.Insists(SIGINT, absl::Seconds(100)));
}

}  // namespace
}  // namespace walduct::cli
