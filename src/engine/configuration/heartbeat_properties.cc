#include "engine/configuration/heartbeat_properties.h"

#include <string>

#include "absl/strings/ascii.h"

namespace walduct::engine {
namespace {

using enum config::PropertyType;

constexpr config::PropertyDefinition kRows[] = {
    {.name = "heartbeat.interval.ms",
     .type = kNonNegativeInt,
     .default_value = "0",
     .doc = "Interval between heartbeat records; 0: none. An idle slot advances without them, by "
            "keepalives."},
    {.name = "heartbeat.action.query",
     .doc =
         "SQL statement to run with each heartbeat, in a separate session; a failure is logged."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> HeartbeatProperties() { return kRows; }

HeartbeatOptions BuildHeartbeat(const config::PropertySet& properties, config::Findings* findings) {
  HeartbeatOptions heartbeat;
  heartbeat.interval = properties.Milliseconds("heartbeat.interval.ms");
  heartbeat.action_query =
      std::string(absl::StripAsciiWhitespace(properties.Text("heartbeat.action.query")));
  if (heartbeat.interval <= absl::ZeroDuration() && !heartbeat.action_query.empty()) {
    findings->Warn("heartbeat.action.query",
                   "has no effect: it runs with each heartbeat; set heartbeat.interval.ms");
  }
  return heartbeat;
}

}  // namespace walduct::engine
