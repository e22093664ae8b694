// walduct.slots above 1: what it asks of the properties of several rooms.
#pragma once

#include <string>

#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "transform/chain/chain_spec.h"

namespace walduct::loader {

void CheckSeveralSlots(const config::PropertySet& properties, const transform::ChainSpec& chain,
                       config::Findings* findings);

// Why it would be refused, if it is 1: what several slots leave behind cannot be taken over then.
// Empty: it would not.
std::string OnlyOneSlot(const config::PropertySet& properties);

}  // namespace walduct::loader
