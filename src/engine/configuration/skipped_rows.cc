#include "engine/configuration/skipped_rows.h"

#include <rapidjson/document.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/status_macros.h"

namespace walduct::engine {
namespace {

constexpr absl::string_view kForm = R"([{"table":"public.orders","key":{"id":5}}])";

// Numbers keep their digits.
rapidjson::Document Read(absl::string_view text) {
  rapidjson::Document document;
  constexpr unsigned kParse =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  document.Parse<kParse>(text.data(), text.size());
  return document;
}

absl::StatusOr<SkippedRow> RowOf(absl::string_view table, const rapidjson::Value& key) {
  SkippedRow row{.table = std::string(table), .key = {}};
  if (!absl::StrContains(table, '.'))
    return absl::InvalidArgumentError(absl::StrCat("'", table, "' is not schema.table"));
  const bool object = key.IsObject() && key.MemberCount() > 0;
  if (!object)
    return absl::InvalidArgumentError("a key is the columns of the record's key: {\"id\":5}");
  for (const auto& member : key.GetObject()) {
    const absl::string_view name = json::TextOf(member.name);
    if (member.value.IsBool()) {
      row.key.emplace_back(name, member.value.GetBool() ? "t" : "f");
    } else if (member.value.IsString()) {
      row.key.emplace_back(name, json::TextOf(member.value));
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("the key's '", name, "' is no text and no number"));
    }
  }
  std::sort(row.key.begin(), row.key.end());
  return row;
}

// What JSON takes for an integer, and prints as it is.
bool IsInteger(absl::string_view text) {
  constexpr size_t kLongest = 18;
  const absl::string_view digits = text.substr(absl::StartsWith(text, "-") ? 1 : 0);
  return !digits.empty() && digits.size() <= kLongest && (digits[0] != '0' || text == "0") &&
         std::all_of(digits.begin(), digits.end(),
                     [](unsigned char c) { return absl::ascii_isdigit(c); });
}

}  // namespace

absl::StatusOr<std::vector<SkippedRow>> ParseSkippedRows(absl::string_view text) {
  std::vector<SkippedRow> rows;
  if (absl::StripAsciiWhitespace(text).empty()) return rows;
  const rapidjson::Document document = Read(text);
  if (document.HasParseError() || !document.IsArray())
    return absl::InvalidArgumentError(absl::StrCat("is not a JSON array such as ", kForm));
  for (const rapidjson::Value& one : document.GetArray()) {
    const rapidjson::Value* const key = json::FindObject(one, "key");
    if (json::FindString(one, "table") == nullptr || key == nullptr)
      return absl::InvalidArgumentError(
          absl::StrCat("has an entry without table or key; it is written ", kForm));
    ASSIGN_OR_RETURN(SkippedRow row, RowOf(json::TextIn(one, "table"), *key));
    rows.push_back(std::move(row));
  }
  return rows;
}

absl::StatusOr<SkippedRow> ParseSkippedRow(absl::string_view table, absl::string_view key) {
  const rapidjson::Document document = Read(key);
  if (document.HasParseError())
    return absl::InvalidArgumentError("a key is the columns of the record's key: {\"id\":5}");
  return RowOf(table, document);
}

std::string PrintKey(const SkippedRow& row) {
  std::string text = "{";
  for (const auto& [column, value] : row.key) {
    if (text.size() > 1) text += ',';
    AppendJsonString(column, &text);
    text += ':';
    if (IsInteger(value))
      text += value;
    else
      AppendJsonString(value, &text);
  }
  return text + "}";
}

std::string PrintSkippedRows(const std::vector<SkippedRow>& rows) {
  std::string text = "[";
  for (const SkippedRow& row : rows) {
    absl::StrAppend(&text, text.size() > 1 ? "," : "", "{\"table\":");
    AppendJsonString(row.table, &text);
    absl::StrAppend(&text, ",\"key\":", PrintKey(row), "}");
  }
  return text + "]";
}

}  // namespace walduct::engine
