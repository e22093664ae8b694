// The properties of the sink that writes to Kafka, what one asks of another, and the options they
// make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "sink/kafka_sink_options.h"

namespace walduct::sink {

absl::Span<const config::PropertyDefinition> TopicCreationProperties();

void CheckTopicCreation(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks. The dead letter topic follows from what becomes of
// errors, and is not set here.
KafkaSinkOptions BuildKafkaSink(const config::PropertySet& properties);

}  // namespace walduct::sink
