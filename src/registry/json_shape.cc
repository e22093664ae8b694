#include "registry/json_shape.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "rapidjson/document.h"

namespace walduct::registry {
namespace {

using JsonPart = rapidjson::Value;

std::string JoinedShapes(std::vector<std::string> shapes, absl::string_view separator) {
  std::sort(shapes.begin(), shapes.end());
  return absl::StrJoin(shapes, separator);
}

std::string JsonShapeOf(const JsonPart& schema);

std::string JsonObjectShape(const JsonPart& schema) {
  std::vector<std::string> properties;
  if (const JsonPart* const named = json::FindObject(schema, "properties")) {
    for (const auto& property : named->GetObject())
      properties.push_back(
          absl::StrCat(json::TextOf(property.name), ":", JsonShapeOf(property.value)));
  }
  if (const JsonPart* const others = json::FindObject(schema, "additionalProperties"))
    properties.push_back(absl::StrCat("*:", JsonShapeOf(*others)));
  return absl::StrCat("{", JoinedShapes(std::move(properties), ","), "}");
}

std::string JsonTypeShape(const JsonPart& schema, absl::string_view type) {
  if (type == "object") return JsonObjectShape(schema);
  if (type != "array") return std::string(type);
  const JsonPart* const items = json::Find(schema, "items");
  return absl::StrCat("[", items == nullptr ? "" : JsonShapeOf(*items), "]");
}

std::string JsonShapeOf(const JsonPart& schema) {
  if (!schema.IsObject()) return "any";
  for (const char* const branches : {"oneOf", "anyOf"}) {
    const JsonPart* const of = json::FindArray(schema, branches);
    if (of == nullptr) continue;
    std::vector<std::string> shapes;
    for (const JsonPart& branch : of->GetArray()) shapes.push_back(JsonShapeOf(branch));
    return JoinedShapes(std::move(shapes), "|");
  }
  const JsonPart* const type = json::Find(schema, "type");
  if (type != nullptr && type->IsString()) return JsonTypeShape(schema, json::TextOf(*type));
  if (type != nullptr && type->IsArray()) {
    std::vector<std::string> shapes;
    for (const JsonPart& one : type->GetArray())
      shapes.push_back(one.IsString() ? JsonTypeShape(schema, json::TextOf(one)) : "any");
    return JoinedShapes(std::move(shapes), "|");
  }
  return json::FindString(schema, "$ref") == nullptr ? "any" : json::TextIn(schema, "$ref");
}

}  // namespace

std::string JsonShape(absl::string_view schema) {
  const rapidjson::Document json = json::Parse(schema);
  return json.IsObject() ? JsonShapeOf(json) : "";
}

}  // namespace walduct::registry
