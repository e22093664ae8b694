#include "sink/eyes/shown_value.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/plain_text.h"

namespace walduct::sink {
namespace {

using Value = rapidjson::Value;

constexpr size_t kMostBytes = 64;  // of a binary value; its size says the rest
constexpr absl::string_view kUnavailable = "__debezium_unavailable_value";
constexpr int64_t kMostDays = 3'000'000;  // about the year 10,000: what is beyond is infinity

const Value* Member(const Value* object, const char* name) {
  if (object == nullptr || !object->IsObject()) return nullptr;
  const auto found = object->FindMember(name);
  return found == object->MemberEnd() ? nullptr : &found->value;
}

absl::string_view TextOf(const Value* value) {
  return value != nullptr && value->IsString()
             ? absl::string_view(value->GetString(), value->GetStringLength())
             : absl::string_view();
}

std::string Negated(std::string bytes) {
  int carry = 1;
  for (size_t i = bytes.size(); i-- > 0;) {
    const int byte = (~static_cast<uint8_t>(bytes[i]) & 0xFF) + carry;
    bytes[i] = static_cast<char>(byte & 0xFF);
    carry = byte >> 8;
  }
  return bytes;
}

// Of a positive number.
std::string DigitsOf(const std::string& bytes) {
  std::vector<uint8_t> digits = {0};  // the last one first
  for (const char c : bytes) {
    int carry = static_cast<uint8_t>(c);
    for (uint8_t& digit : digits) {
      carry += digit * 256;
      digit = static_cast<uint8_t>(carry % 10);
      carry /= 10;
    }
    for (; carry > 0; carry /= 10) digits.push_back(static_cast<uint8_t>(carry % 10));
  }
  std::string text;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
    text.push_back(static_cast<char>('0' + *digit));
  return text;
}

struct Unit {
  absl::string_view schema;
  int64_t per_second;  // zero: days
  bool of_day;
};
constexpr Unit kUnits[] = {{"io.debezium.time.Date", 0, false},
                           {"org.apache.kafka.connect.data.Date", 0, false},
                           {"io.debezium.time.Time", 1000, true},
                           {"org.apache.kafka.connect.data.Time", 1000, true},
                           {"io.debezium.time.MicroTime", 1000000, true},
                           {"io.debezium.time.NanoTime", 1000000000, true},
                           {"io.debezium.time.Timestamp", 1000, false},
                           {"org.apache.kafka.connect.data.Timestamp", 1000, false},
                           {"io.debezium.time.MicroTimestamp", 1000000, false},
                           {"io.debezium.time.NanoTimestamp", 1000000000, false}};

// Empty: the schema is none of time.
std::string TimeText(int64_t number, absl::string_view schema) {
  for (const Unit& unit : kUnits) {
    if (unit.schema != schema) continue;
    if (unit.per_second == 0) {
      if (std::abs(number) > kMostDays) return "";
      return absl::FormatCivilTime(absl::CivilDay(1970, 1, 1) + number);
    }
    const absl::Duration since = absl::Seconds(number / unit.per_second) +
                                 absl::Seconds(1) * (number % unit.per_second) / unit.per_second;
    if (absl::ToInt64Hours(since) / 24 > kMostDays) return "infinity";
    if (absl::ToInt64Hours(since) / 24 < -kMostDays) return "-infinity";
    // PostgreSQL has a time of 24:00:00.
    if (unit.of_day && since == absl::Hours(24)) return "24:00:00";
    return absl::FormatTime(unit.of_day ? "%H:%M:%E*S" : "%Y-%m-%d %H:%M:%E*S",
                            absl::UnixEpoch() + since, absl::UTCTimeZone());
  }
  return "";
}

void AppendBytes(absl::string_view bytes, std::string* out) {
  absl::StrAppend(out, "\\x", absl::BytesToHexString(bytes.substr(0, kMostBytes)));
  if (bytes.size() > kMostBytes) absl::StrAppend(out, "… (", bytes.size(), " bytes)");
}

int ScaleOf(const Value* schema) {
  int scale = 0;
  return absl::SimpleAtoi(TextOf(Member(Member(schema, "parameters"), "scale")), &scale) ? scale
                                                                                         : 0;
}

void AppendString(const Value& value, const Value* schema, absl::string_view name,
                  std::string* out) {
  const absl::string_view text = TextOf(&value);
  std::string bytes;
  if (text == kUnavailable) {
    *out += "(unchanged)";
  } else if (TextOf(Member(schema, "type")) == "bytes" && absl::Base64Unescape(text, &bytes)) {
    if (bytes == kUnavailable) {
      *out += "(unchanged)";
    } else if (name == "org.apache.kafka.connect.data.Decimal") {
      *out += DecimalText(bytes, ScaleOf(schema));
    } else {
      AppendBytes(bytes, out);
    }
  } else {
    AppendShownText(text, out);
  }
}

// A numeric without a scale of its own: {"scale": 2, "value": "…"}.
bool AppendVariableScale(const Value& value, std::string* out) {
  const Value* const scale = Member(&value, "scale");
  std::string bytes;
  if (scale == nullptr || !scale->IsInt() ||
      !absl::Base64Unescape(TextOf(Member(&value, "value")), &bytes))
    return false;
  *out += DecimalText(bytes, scale->GetInt());
  return true;
}

void AppendNumber(const Value& value, absl::string_view name, std::string* out) {
  if (value.IsInt64() && !name.empty()) {
    if (const std::string time = TimeText(value.GetInt64(), name); !time.empty()) {
      *out += time;
      return;
    }
  }
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  out->append(buffer.GetString(), buffer.GetSize());
}

}  // namespace

std::string DecimalText(absl::string_view bytes, int scale) {
  if (bytes.empty()) return "0";
  const bool negative = (static_cast<uint8_t>(bytes[0]) & 0x80) != 0;
  std::string digits = DigitsOf(negative ? Negated(std::string(bytes)) : std::string(bytes));
  if (scale > 0) {
    const size_t behind = static_cast<size_t>(scale);
    if (digits.size() <= behind) digits.insert(0, behind + 1 - digits.size(), '0');
    digits.insert(digits.size() - behind, ".");
  } else if (digits != "0") {
    digits.append(static_cast<size_t>(-scale), '0');
  }
  return absl::StrCat(negative ? "-" : "", digits);
}

const Value* FieldSchema(const Value* schema, absl::string_view field) {
  const Value* const fields = Member(schema, "fields");
  if (fields == nullptr || !fields->IsArray()) return nullptr;
  for (const Value& one : fields->GetArray()) {
    if (TextOf(Member(&one, "field")) == field) return &one;
  }
  return nullptr;
}

void AppendShownText(absl::string_view text, std::string* out) {
  const std::string plain = PlainText(text);
  const bool word =
      !plain.empty() && plain != "null" && plain.find_first_of(" \t=\"'{}[],") == std::string::npos;
  if (word) {
    *out += plain;
  } else {
    absl::StrAppend(out, "\"", absl::StrReplaceAll(plain, {{"\"", "\\\""}}), "\"");
  }
}

void AppendShown(const Value& value, const Value* schema, std::string* out) {
  const absl::string_view name = TextOf(Member(schema, "name"));
  if (value.IsString()) {
    AppendString(value, schema, name, out);
  } else if (value.IsArray()) {
    *out += '[';
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      if (i > 0) *out += ", ";
      AppendShown(value[i], Member(schema, "items"), out);
    }
    *out += ']';
  } else if (value.IsObject()) {
    if (name == "io.debezium.data.VariableScaleDecimal" && AppendVariableScale(value, out)) return;
    *out += '{';
    bool first = true;
    for (const auto& member : value.GetObject()) {
      if (!first) *out += ", ";
      first = false;
      const absl::string_view field(member.name.GetString(), member.name.GetStringLength());
      AppendShownText(field, out);
      *out += '=';
      const Value* const of = FieldSchema(schema, field);
      AppendShown(member.value, of != nullptr ? of : Member(schema, "values"), out);
    }
    *out += '}';
  } else {
    AppendNumber(value, name, out);
  }
}

}  // namespace walduct::sink
