// walduct replay: how it is typed, and what it makes of a connector.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace CLI {
class App;
}
namespace walduct::config {
struct LoadReport;
}
namespace walduct::recover {
struct RecoveryOptions;
struct ReplayOptions;
}  // namespace walduct::recover

namespace walduct::cli {

struct ReplayRequest {
  std::string since, until, to;
  int segment_megabytes = 16;
};

void AddReplayWindow(CLI::App* replay, ReplayRequest* asked);

// key=value of what sets it apart from the live connector, whose position, slot and topics it must
// not touch. given: what -o has. InvalidArgument: something of the live one's would be used.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReplayProperties(
    const config::LoadReport& live, const std::string& to, const std::string& state_folder,
    const std::vector<std::string>& given);

absl::StatusOr<recover::ReplayOptions> ReplayOf(const ReplayRequest& asked,
                                                recover::RecoveryOptions recovery);

}  // namespace walduct::cli
