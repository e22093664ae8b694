// Connector configuration as JSON: Kafka Connect's {"name":…,"config":{…}} or a flat map. Numbers
// and booleans become their text as written; null is as good as nothing, with a warning; a nested
// value is refused. The last of several equal keys wins. Comments are properties, too: "_comment…",
// "comment", "//…", "#…" are left out.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/files/key_values.h"

namespace walduct::config {

// InvalidArgument: malformed text with line and column, or the key whose value is not a scalar.
absl::StatusOr<ParsedFile> ParseConnectJson(absl::string_view text);

}  // namespace walduct::config
