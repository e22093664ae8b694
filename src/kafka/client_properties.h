// The properties of Kafka clients, Java's names for them: their rows, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/property_set.h"
#include "kafka/options.h"

namespace walduct::kafka {

absl::Span<const config::PropertyDefinition> ClientProperties();

// Expects values that passed their checks.
KafkaOptions BuildKafka(const config::PropertySet& properties);

// The clients of the worker's own topics (offset.storage.topic), as in Kafka Connect: what a
// connector overrides does not reach them. Security: the properties without prefix, else those of
// the worker's producer.*; where a file has neither, the connector's.
KafkaOptions BuildWorkerKafka(const config::PropertySet& properties);

}  // namespace walduct::kafka
