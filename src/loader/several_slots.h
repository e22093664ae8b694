// walduct.slots above 1: what it asks of the properties of several rooms.
#pragma once

#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "transform/chain/chain_spec.h"

namespace walduct::loader {

void CheckSeveralSlots(const config::PropertySet& properties, const transform::ChainSpec& chain,
                       config::Findings* findings);

}  // namespace walduct::loader
