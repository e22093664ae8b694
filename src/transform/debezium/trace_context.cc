#include "transform/debezium/trace_context.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "java/text/properties_text.h"

namespace walduct::transform {
namespace {

constexpr absl::string_view kHeaders[] = {
    "traceparent",  "tracestate",    "baggage",           "b3",
    "X-B3-TraceId", "X-B3-SpanId",   "X-B3-ParentSpanId", "X-B3-Sampled",
    "X-B3-Flags",   "uber-trace-id", "X-Amzn-Trace-Id"};

std::string Find(const java::Properties& entries, absl::string_view name) {
  for (const auto& [key, value] : entries.values) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace

absl::Span<const absl::string_view> TraceHeaders() { return kHeaders; }

absl::StatusOr<std::string> TraceEntry(absl::string_view text, absl::string_view header) {
  ASSIGN_OR_RETURN(const java::Properties entries, java::ParseProperties(text));
  return Find(entries, header);
}

absl::StatusOr<std::string> TraceEntryNames(absl::string_view text) {
  ASSIGN_OR_RETURN(const java::Properties entries, java::ParseProperties(text));
  std::vector<absl::string_view> names;
  for (const absl::string_view name : kHeaders) {
    if (!Find(entries, name).empty()) names.push_back(name);
  }
  return absl::StrJoin(names, ",");
}

}  // namespace walduct::transform
