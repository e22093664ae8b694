// The properties of the process itself, most of which Debezium's needs and this one does not: their
// rows, what one asks of another, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "engine/configuration/runtime_options.h"

namespace walduct::engine {

absl::Span<const config::PropertyDefinition> RuntimeProperties();
absl::Span<const config::PropertyDefinition> DelayProperties();

void CheckRuntime(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks.
RuntimeOptions BuildRuntime(const config::PropertySet& properties);

}  // namespace walduct::engine
