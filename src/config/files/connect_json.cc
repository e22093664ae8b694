#include "config/files/connect_json.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::config {
namespace {

// Numbers stay text: 1.50 or a 20-digit number must reach a property unchanged. Iterative: nesting
// cannot exhaust the stack.
constexpr unsigned kParseFlags = rapidjson::kParseNumbersAsStringsFlag |
                                 rapidjson::kParseValidateEncodingFlag |
                                 rapidjson::kParseIterativeFlag;

absl::Status Malformed(absl::string_view message, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "bad_json", message, hint);
}

std::string Place(absl::string_view text, size_t offset) {
  const absl::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return absl::StrCat("line ", std::count(before.begin(), before.end(), '\n') + 1, ", column ",
                      before.size() - line_start + 1);
}

absl::string_view Text(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

const char* KindName(const rapidjson::Value& value) {
  if (value.IsNull()) return "null";
  return value.IsArray() ? "an array" : "an object";
}

absl::Status PutAll(const rapidjson::Value& object, KeyValues* values) {
  for (const auto& member : object.GetObject()) {
    const absl::string_view key = Text(member.name);
    if (!member.value.IsString() && !member.value.IsBool()) {
      return Malformed(absl::StrCat("property '", key, "': ", KindName(member.value),
                                    " is not a property value"),
                       "use a string, a number or a boolean");
    }
    std::string value = member.value.IsString()  ? std::string(Text(member.value))
                        : member.value.GetBool() ? "true"
                                                 : "false";
    const auto same = std::find_if(values->begin(), values->end(),
                                   [&](const auto& pair) { return pair.first == key; });
    if (same != values->end()) {
      same->second = std::move(value);
    } else {
      values->emplace_back(std::string(key), std::move(value));
    }
  }
  return absl::OkStatus();
}

// {"name","config",…}: Connect ignores other members; the outer name is the connector's unless
// config has one.
absl::StatusOr<ParsedFile> FromCreateRequest(const rapidjson::Value& root) {
  ParsedFile file;
  const auto name = root.FindMember("name");
  if (name != root.MemberEnd()) {
    if (!name->value.IsString())
      return Malformed("property 'name': must be a string", "set \"name\" to the connector's name");
    file.values.emplace_back("name", std::string(Text(name->value)));
  }
  for (const auto& member : root.GetObject()) {
    const absl::string_view key = Text(member.name);
    if (key == "name" || key == "config" || key == "initial_state") continue;
    file.warnings.push_back(
        absl::StrCat("'", key, "' is outside \"config\" and is ignored; move it into \"config\""));
  }
  RETURN_IF_ERROR(PutAll(root["config"], &file.values));
  return file;
}

}  // namespace

absl::StatusOr<ParsedFile> ParseConnectJson(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  rapidjson::Document root;
  root.Parse<kParseFlags>(text.data(), text.size());
  if (root.HasParseError()) {
    return Malformed(absl::StrCat("not valid JSON at ", Place(text, root.GetErrorOffset()), ": ",
                                  rapidjson::GetParseError_En(root.GetParseError())),
                     "check commas, quotes and braces there");
  }
  if (!root.IsObject()) {
    return Malformed("the JSON text is not an object",
                     R"(write {"name": "…", "config": {…}} or a flat map)");
  }
  if (root.HasMember("config") && root["config"].IsObject()) return FromCreateRequest(root);
  ParsedFile file;
  RETURN_IF_ERROR(PutAll(root, &file.values));
  return file;
}

}  // namespace walduct::config
