#include "engine/lifecycle/host.h"

#include "engine/configuration/connector_options.h"

namespace walduct::engine {

std::vector<ConnectorOptions> Host::LanesOf(const ConnectorOptions& whole) { return {whole}; }

}  // namespace walduct::engine
