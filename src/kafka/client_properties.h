// The properties of Kafka clients, Java's names for them: their rows, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/property_set.h"
#include "kafka/options.h"

namespace walduct::kafka {

absl::Span<const config::PropertyDefinition> ClientProperties();

// Expects values that passed their checks.
KafkaOptions BuildKafka(const config::PropertySet& properties);

}  // namespace walduct::kafka
