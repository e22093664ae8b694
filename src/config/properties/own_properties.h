// The rows of properties that this room acts on itself: what is secret, where values come from, how
// strict a load is.
#pragma once

#include "absl/types/span.h"
#include "config/properties/definition.h"

namespace walduct::config {

absl::Span<const PropertyDefinition> MaskingProperties();
absl::Span<const PropertyDefinition> ProviderProperties();
absl::Span<const PropertyDefinition> StrictnessProperties();

}  // namespace walduct::config
