#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "serve/plugins/validation.h"

namespace walduct::serve {
namespace {

void AddTexts(absl::string_view key, const std::vector<std::string>& texts, JsonWriter* json) {
  json->Key(key).Array();
  for (const std::string& text : texts) json->Text(text);
  json->EndArray();
}

void AddOptional(absl::string_view key, const std::optional<std::string>& text, JsonWriter* json) {
  json->Key(key);
  if (text) {
    json->Text(*text);
  } else {
    json->Null();
  }
}

void AddDefinition(const Definition& one, JsonWriter* json) {
  json->Object().Key("name").Text(one.name).Key("type").Text(one.type);
  json->Key("required").Flag(one.required);
  AddOptional("default_value", one.default_value, json);
  json->Key("importance").Text(one.importance);
  json->Key("documentation").Text(absl::StrCat(one.display, "."));
  AddOptional("group", one.group, json);
  json->Key("order_in_group").Signed(one.order).Key("width").Text(one.width);
  json->Key("display_name").Text(one.display);
  AddTexts("dependents", one.dependents, json);
  json->EndObject();
}

// As Connect hides passwords.
std::optional<std::string> ShownValue(const ValidatedSetting& one) {
  if (one.value && one.definition.type == "PASSWORD") return "[hidden]";
  return one.value;
}

}  // namespace

std::string ValidationJson(const Validation& validation) {
  JsonWriter json;
  json.Object().Key("name").Text(ConnectorPlugin().class_name);
  json.Key("error_count").Whole(validation.errors().size());
  AddTexts("groups", validation.groups(), &json);
  json.Key("configs").Array();
  for (const ValidatedSetting& one : validation.settings) {
    json.Object().Key("definition");
    AddDefinition(one.definition, &json);
    json.Key("value").Object().Key("name").Text(one.definition.name);
    AddOptional("value", ShownValue(one), &json);
    AddTexts("recommended_values", one.recommended, &json);
    AddTexts("errors", one.errors, &json);
    json.Key("visible").Flag(one.visible).EndObject().EndObject();
  }
  return json.EndArray().EndObject().text();
}

std::string DefinitionJson(const Definition& definition) {
  JsonWriter json;
  AddDefinition(definition, &json);
  return json.text();
}

}  // namespace walduct::serve
