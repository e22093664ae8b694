// The property that chooses the sink. The properties of one sink are beside it
// (kafka_sink_properties.h, line_sink_properties.h).
#pragma once

#include "absl/types/span.h"
#include "config/properties/property_set.h"
#include "kafka/options.h"
#include "sink/options.h"

namespace walduct::sink {

absl::Span<const config::PropertyDefinition> SinkProperties();

// The options of the sink that was chosen. Expects values that passed their checks. kafka: whose
// buffer.memory bounds every sink.
SinkOptions BuildSink(const config::PropertySet& properties, const kafka::KafkaOptions& kafka);

}  // namespace walduct::sink
