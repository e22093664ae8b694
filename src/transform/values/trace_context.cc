#include "transform/values/trace_context.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "config/files/properties_file.h"

namespace walduct::transform {
namespace {

constexpr absl::string_view kHeaders[] = {
    "traceparent",  "tracestate",    "baggage",           "b3",
    "X-B3-TraceId", "X-B3-SpanId",   "X-B3-ParentSpanId", "X-B3-Sampled",
    "X-B3-Flags",   "uber-trace-id", "X-Amzn-Trace-Id"};

std::string Find(const config::KeyValues& entries, absl::string_view name) {
  for (const auto& [key, value] : entries) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace

absl::Span<const absl::string_view> TraceHeaders() { return kHeaders; }

absl::StatusOr<std::string> TraceEntry(absl::string_view text, absl::string_view header) {
  ASSIGN_OR_RETURN(const config::ParsedFile entries, config::ParseProperties(text));
  return Find(entries.values, header);
}

absl::StatusOr<std::string> TraceEntryNames(absl::string_view text) {
  ASSIGN_OR_RETURN(const config::ParsedFile entries, config::ParseProperties(text));
  std::vector<absl::string_view> names;
  for (const absl::string_view name : kHeaders) {
    if (!Find(entries.values, name).empty()) names.push_back(name);
  }
  return absl::StrJoin(names, ",");
}

}  // namespace walduct::transform
