// The checks of a load: each property by its definition, then the rules between properties. All
// problems are found, not only the first. No server and no file is touched.
#pragma once

#include "config/loader.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::config {

// One property against its definition: unknown, renamed, malformed, refused, without effect. Gives
// its line of the report.
PropertyReport CheckProperty(const Property& property, const PropertySet& properties,
                             const Masking& masking, Findings* findings);

// Required properties, exclusive lists, what one property asks of another.
void CheckCombinations(const PropertySet& properties, Findings* findings);

}  // namespace walduct::config
