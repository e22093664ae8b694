// The properties of signals, incremental snapshots and notifications: their rows, what one asks of
// another, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "incremental/options/incremental_options.h"

namespace walduct::incremental {

absl::Span<const config::PropertyDefinition> IncrementalProperties();
absl::Span<const config::PropertyDefinition> SignalProperties();

void CheckIncremental(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks.
IncrementalOptions BuildIncremental(const config::PropertySet& properties);

}  // namespace walduct::incremental
