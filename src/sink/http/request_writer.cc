#include "sink/http/request_writer.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::sink {
namespace {

bool IsTokenChar(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("!#$%&'*+-.^_`|~", absl::string_view(&c, 1));
}

// FNV-1a: the same in every version of this program.
uint64_t Fingerprint(absl::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

absl::Status BadHeader(absl::string_view name, absl::string_view why, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "record_refused",
               absl::StrCat("header ", absl::CHexEscape(name), " ", why), hint);
}

// By which its writer says that a repeat is one: receivers know it by this name.
constexpr absl::string_view kIdempotencyKey = "Idempotency-Key";

bool HasIdempotencyKey(const HttpSinkOptions& options) {
  return std::any_of(options.headers.begin(), options.headers.end(), [](const auto& header) {
    return absl::EqualsIgnoreCase(header.first, kIdempotencyKey);
  });
}

}  // namespace

std::string MessageIdOf(const event::Record& record, absl::string_view process, uint64_t number) {
  using Of = event::RecordId::Of;
  const event::RecordId& id = record.id;
  if (id.row.given())
    return absl::StrCat("msg_", absl::Hex(id.row.high, absl::kZeroPad16),
                        absl::Hex(id.row.low, absl::kZeroPad16), "-", id.part);
  if (!id.exact()) return absl::StrCat("msg_", process, "-", number);
  const std::string place = absl::StrCat(
      "msg_", absl::Hex(Fingerprint(record.topic), absl::kZeroPad16), "-", absl::Hex(id.lsn), "-");
  if (id.of == Of::kBegin) return absl::StrCat(place, "begin");
  if (id.of == Of::kEnd) return absl::StrCat(place, "end");
  return absl::StrCat(place, id.number, "-", id.part);
}

absl::Status RequestWriter::AppendHeader(absl::string_view name, absl::string_view value,
                                         std::string* head) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), IsTokenChar))
    return BadHeader(name, "has a name that HTTP does not allow",
                     "rename it with a transform, or leave it out");
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  };
  if (std::any_of(value.begin(), value.end(), is_control))
    return BadHeader(name, "has a value with a control character, which HTTP does not allow",
                     "set sink.http.headers.encode.base64=true");
  // "Name;" is how libcurl is told of an empty one.
  absl::StrAppend(head, name, value.empty() ? ";" : ": ", value);
  head->push_back('\0');
  return absl::OkStatus();
}

absl::Status RequestWriter::Write(const event::Record& record, Ticket ticket, Outgoing* out) {
  out->head.clear();
  std::string name, value;
  for (const event::Header& header : record.headers) {
    name = options_.header_prefix;
    for (const char c : header.name)
      name.push_back(absl::ascii_toupper(static_cast<unsigned char>(c)));
    const absl::string_view text = header.is_null ? "null" : header.value;
    if (options_.base64) {
      absl::Base64Escape(text, &value);
    } else {
      value = std::string(text);
    }
    RETURN_IF_ERROR(AppendHeader(name, value, &out->head));
  }
  out->id.clear();
  if (!options_.id_header.empty()) {
    for (const event::Header& header : record.headers) {
      if (header.name == options_.id_header && !header.is_null) out->id = HeaderText(header.value);
    }
  }
  // A batch has the headers of its first record.
  const bool sends_key = !options_.batch && !HasIdempotencyKey(options_);
  for (const event::Header& header : record.headers) {
    if (header.is_null || !absl::EqualsIgnoreCase(header.name, kIdempotencyKey)) continue;
    const std::string key = HeaderText(header.value);
    if (out->id.empty()) out->id = key;
    if (sends_key) RETURN_IF_ERROR(AppendHeader(kIdempotencyKey, key, &out->head));
    break;
  }
  if (out->id.empty()) out->id = MessageIdOf(record, process_, ++number_);
  for (const auto& [more, text] : options_.headers)
    RETURN_IF_ERROR(AppendHeader(more, text.Of(record, out->id, false), &out->head));
  out->url = options_.url.fixed() ? "" : options_.url.Of(record, out->id, true);
  out->lane = 0;
  if (options_.in_flight > 1) {
    const size_t hash =
        record.key ? absl::HashOf(record.topic, *record.key) : static_cast<size_t>(++number_);
    out->lane = static_cast<uint32_t>(hash % Outgoing::kLanes);
  }
  out->Keep(record, ticket);
  return absl::OkStatus();
}

}  // namespace walduct::sink
