// Heartbeat records and the statement that runs with them. Immutable once built.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace walduct::engine {

struct HeartbeatOptions {
  absl::Duration interval;   // zero: none
  std::string action_query;  // empty: none
};

}  // namespace walduct::engine
