#include "engine/control/whole_status.h"

#include <gtest/gtest.h>

namespace walduct::engine {
namespace {

ConnectorStatus Lane(ConnectorState state, Activity activity = Activity::kNone) {
  ConnectorStatus status;
  status.state = state;
  status.activity = activity;
  return status;
}

ConnectorStatus Whole(const ConnectorStatus& a, const ConnectorStatus& b) {
  const ConnectorStatus whole = WholeStatus({a, b});
  EXPECT_EQ(WholeStatus({b, a}).state, whole.state);
  return whole;
}

TEST(WholeStatusTest, IsThatOfTheLaneThatIsFarthestFromStreaming) {
  const ConnectorStatus streams = Lane(ConnectorState::kRunning, Activity::kStreaming);
  const ConnectorStatus reads = Lane(ConnectorState::kRunning, Activity::kSnapshotting);
  const ConnectorStatus retries = Lane(ConnectorState::kRunning, Activity::kRetrying);
  EXPECT_EQ(Whole(streams, streams).activity, Activity::kStreaming);
  EXPECT_EQ(Whole(streams, reads).activity, Activity::kSnapshotting);
  EXPECT_EQ(Whole(reads, retries).activity, Activity::kRetrying);
  EXPECT_EQ(Whole(streams, Lane(ConnectorState::kFailed)).state, ConnectorState::kFailed);
  EXPECT_EQ(Whole(streams, Lane(ConnectorState::kPaused)).state, ConnectorState::kRunning);
  EXPECT_EQ(Whole(streams, Lane(ConnectorState::kStopped)).state, ConnectorState::kRunning);
  EXPECT_TRUE(Whole(Lane(ConnectorState::kStopped), Lane(ConnectorState::kStopped)).ended());
}

TEST(WholeStatusTest, TellsTheWorstExitCodeAndTheErrorOfAny) {
  ConnectorStatus failed = Lane(ConnectorState::kFailed);
  failed.exit_code = kExitFailure;
  failed.last_error =
      ConnectorError{.at = {}, .message = "m", .reason = "r", .hint = "h", .change = ""};
  ConnectorStatus stopped = Lane(ConnectorState::kStopped);
  stopped.exit_code = kExitClean;
  stopped.name = "orders";
  failed.name = "orders/2";
  const ConnectorStatus whole = WholeStatus({stopped, failed});
  EXPECT_EQ(whole.name, "orders");
  EXPECT_EQ(whole.exit_code, kExitFailure);
  EXPECT_EQ(whole.last_error->reason, "r");
}

}  // namespace
}  // namespace walduct::engine
