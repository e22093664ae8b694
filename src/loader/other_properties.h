// Rows of properties that no room acts on: Kafka Connect's own, those of its workers, signals and
// notifications, those of other connectors.
#pragma once

#include "absl/types/span.h"
#include "config/properties/definition.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::loader {

absl::Span<const config::PropertyDefinition> ConnectorProperties();
absl::Span<const config::PropertyDefinition> DeliveryProperties();
absl::Span<const config::PropertyDefinition> WorkerProperties();
absl::Span<const config::PropertyDefinition> SignalProperties();
// Of Debezium's connectors for other databases.
absl::Span<const config::PropertyDefinition> SiblingProperties();

void CheckNotifications(const config::PropertySet& properties, config::Findings* findings);

}  // namespace walduct::loader
