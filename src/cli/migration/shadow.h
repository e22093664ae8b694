// `walduct shadow`: the same changes read a second time, beside the connector that is live, by a
// slot of its own, to topics or a file of its own. It is an ordinary connector with some properties
// set otherwise; nothing of the live one is written to. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace walduct::config {
struct LoadReport;
}

namespace walduct::cli {

struct ShadowTarget {
  std::string directory;          // position, and records without a topic prefix
  std::string topic_prefix = {};  // before the live names; empty: to a file
  bool own_snapshot = false;      // -o snapshot.mode=… asks for one; the files do not
};

// key=value of what makes a shadow of a live connector. The slot is dropped at a clean stop.
// kInvalidArgument: names would be too long, or nothing would set the shadow apart.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ShadowProperties(
    const config::LoadReport& live, const ShadowTarget& target);

}  // namespace walduct::cli
