// Notification: what a connector tells of its own doings, as Debezium's notifications do. Borrowed
// by an Emission; otherwise a value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace walduct::event {

struct Notification {
  std::string id;         // of the signal that it answers, or one of its own
  std::string type;       // STARTED, IN_PROGRESS, …
  std::string aggregate;  // "Initial Snapshot", "Incremental Snapshot", "Signal"
  std::vector<std::pair<std::string, std::string>> details;  // additional_data
  int64_t time_ms = 0;                                       // since the Unix epoch
  bool is_extra = false;                                     // Debezium tells nothing like it
};

}  // namespace walduct::event
