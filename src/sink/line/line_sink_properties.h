// The properties of the sink that writes a file, what one asks of another, and the options they
// make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "sink/line/line_sink_options.h"

namespace walduct::sink {

absl::Span<const config::PropertyDefinition> FileSinkProperties();

void CheckFileSink(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks.
FileSinkOptions BuildFileSink(const config::PropertySet& properties);

}  // namespace walduct::sink
