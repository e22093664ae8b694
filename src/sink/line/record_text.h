// A record as one JSON object:
//   {"topic":"…","partition":n,"key":K,"value":K,"headers":[["name",K],…]}
// K is null, a text, or {"base64":"…"} for bytes that are not UTF-8. Partition is 0 when the record
// leaves it open.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "event/record.h"

namespace walduct::sink {

inline constexpr absl::string_view kRecordBegin = "{\"topic\":";

// Appends the object and a newline.
void AppendRecordLine(const event::Record& record, std::string* out);

struct PrettyStyle {
  bool colour = false;
  bool full = true;
};
// Appends the record for people: operation, topic and key on one line. Full: then the headers, and
// the value indented. Else on the same line the row: "after", or "before" of a DELETE; of what is
// no change event the value.
void AppendPrettyRecord(const event::Record& record, const PrettyStyle& style, std::string* out);

}  // namespace walduct::sink
