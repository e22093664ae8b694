// The properties of the stored position: their rows, what one asks of another, and the options they
// make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "offset/options.h"

namespace walduct::offset {

absl::Span<const config::PropertyDefinition> OffsetProperties();

void CheckOffset(const config::PropertySet& properties, config::Findings* findings);

// Is any store named? If not, ignore the kind that BuildOffset gives.
bool NamesStore(const config::PropertySet& properties);

// Expects values that passed their checks.
OffsetOptions BuildOffset(const config::PropertySet& properties);

}  // namespace walduct::offset
