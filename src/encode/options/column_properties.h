// The properties that choose, hide and describe columns, some of which say in their names what to
// do: their rows, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/property_set.h"
#include "encode/options/column_options.h"

namespace walduct::encode {

absl::Span<const config::PropertyDefinition> ColumnProperties();
absl::Span<const config::PropertyDefinition> LostMaskProperties();

// Expects values that passed their checks.
ColumnOptions BuildColumns(const config::PropertySet& properties);

}  // namespace walduct::encode
