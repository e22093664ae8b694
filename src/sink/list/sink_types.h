// The sinks that there are, and the property that chooses one.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "sink/options.h"
#include "sink/sink_type.h"

namespace walduct::sink {

// The default first.
absl::Span<const SinkType* const> SinkTypes();

// Of property `sink`. The default's where it names none, which is refused elsewhere.
const SinkType& ChosenType(const config::PropertySet& properties);

// The row of property `sink`.
absl::Span<const config::PropertyDefinition> SinkProperties();

// What the properties of the sinks ask of each other.
void CheckSinks(const config::PropertySet& properties, config::Findings* findings);

// The options of the sink that was chosen. Expects values that passed their checks. kafka: whose
// buffer.memory bounds every sink.
SinkOptions BuildSink(const config::PropertySet& properties, const kafka::KafkaOptions& kafka);

}  // namespace walduct::sink
