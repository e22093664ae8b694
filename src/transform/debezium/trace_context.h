// The context of a trace as tracers write it into a column: java.util.Properties, one entry per
// header that carries it. What Debezium's ActivateTracingSpan reads with OpenTelemetry's
// propagators. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::transform {

// The headers of OpenTelemetry's propagators (tracecontext, baggage, b3, b3multi, jaeger, xray), in
// the order in which they are added to a record.
absl::Span<const absl::string_view> TraceHeaders();

// The value of that header; empty when the text has none. InvalidArgument: the text cannot be read.
absl::StatusOr<std::string> TraceEntry(absl::string_view text, absl::string_view header);

// Which of the headers the text has values for, joined by ','. InvalidArgument: the text cannot be
// read.
absl::StatusOr<std::string> TraceEntryNames(absl::string_view text);

}  // namespace walduct::transform
