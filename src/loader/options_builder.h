// From checked properties to typed options: each room builds its own struct; what follows from the
// properties of several rooms is set here. Expects a PropertySet whose every value passed its
// check; adds warnings about assumptions (a default broker, a default name, a store that forgets).
// Pure.
#pragma once

#include <string>

#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "engine/configuration/connector_options.h"
#include "transform/chain/chain_spec.h"

namespace walduct::loader {

// chain: as the checks have read it. default_name: the connector's name when the property is
// absent.
engine::ConnectorOptions BuildOptions(const config::PropertySet& properties,
                                      transform::ChainSpec chain, const std::string& default_name,
                                      config::Findings* findings);

// Where options need Kafka and no property says where it is.
void WarnOfDefaultBroker(const config::PropertySet& properties,
                         const engine::ConnectorOptions& options, config::Findings* findings);

}  // namespace walduct::loader
