#include "sink/record_text.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/json_text.h"

namespace walduct::sink {
namespace {

// Length of the sequence that starts with this byte and the range of its second byte; 0: no sequence starts so.
struct Lead {
  uint8_t length;
  uint8_t second_low;
  uint8_t second_high;
};

Lead LeadOf(uint8_t byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// Bytes of the sequence at the start, 0 when there is no well-formed one.
size_t SequenceLength(absl::string_view bytes) {
  const Lead lead = LeadOf(static_cast<uint8_t>(bytes[0]));
  if (lead.length == 0 || bytes.size() < lead.length) return 0;
  const auto second = static_cast<uint8_t>(bytes[1]);
  if (second < lead.second_low || second > lead.second_high) return 0;
  for (size_t i = 2; i < lead.length; ++i) {
    if ((static_cast<uint8_t>(bytes[i]) & 0xC0) != 0x80) return 0;
  }
  return lead.length;
}

size_t AsciiPrefix(absl::string_view bytes) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t i = 0;
  for (uint64_t word = 0; i + sizeof(word) <= bytes.size(); i += sizeof(word)) {
    std::memcpy(&word, bytes.data() + i, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (i < bytes.size() && static_cast<uint8_t>(bytes[i]) < 0x80) ++i;
  return i;
}

void AppendBytes(const std::optional<absl::string_view>& bytes, std::string* out) {
  if (!bytes) {
    *out += "null";
  } else if (IsUtf8(*bytes)) {
    AppendJsonString(*bytes, out);
  } else {
    absl::StrAppend(out, "{\"base64\":\"", absl::Base64Escape(*bytes), "\"}");
  }
}

}  // namespace

bool IsUtf8(absl::string_view bytes) {
  while (true) {
    bytes.remove_prefix(AsciiPrefix(bytes));
    if (bytes.empty()) return true;
    const size_t length = SequenceLength(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
}

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
