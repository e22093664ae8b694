#include "engine/control/whole_status.h"

#include <algorithm>
#include <utility>

namespace walduct::engine {
namespace {

// The higher, the more it says of the whole. A lane that has reached its goal says least: the
// connector runs while one of its lanes does.
int Weight(const ConnectorStatus& lane) {
  switch (lane.state) {
    case ConnectorState::kFailed:
      return 60;
    case ConnectorState::kRestarting:
      return 50;
    case ConnectorState::kUnassigned:
      return 40;
    case ConnectorState::kRunning:
      break;
    case ConnectorState::kPaused:
      return 10;
    case ConnectorState::kStopped:
      return 0;
  }
  switch (lane.activity) {
    case Activity::kRetrying:
      return 36;
    case Activity::kConnecting:
      return 35;
    case Activity::kPreparing:
    case Activity::kHandingOver:
      return 34;
    case Activity::kSettling:
      return 33;
    case Activity::kSnapshotting:
      return 32;
    case Activity::kStreaming:
    case Activity::kNone:
      break;
  }
  return lane.stall ? 31 : 30;
}

}  // namespace

ConnectorStatus WholeStatus(std::vector<ConnectorStatus> lanes) {
  const auto heaviest = std::max_element(
      lanes.begin(), lanes.end(),
      [](const ConnectorStatus& a, const ConnectorStatus& b) { return Weight(a) < Weight(b); });
  ConnectorStatus whole = *heaviest;
  whole.name = lanes.front().name;
  for (ConnectorStatus& lane : lanes) {
    if (lane.exit_code)
      whole.exit_code = Worse(whole.exit_code.value_or(kExitClean), *lane.exit_code);
    if (!whole.stall) whole.stall = std::move(lane.stall);
    if (!lane.rests() && (whole.rests() || lane.turned < whole.turned)) whole.turned = lane.turned;
    const bool open = lane.last_error && !lane.last_error->solved_at;
    if (!whole.last_error || (open && whole.last_error->solved_at))
      whole.last_error = std::move(lane.last_error);
  }
  return whole;
}

}  // namespace walduct::engine
