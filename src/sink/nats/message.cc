#include "sink/nats/message.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::sink {
namespace {

constexpr absl::string_view kId = "Nats-Msg-Id";
constexpr size_t kFrame = 12;       // "NATS/1.0" with its line, and an empty line
constexpr size_t kHeaderFrame = 4;  // ": " and the end of a line

absl::Status Refused(absl::string_view name, absl::string_view why) {
  return Error(absl::StatusCode::kInvalidArgument, "nats_header_refused",
               absl::StrCat("header '", name, "' ", why),
               "rename it with a transform, or write headers as JSON "
               "(header.converter=org.apache.kafka.connect.json.JsonConverter)");
}

bool IsName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](char c) { return c > ' ' && c < 0x7F && c != ':'; });
}
bool IsValue(absl::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7F;
  });
}

}  // namespace

absl::Status Message::Assign(const event::Record& record, absl::string_view id) {
  bytes_.clear();
  size_ = kFrame;
  const auto add = [this](absl::string_view name, absl::string_view value) {
    absl::StrAppend(&bytes_, name, absl::string_view("\0", 1));
    if (name == kId) id_at_ = bytes_.size();
    absl::StrAppend(&bytes_, value, absl::string_view("\0", 1));
    size_ += name.size() + value.size() + kHeaderFrame;
  };
  const bool own = std::none_of(record.headers.begin(), record.headers.end(),
                                [](const event::Header& header) { return header.name == kId; });
  if (own) add(kId, id);
  for (const event::Header& header : record.headers) {
    if (!IsName(header.name))
      return Refused(header.name, "has a character in its name that NATS does not take");
    if (!header.is_null && !IsValue(header.value))
      return Refused(header.name, "has a control character in its value");
    add(header.name, header.is_null ? "null" : header.value);
  }
  body_at_ = bytes_.size();
  const absl::string_view body = record.value.value_or("");
  absl::StrAppend(&bytes_, body);
  size_ += body.size();
  return absl::OkStatus();
}

void Message::AppendHeaders(std::vector<nats::HeaderText>* headers) const {
  for (size_t at = 0; at < body_at_;) {
    const size_t value = bytes_.find('\0', at) + 1;
    headers->push_back({bytes_.data() + at, bytes_.data() + value});
    at = bytes_.find('\0', value) + 1;
  }
}

}  // namespace walduct::sink
