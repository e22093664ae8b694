#include "serve/topics/config_map.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace walduct::serve {
namespace {

constexpr unsigned kParse = rapidjson::kParseNumbersAsStringsFlag |
                            rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;

std::string TextOf(const rapidjson::Value& value) { return std::string(json::TextOf(value)); }

absl::Status Parse(absl::string_view json, rapidjson::Document* document) {
  document->Parse<kParse>(json.data(), json.size());
  if (document->HasParseError()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The request body is not JSON: ", rapidjson::GetParseError_En(document->GetParseError()),
        " (at character ", document->GetErrorOffset() + 1, ")"));
  }
  return absl::OkStatus();
}

// As Connect takes it: numbers and booleans by their text.
absl::StatusOr<std::string> ScalarOf(const std::string& key, const rapidjson::Value& value) {
  if (value.IsString()) return TextOf(value);
  if (value.IsBool()) return std::string(value.GetBool() ? "true" : "false");
  return absl::InvalidArgumentError(
      absl::StrCat("The value of '", key, "' is an object or a list; write it as text"));
}

absl::StatusOr<ConfigMap> ConfigOf(const rapidjson::Value& value) {
  if (!value.IsObject()) {
    return absl::InvalidArgumentError(
        "A connector configuration must be a JSON object with texts as values");
  }
  ConfigMap config;
  for (const auto& member : value.GetObject()) {
    const std::string key = TextOf(member.name);
    std::optional<std::string> text;
    if (!member.value.IsNull()) {
      ASSIGN_OR_RETURN(text, ScalarOf(key, member.value));
    }
    PutValue(&config, key, std::move(text));
  }
  return config;
}

}  // namespace

const std::string* FindValue(const ConfigMap& config, absl::string_view key) {
  for (const auto& [name, value] : config) {
    if (name == key) return value ? &*value : nullptr;
  }
  return nullptr;
}

bool HasKey(const ConfigMap& config, absl::string_view key) {
  return std::any_of(config.begin(), config.end(),
                     [key](const auto& entry) { return entry.first == key; });
}

void PutValue(ConfigMap* config, absl::string_view key, std::optional<std::string> value) {
  for (auto& [name, present] : *config) {
    if (name != key) continue;
    present = std::move(value);
    return;
  }
  config->emplace_back(std::string(key), std::move(value));
}

void EraseKey(ConfigMap* config, absl::string_view key) {
  config->erase(std::remove_if(config->begin(), config->end(),
                               [key](const auto& entry) { return entry.first == key; }),
                config->end());
}

bool SameConfig(const ConfigMap& one, const ConfigMap& other) {
  return one.size() == other.size() &&
         std::is_permutation(one.begin(), one.end(), other.begin(), other.end());
}

std::string ConfigJson(const ConfigMap& config) {
  JsonWriter json;
  json.Object();
  for (const auto& [key, value] : config) {
    json.Key(key);
    if (value) {
      json.Text(*value);
    } else {
      json.Null();
    }
  }
  return json.EndObject().text();
}

absl::StatusOr<ConfigMap> ParseConfig(absl::string_view json) {
  rapidjson::Document document;
  RETURN_IF_ERROR(Parse(json, &document));
  return ConfigOf(document);
}

absl::StatusOr<CreateRequest> ParseCreateRequest(absl::string_view json) {
  rapidjson::Document document;
  RETURN_IF_ERROR(Parse(json, &document));
  if (!document.IsObject()) {
    return absl::InvalidArgumentError(
        "The request body must be a JSON object with 'name' and 'config'");
  }
  CreateRequest request;
  const rapidjson::Value& object = document;
  for (const auto& member : object.GetObject()) {
    const std::string key = TextOf(member.name);
    if (key == "config") {
      if (member.value.IsNull()) continue;
      ASSIGN_OR_RETURN(request.config, ConfigOf(member.value));
      continue;
    }
    if (key != "name" && key != "initial_state") {
      return absl::InvalidArgumentError(absl::StrCat(
          "Unrecognized field '", key, "'; known are 'name', 'config' and 'initial_state'"));
    }
    if (member.value.IsNull()) continue;
    ASSIGN_OR_RETURN((key == "name" ? request.name : request.initial_state),
                     ScalarOf(key, member.value));
  }
  return request;
}

}  // namespace walduct::serve
