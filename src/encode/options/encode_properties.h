// All properties of this room made to its options.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::encode {

struct EncodeOptions;

absl::Span<const config::PropertyDefinition> HeaderProperties();

// Expects values that passed their checks. topic_prefix and database are other rooms' properties,
// and are not set here.
EncodeOptions BuildEncode(const config::PropertySet& properties, config::Findings* findings);

}  // namespace walduct::encode
