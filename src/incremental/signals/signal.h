// Signal: what somebody asks of a running connector: Debezium's signals, as channels bring them.
// Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::java {
class Regex;
}

namespace walduct::incremental {

// As a channel brings it.
struct RawSignal {
  std::string id;
  std::string type;
  std::optional<std::string> data;
};

// For the tables whose names it matches as a whole, without case.
struct Condition {
  std::string collection;                    // as it was written
  std::shared_ptr<const java::Regex> regex;  // null: only a name
  std::string filter;                        // SQL; empty: none
};

struct ExecuteSnapshot {
  bool blocking = false;                 // the stream waits for it
  std::vector<std::string> collections;  // regular expressions, or quoted names
  std::vector<Condition> conditions;     // the first one that matches counts
  std::optional<std::string> surrogate_key;
};
struct StopSnapshot {
  std::vector<std::string> collections;  // empty: all
};
struct PauseSnapshot {};
struct ResumeSnapshot {};
struct LogMessage {
  std::string message;  // its first {} stands for the position
};

using Signal =
    std::variant<ExecuteSnapshot, StopSnapshot, PauseSnapshot, ResumeSnapshot, LogMessage>;

// InvalidArgument says why nothing is done: reason signal_malformed, signal_unknown,
// signal_not_supported.
absl::StatusOr<Signal> ParseSignal(const RawSignal& raw);

}  // namespace walduct::incremental
