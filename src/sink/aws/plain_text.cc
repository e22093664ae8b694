#include "sink/aws/plain_text.h"

#include <rapidjson/document.h>

#include "absl/strings/match.h"
#include "base/json.h"

namespace walduct::sink {
namespace {

constexpr absl::string_view kSchema = R"({"schema":)";

const rapidjson::Value& PayloadOf(const rapidjson::Document& document) {
  const rapidjson::Value* const payload = json::Find(document, "payload");
  return payload != nullptr && json::Find(document, "schema") != nullptr ? *payload : document;
}

}  // namespace

std::optional<std::string> StringIn(absl::string_view json) {
  // Most values are rows: those are not parsed.
  if (!absl::StartsWith(json, "\"") && !absl::StartsWith(json, R"({"schema":{"type":"string")"))
    return std::nullopt;
  const rapidjson::Document document = json::Parse(json);
  if (document.HasParseError()) return std::nullopt;
  const rapidjson::Value& value = PayloadOf(document);
  if (!value.IsString()) return std::nullopt;
  return std::string(json::TextOf(value));
}

std::string TextWithoutJson(absl::string_view json) {
  if (json == "null") return "";
  if (!absl::StartsWith(json, "\"") && !absl::StartsWith(json, kSchema)) return std::string(json);
  const rapidjson::Document document = json::Parse(json);
  if (document.HasParseError()) return std::string(json);
  const rapidjson::Value& value = PayloadOf(document);
  if (value.IsNull()) return "";
  return value.IsString() ? std::string(json::TextOf(value)) : json::Print(value);
}

}  // namespace walduct::sink
