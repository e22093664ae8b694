// The properties of the sink that writes to an HTTP server, by Debezium Server's names without the
// first word; what one asks of another, and the options they make.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "sink/http/http_sink_options.h"
#include "sink/sink_type.h"

namespace walduct::sink {

absl::Span<const config::PropertyDefinition> HttpSinkProperties();

void CheckHttpSink(const config::PropertySet& properties, config::Findings* findings);

std::vector<FixedPlace> HttpPlaces(const PropertyText& text);

// Expects values that passed their checks.
HttpSinkOptions BuildHttpSink(const config::PropertySet& properties);

}  // namespace walduct::sink
