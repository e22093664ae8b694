// Finds at load what a producer would be refused for later, under the name that the operator typed.
#pragma once

#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::kafka {

void CheckProducer(const config::PropertySet& properties, config::Findings* findings);

}  // namespace walduct::kafka
