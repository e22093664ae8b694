// Properties of the sink rabbitmq, and what they ask of each other.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "sink/rabbitmq/rabbitmq_sink_options.h"

namespace walduct::sink {

absl::Span<const config::PropertyDefinition> RabbitMqSinkProperties();

void CheckRabbitMqSink(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks.
RabbitMqSinkOptions BuildRabbitMqSink(const config::PropertySet& properties);

}  // namespace walduct::sink
