// The properties of heartbeats: their rows, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "engine/configuration/heartbeat_options.h"

namespace walduct::engine {

absl::Span<const config::PropertyDefinition> HeartbeatProperties();

// Expects values that passed their checks.
HeartbeatOptions BuildHeartbeat(const config::PropertySet& properties, config::Findings* findings);

}  // namespace walduct::engine
