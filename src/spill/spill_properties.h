// The properties of transactions in progress: their rows, what one asks of another, and the options
// they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "spill/options.h"

namespace walduct::spill {

absl::Span<const config::PropertyDefinition> SpillProperties();

void CheckSpill(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks.
SpillOptions BuildSpill(const config::PropertySet& properties);

}  // namespace walduct::spill
