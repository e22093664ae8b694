// inter.worker.*: how workers of a group sign what they ask of each other; by the names, defaults
// and bounds of Kafka Connect.
#pragma once

#include "access/session_keys.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::loader {

access::SessionOptions BuildSession(const config::PropertySet& properties,
                                    config::Findings* findings);

}  // namespace walduct::loader
