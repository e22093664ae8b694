#include "sink/line/record_text.h"

#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "base/utf8.h"

namespace walduct::sink {
namespace {

void AppendBytes(const std::optional<absl::string_view>& bytes, std::string* out) {
  if (!bytes) {
    *out += "null";
  } else if (IsValidUtf8(*bytes)) {
    AppendJsonString(*bytes, out);
  } else {
    absl::StrAppend(out, "{\"base64\":\"", absl::Base64Escape(*bytes), "\"}");
  }
}

}  // namespace

void AppendRecordLine(const event::Record& record, std::string* out) {
  absl::StrAppend(out, kRecordBegin);
  AppendJsonString(record.topic, out);
  absl::StrAppend(out, ",\"partition\":", record.partition.value_or(0), ",\"key\":");
  AppendBytes(record.key, out);
  *out += ",\"value\":";
  AppendBytes(record.value, out);
  *out += ",\"headers\":[";
  for (size_t i = 0; i < record.headers.size(); ++i) {
    *out += i == 0 ? "[" : ",[";
    AppendJsonString(record.headers[i].name, out);
    *out += ',';
    const event::Header& header = record.headers[i];
    AppendBytes(header.is_null ? std::nullopt : std::optional<absl::string_view>(header.value),
                out);
    *out += ']';
  }
  *out += "]}\n";
}

}  // namespace walduct::sink
