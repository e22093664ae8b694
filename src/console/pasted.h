// A configuration that somebody pastes: Connect's JSON, Strimzi's KafkaConnector, name=value lines.
// Pure: nothing is resolved, checked or stored.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::console {

// {"properties":[["name","shop"],…],"warnings":["…"]}. InvalidArgument: it cannot be read; a
// sentence for people that says where and what to change.
absl::StatusOr<std::string> ReadPasted(absl::string_view text);

}  // namespace walduct::console
