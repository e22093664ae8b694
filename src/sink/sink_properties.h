// The properties that choose and describe sinks: their rows, what one asks of another, and the
// options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "kafka/options.h"
#include "sink/options.h"

namespace walduct::sink {

absl::Span<const config::PropertyDefinition> SinkProperties();
absl::Span<const config::PropertyDefinition> TopicCreationProperties();

void CheckSink(const config::PropertySet& properties, config::Findings* findings);
void CheckTopicCreation(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks. The dead letter topic follows from what becomes of
// errors, and is not set here.
SinkOptions BuildSink(const config::PropertySet& properties, const kafka::KafkaOptions& kafka);

}  // namespace walduct::sink
