// Connector configuration as JSON: Kafka Connect's {"name":…,"config":{…}} or a flat map. Numbers
// and booleans become their text as written; null is as good as nothing, with a warning; a nested
// value is refused. The last of several equal keys wins. Comments are properties, too: "_comment…",
// "comment", "//…", "#…" are left out.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/files/key_values.h"

namespace walduct::config {

// InvalidArgument: malformed text with line and column, or the key whose value is not a scalar.
absl::StatusOr<ParsedFile> ParseConnectJson(absl::string_view text);

// A connector's name beside its config, and the one in it: InvalidArgument where they differ. Of a
// reference (${…}) nobody knows yet.
absl::Status CheckOneName(absl::string_view outer, absl::string_view inner);

}  // namespace walduct::config
