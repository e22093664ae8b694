// The properties that say which tables are captured: their rows, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/property_set.h"
#include "names/table_filter.h"

namespace walduct::route {

absl::Span<const config::PropertyDefinition> TableFilterProperties();

// Expects values that passed their checks.
names::TableFilterOptions BuildTableFilter(const config::PropertySet& properties);

}  // namespace walduct::route
