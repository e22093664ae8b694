// The rules between properties. All problems are found, not only the first. Pure.
#pragma once

#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "transform/chain/chain_spec.h"

namespace walduct::loader {

// Required properties, exclusive lists, what one property asks of another. Gives the chain, which
// is read on the way; of use only when nothing was found wrong.
transform::ChainSpec CheckCombinations(const config::PropertySet& properties,
                                       config::Findings* findings);

}  // namespace walduct::loader
