#include "registry/json_shape.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rapidjson/document.h"

namespace walduct::registry {
namespace {

using JsonPart = rapidjson::Value;

absl::string_view JsonTextOf(const JsonPart& json) {
  return {json.GetString(), json.GetStringLength()};
}

// null: there is none.
const JsonPart* FindMember(const JsonPart& of, const char* name) {
  const auto member = of.FindMember(name);
  return member == of.MemberEnd() ? nullptr : &member->value;
}

std::string JoinedShapes(std::vector<std::string> shapes, absl::string_view separator) {
  std::sort(shapes.begin(), shapes.end());
  return absl::StrJoin(shapes, separator);
}

std::string JsonShapeOf(const JsonPart& schema);

std::string JsonObjectShape(const JsonPart& schema) {
  std::vector<std::string> properties;
  const JsonPart* const named = FindMember(schema, "properties");
  if (named != nullptr && named->IsObject()) {
    for (const auto& property : named->GetObject())
      properties.push_back(
          absl::StrCat(JsonTextOf(property.name), ":", JsonShapeOf(property.value)));
  }
  const JsonPart* const others = FindMember(schema, "additionalProperties");
  if (others != nullptr && others->IsObject())
    properties.push_back(absl::StrCat("*:", JsonShapeOf(*others)));
  return absl::StrCat("{", JoinedShapes(std::move(properties), ","), "}");
}

std::string JsonTypeShape(const JsonPart& schema, absl::string_view type) {
  if (type == "object") return JsonObjectShape(schema);
  if (type != "array") return std::string(type);
  const JsonPart* const items = FindMember(schema, "items");
  return absl::StrCat("[", items == nullptr ? "" : JsonShapeOf(*items), "]");
}

std::string JsonShapeOf(const JsonPart& schema) {
  if (!schema.IsObject()) return "any";
  for (const char* const branches : {"oneOf", "anyOf"}) {
    const JsonPart* const of = FindMember(schema, branches);
    if (of == nullptr || !of->IsArray()) continue;
    std::vector<std::string> shapes;
    for (const JsonPart& branch : of->GetArray()) shapes.push_back(JsonShapeOf(branch));
    return JoinedShapes(std::move(shapes), "|");
  }
  const JsonPart* const type = FindMember(schema, "type");
  if (type != nullptr && type->IsString()) return JsonTypeShape(schema, JsonTextOf(*type));
  if (type != nullptr && type->IsArray()) {
    std::vector<std::string> shapes;
    for (const JsonPart& one : type->GetArray())
      shapes.push_back(one.IsString() ? JsonTypeShape(schema, JsonTextOf(one)) : "any");
    return JoinedShapes(std::move(shapes), "|");
  }
  const JsonPart* const reference = FindMember(schema, "$ref");
  if (reference != nullptr && reference->IsString()) return std::string(JsonTextOf(*reference));
  return "any";
}

}  // namespace

std::string JsonShape(absl::string_view schema) {
  rapidjson::Document json;
  json.Parse(schema.data(), schema.size());
  return json.IsObject() ? JsonShapeOf(json) : "";
}

}  // namespace walduct::registry
