#include "registry/avro_shape.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rapidjson/document.h"

namespace walduct::registry {
namespace {

using Json = rapidjson::Value;

constexpr absl::string_view kPrimitives[] = {"null",  "boolean", "int",   "long",
                                             "float", "double",  "bytes", "string"};

absl::string_view TextOf(const Json& json) { return {json.GetString(), json.GetStringLength()}; }

absl::string_view Member(const Json& object, const char* name) {
  return object.HasMember(name) && object[name].IsString() ? TextOf(object[name]) : "";
}

bool IsPrimitive(absl::string_view name) {
  for (const absl::string_view primitive : kPrimitives) {
    if (name == primitive) return true;
  }
  return false;
}

std::string FullName(absl::string_view name, absl::string_view space) {
  return space.empty() || absl::StrContains(name, '.') ? std::string(name)
                                                       : absl::StrCat(space, ".", name);
}

class Printer {
 public:
  bool Print(const Json& schema, const std::string& space, bool top) {
    if (schema.IsString()) return PrintName(TextOf(schema), space);
    if (schema.IsArray()) return PrintUnion(schema, space);
    if (!schema.IsObject() || !schema.HasMember("type")) return false;
    const Json& type = schema["type"];
    if (!type.IsString()) return Print(type, space, top);
    const absl::string_view name = TextOf(type);
    if (name == "array") return PrintNested(schema, "items", "array:", space);
    if (name == "map") return PrintNested(schema, "values", "map:", space);
    if (name == "record" || name == "error") return PrintRecord(schema, space, top);
    if (name == "enum" || name == "fixed") return PrintNamed(schema, name, space);
    return PrintName(name, space);
  }

  std::string text() && { return std::move(text_); }

 private:
  bool PrintName(absl::string_view name, const std::string& space) {
    absl::StrAppend(&text_, IsPrimitive(name) ? std::string(name) : FullName(name, space));
    return !name.empty();
  }

  bool PrintUnion(const Json& branches, const std::string& space) {
    text_.push_back('[');
    for (const Json& branch : branches.GetArray()) {
      if (!Print(branch, space, false)) return false;
      text_.push_back(',');
    }
    text_.push_back(']');
    return true;
  }

  bool PrintNested(const Json& schema, const char* member, absl::string_view what,
                   const std::string& space) {
    absl::StrAppend(&text_, what);
    return schema.HasMember(member) && Print(schema[member], space, false);
  }

  // Of what has a name; *space: that of what is in it.
  std::string NameOf(const Json& schema, std::string* space) const {
    const absl::string_view own = Member(schema, "namespace");
    if (!own.empty()) *space = std::string(own);
    std::string name = FullName(Member(schema, "name"), *space);
    const size_t dot = name.rfind('.');
    if (dot != std::string::npos) *space = name.substr(0, dot);
    return name;
  }

  bool PrintRecord(const Json& schema, std::string space, bool top) {
    const std::string name = NameOf(schema, &space);
    if (!schema.HasMember("fields") || !schema["fields"].IsArray()) return false;
    absl::StrAppend(&text_, "record ", top ? "" : name, "{");
    for (const Json& field : schema["fields"].GetArray()) {
      if (!field.IsObject() || !field.HasMember("type")) return false;
      absl::StrAppend(&text_, Member(field, "name"), ": ");
      if (!Print(field["type"], space, false)) return false;
      absl::StrAppend(&text_, "; ");
    }
    text_.push_back('}');
    return true;
  }

  bool PrintNamed(const Json& schema, absl::string_view what, std::string space) {
    absl::StrAppend(&text_, what, " ", NameOf(schema, &space), "{");
    if (schema.HasMember("size") && schema["size"].IsInt())
      absl::StrAppend(&text_, schema["size"].GetInt());
    if (schema.HasMember("symbols") && schema["symbols"].IsArray()) {
      for (const Json& symbol : schema["symbols"].GetArray())
        absl::StrAppend(&text_, symbol.IsString() ? TextOf(symbol) : "", ",");
    }
    text_.push_back('}');
    return true;
  }

  std::string text_;
};

}  // namespace

std::string AvroShape(absl::string_view schema) {
  rapidjson::Document json;
  json.Parse(schema.data(), schema.size());
  // A primitive's name may stand in a registry without its quotes.
  if (json.HasParseError()) return IsPrimitive(schema) ? std::string(schema) : "";
  Printer printer;
  return printer.Print(json, "", true) ? std::move(printer).text() : "";
}

}  // namespace walduct::registry
