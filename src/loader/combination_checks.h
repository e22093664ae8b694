// The rules between properties. All problems are found, not only the first. Pure.
#pragma once

#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::loader {

// Required properties, exclusive lists, what one property asks of another.
void CheckCombinations(const config::PropertySet& properties, config::Findings* findings);

}  // namespace walduct::loader
