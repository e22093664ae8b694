// The rows of the table, one file per group; see all_properties.h for their order.
#pragma once

#include "absl/types/span.h"
#include "config/properties/definition.h"

namespace walduct::loader {

absl::Span<const config::PropertyDefinition> ConnectionDefinitions();
absl::Span<const config::PropertyDefinition> DriverDefinitions();
absl::Span<const config::PropertyDefinition> ReplicationDefinitions();
absl::Span<const config::PropertyDefinition> TopicDefinitions();
absl::Span<const config::PropertyDefinition> FilterDefinitions();
absl::Span<const config::PropertyDefinition> ValueDefinitions();
absl::Span<const config::PropertyDefinition> SnapshotDefinitions();
absl::Span<const config::PropertyDefinition> SignalDefinitions();
absl::Span<const config::PropertyDefinition> RuntimeDefinitions();
absl::Span<const config::PropertyDefinition> FrameworkDefinitions();
absl::Span<const config::PropertyDefinition> WorkerDefinitions();
absl::Span<const config::PropertyDefinition> KafkaDefinitions();
absl::Span<const config::PropertyDefinition> OffsetDefinitions();
absl::Span<const config::PropertyDefinition> WalductDefinitions();
absl::Span<const config::PropertyDefinition> OutboxDefinitions();

}  // namespace walduct::loader
