// What the clients of a connector are refused for, found when it is loaded and told under the names
// that were typed. Reads stores and keys; reaches no broker.
#pragma once

#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::kafka {

struct ProducerRules;

void CheckProducer(const config::PropertySet& properties, const ProducerRules& rules,
                   config::Findings* findings);
// The consumer that reads stored positions, and the admin client.
void CheckOtherClients(const config::PropertySet& properties, config::Findings* findings);
void WarnOfProtocols(const config::PropertySet& properties, config::Findings* findings);

}  // namespace walduct::kafka
