// The properties that decide how a column's value and a record's schema look: their rows, and the
// options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/property_set.h"
#include "encode/options/value_options.h"

namespace walduct::encode {

absl::Span<const config::PropertyDefinition> ValueProperties();
absl::Span<const config::PropertyDefinition> LostValueProperties();

// Expects values that passed their checks.
ValueOptions BuildValues(const config::PropertySet& properties);

}  // namespace walduct::encode
