// The properties by which converters reach their schema registries: their rows, their checks, and
// the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/plugin_options.h"
#include "config/properties/property_set.h"
#include "registry/options.h"

namespace walduct::registry {

absl::Span<const config::PropertyDefinition> RegistryProperties();

// Of a converter that needs a registry: what it lacks, and what contradicts itself.
void CheckRegistry(const config::PluginOptions& properties, RegistryApi api,
                   config::Findings* findings);

// Expects values that passed their checks.
RegistryOptions BuildRegistry(const config::PluginOptions& properties, RegistryApi api);

}  // namespace walduct::registry
