#include "recover/read/key_values.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "event/type.h"
#include "incremental/stored/decimal_bytes.h"

namespace walduct::recover {
namespace {

constexpr size_t kMostRows = 64;

// nullopt: NULL.
using Guess = std::optional<std::string>;
using Guesses = std::vector<Guess>;

std::string TimestampText(absl::Time time) {
  return absl::FormatTime("%E4Y-%m-%d %H:%M:%E*S", time, absl::UTCTimeZone());
}

std::string TimeOfDay(absl::Duration since_midnight) {
  return absl::FormatTime("%H:%M:%E*S", absl::UnixEpoch() + since_midnight, absl::UTCTimeZone());
}

// Java's BigInteger.toByteArray: two's complement, the first byte first.
std::string DecimalText(std::string bytes, int scale) {
  incremental::DecimalBytes decimal{.scale = scale, .sign = 1, .magnitude = std::move(bytes)};
  std::string& magnitude = decimal.magnitude;
  if (!magnitude.empty() && (static_cast<uint8_t>(magnitude.front()) & 0x80) != 0) {
    decimal.sign = -1;
    bool carry = true;
    for (size_t i = magnitude.size(); i-- > 0;) {
      const unsigned flipped = (static_cast<uint8_t>(magnitude[i]) ^ 0xFFu) + (carry ? 1u : 0u);
      carry = flipped > 0xFF;
      magnitude[i] = static_cast<char>(flipped & 0xFF);
    }
  }
  magnitude.erase(0, magnitude.find_first_not_of('\0'));
  if (magnitude.empty()) decimal.sign = 0;
  return incremental::PrintDecimal(decimal);
}

int ScaleOf(int32_t typmod) {
  if (typmod < 4) return 0;
  const int scale = (typmod - 4) & 0x7FF;
  return (scale ^ 1024) - 1024;
}

void GuessNumber(absl::string_view type, const rapidjson::Value& value, Guesses* out) {
  const std::string text = json::Print(value);
  if (!value.IsInt64()) {
    out->push_back(text);
    return;
  }
  const int64_t number = value.GetInt64();
  if (type == "date") {
    const absl::CivilDay day = absl::CivilDay(1970, 1, 1) + number;
    out->push_back(absl::FormatCivilTime(day));
  } else if (absl::StartsWith(type, "timestamp")) {
    for (const absl::Duration since :
         {absl::Microseconds(number), absl::Milliseconds(number), absl::Nanoseconds(number)})
      out->push_back(TimestampText(absl::UnixEpoch() + since) +
                     (type == "timestamptz" ? "+00" : ""));
  } else if (absl::StartsWith(type, "time")) {
    for (const absl::Duration since :
         {absl::Microseconds(number), absl::Milliseconds(number), absl::Nanoseconds(number)})
      out->push_back(TimeOfDay(since));
  } else {
    out->push_back(text);
  }
}

void GuessText(absl::string_view type, int32_t typmod, const std::string& text, Guesses* out) {
  std::string bytes;
  const bool base64 =
      absl::Base64Unescape(text, &bytes) || absl::WebSafeBase64Unescape(text, &bytes);
  if (type == "numeric" && base64) out->push_back(DecimalText(bytes, ScaleOf(typmod)));
  if (type == "money" && base64) out->push_back(DecimalText(bytes, 2));
  if (type == "bytea" && base64) out->push_back("\\x" + absl::BytesToHexString(bytes));
  if (type == "bytea") out->push_back("\\x" + text);
  if (absl::StartsWith(type, "time")) {
    std::string plain = absl::StrReplaceAll(text, {{"T", " "}, {"Z", ""}});
    if (absl::EndsWith(type, "tz")) {
      out->push_back(plain + "+00");
      out->push_back(absl::StrReplaceAll(text, {{"T", " "}}));
    }
    out->push_back(std::move(plain));
  }
  out->push_back(text);
}

Guesses GuessesFor(const event::Column& column, const rapidjson::Value& value) {
  const event::Type& type = event::BaseType(*column.type);
  const int32_t typmod = event::EffectiveTypmod(*column.type, column.typmod);
  Guesses guesses;
  if (value.IsNull()) {
    guesses.emplace_back();
  } else if (value.IsBool()) {
    guesses.emplace_back(value.GetBool() ? "t" : "f");
    guesses.emplace_back(value.GetBool() ? "1" : "0");
  } else if (value.IsNumber()) {
    GuessNumber(type.name, value, &guesses);
  } else if (value.IsString()) {
    GuessText(type.name, typmod, std::string(json::TextOf(value)), &guesses);
  } else if (value.IsObject()) {
    // VariableScaleDecimal.
    const rapidjson::Value* const scale = json::FindSet(value, "scale");
    std::string bytes;
    if (scale != nullptr && scale->IsInt() &&
        absl::Base64Unescape(json::TextIn(value, "value"), &bytes))
      guesses.emplace_back(DecimalText(std::move(bytes), scale->GetInt()));
  }
  return guesses;
}

// One more column: each row with each guess.
void Multiply(size_t column, const Guesses& guesses, std::vector<KeyRow>* rows) {
  std::vector<KeyRow> all;
  for (const KeyRow& row : *rows) {
    for (const Guess& guess : guesses) {
      if (all.size() >= kMostRows) break;
      all.push_back(row);
      all.back().texts[column] = guess.value_or("");
      all.back().values[column].kind = guess ? event::ValueKind::kText : event::ValueKind::kNull;
    }
  }
  *rows = std::move(all);
}

void Point(std::vector<KeyRow>* rows) {
  for (KeyRow& row : *rows)
    for (size_t i = 0; i < row.values.size(); ++i)
      if (row.values[i].is_text()) row.values[i] = event::Value::Text(row.texts[i]);
}

}  // namespace

std::vector<KeyRow> RowsOfKey(const event::TableSchema& schema, absl::string_view key) {
  const rapidjson::Document document = json::Parse(key);
  if (document.HasParseError()) return {};
  const rapidjson::Value* root = &document;
  const rapidjson::Value* const payload = json::Find(document, "payload");
  if (payload != nullptr && json::Find(document, "schema") != nullptr) root = payload;
  KeyRow empty;
  empty.texts.resize(schema.columns.size());
  event::Value absent;
  absent.kind = event::ValueKind::kAbsent;
  empty.values.assign(schema.columns.size(), absent);
  std::vector<KeyRow> rows = {std::move(empty)};
  bool any = false;
  for (size_t i = 0; i < schema.columns.size(); ++i) {
    const bool alone =
        !root->IsObject() && schema.key_columns.size() == 1 && schema.key_columns.front() == i;
    const rapidjson::Value* const value =
        alone ? root : json::Find(*root, schema.columns[i].name.c_str());
    if (value == nullptr) continue;
    any = true;
    Multiply(i, GuessesFor(schema.columns[i], *value), &rows);
  }
  if (!any) return {};
  Point(&rows);
  return rows;
}

}  // namespace walduct::recover
