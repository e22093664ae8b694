// The properties of CloudEventsConverter: their rows, their checks, and the options they make.
#pragma once

#include <string>

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/plugin_options.h"
#include "config/properties/property_set.h"
#include "encode/options/cloud_events_options.h"

namespace walduct::encode {

absl::Span<const config::PropertyDefinition> CloudEventsProperties();

// properties: those of the converter.
void CheckCloudEvents(const config::PluginOptions& properties, config::Findings* findings);
CloudEventsOptions BuildCloudEvents(const config::PluginOptions& properties);

// Whether events, or their data, are Avro, so that there is a registry; and whether it is
// Apicurio's.
bool HasAvroData(const config::PluginOptions& properties);
bool HasApicurioData(const config::PluginOptions& properties);

}  // namespace walduct::encode
