#include "config/files/connect_json.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/json.h"
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

// A comma with nothing behind it is the usual mistake; the parser only points at what follows.
absl::Status NotJson(absl::string_view text, const rapidjson::Document& root) {
  const size_t at = std::min(root.GetErrorOffset(), text.size());
  const size_t before = text.substr(0, at).find_last_not_of(" \t\r\n");
  const size_t next = text.find_first_not_of(" \t\r\n", at);
  const char closing = next == absl::string_view::npos ? '\0' : text[next];
  if (before != absl::string_view::npos && text[before] == ',' &&
      (closing == '}' || closing == ']'))
    return Malformed(absl::StrCat("not valid JSON at ", Place(text, before), ": a comma before '",
                                  text.substr(next, 1), "'"),
                     "remove the comma");
  if (closing == '/' || closing == '#')
    return Malformed(
        absl::StrCat("not valid JSON at ", Place(text, next), ": JSON has no comments"),
        "remove the comment, or write it as a property \"_comment\"");
  return Malformed(absl::StrCat("not valid JSON at ", Place(text, at), ": ",
                                rapidjson::GetParseError_En(root.GetParseError())),
                   "check commas, quotes and braces there");
}

const char* KindName(const rapidjson::Value& value) {
  return value.IsArray() ? "an array" : "an object";
}

// JSON has no comments, so people write them as properties that no program uses.
bool IsComment(absl::string_view key) {
  return absl::StartsWith(key, "_comment") || absl::StartsWith(key, "//") ||
         absl::StartsWith(key, "#") || key == "comment" || key == "$schema";
}

absl::Status PutAll(const rapidjson::Value& object, ParsedFile* file) {
  KeyValues* const values = &file->values;
  for (const auto& member : object.GetObject()) {
    const absl::string_view key = json::TextOf(member.name);
    if (IsComment(key)) continue;
    if (member.value.IsNull()) {
      file->warnings.push_back(absl::StrCat("property '", key, "': null, so it is not set"));
      continue;
    }
    if (!member.value.IsString() && !member.value.IsBool()) {
      return Malformed(absl::StrCat("property '", key, "': ", KindName(member.value),
                                    " is not a property value"),
                       "use a string, a number or a boolean");
    }
    std::string value = member.value.IsString()  ? std::string(json::TextOf(member.value))
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

// {"name","config",…}: Connect ignores other members. The name may stand inside, too.
absl::StatusOr<ParsedFile> FromCreateRequest(const rapidjson::Value& root) {
  ParsedFile file;
  const auto name = root.FindMember("name");
  if (name != root.MemberEnd()) {
    if (!name->value.IsString())
      return Malformed("property 'name': must be a string", "set \"name\" to the connector's name");
    file.values.emplace_back("name", std::string(json::TextOf(name->value)));
  }
  for (const auto& member : root.GetObject()) {
    const absl::string_view key = json::TextOf(member.name);
    if (key == "name" || key == "config" || key == "initial_state" || IsComment(key)) continue;
    file.warnings.push_back(
        absl::StrCat("'", key, "' is outside \"config\" and is ignored; move it into \"config\""));
  }
  if (name != root.MemberEnd() && json::FindString(root["config"], "name") != nullptr)
    RETURN_IF_ERROR(CheckOneName(json::TextOf(name->value), json::TextIn(root["config"], "name")));
  RETURN_IF_ERROR(PutAll(root["config"], &file));
  return file;
}

}  // namespace

absl::Status CheckOneName(absl::string_view outer, absl::string_view inner) {
  const bool unknown = absl::StrContains(outer, "${") || absl::StrContains(inner, "${");
  if (outer == inner || unknown) return absl::OkStatus();
  return Malformed(absl::StrCat("property 'name': the connector is '", outer,
                                "', and the name in its config is '", inner, "'"),
                   "write the same name twice, or leave it out of the config");
}

absl::StatusOr<ParsedFile> ParseConnectJson(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  rapidjson::Document root;
  root.Parse<kParseFlags>(text.data(), text.size());
  if (root.HasParseError()) return NotJson(text, root);
  if (!root.IsObject()) {
    return Malformed("the JSON text is not an object",
                     R"(write {"name": "…", "config": {…}} or a flat map)");
  }
  if (root.HasMember("config") && root["config"].IsObject()) return FromCreateRequest(root);
  ParsedFile file;
  RETURN_IF_ERROR(PutAll(root, &file));
  return file;
}

}  // namespace walduct::config
