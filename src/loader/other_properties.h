// Rows of properties that no room acts on: Kafka Connect's own, those of its workers, those of
// other connectors.
#pragma once

#include "absl/types/span.h"
#include "config/properties/definition.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::loader {

absl::Span<const config::PropertyDefinition> ConnectorProperties();
absl::Span<const config::PropertyDefinition> DeliveryProperties();
absl::Span<const config::PropertyDefinition> WorkerProperties();
// Of Debezium's connectors for other databases.
absl::Span<const config::PropertyDefinition> SiblingProperties();

}  // namespace walduct::loader
