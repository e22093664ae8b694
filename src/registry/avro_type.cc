#include "registry/avro_type.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "rapidjson/document.h"

namespace walduct::registry {
namespace {

using Json = rapidjson::Value;
using Kind = AvroType::Kind;

constexpr absl::string_view kPrimitives[] = {"null",  "boolean", "int",   "long",
                                             "float", "double",  "bytes", "string"};
// Deeper ones are nobody's, and would cost stack.
constexpr int kMostLevels = 200;

using json::TextOf;

absl::string_view Member(const Json& object, const char* name) {
  const Json* const found = json::FindString(object, name);
  return found == nullptr ? "" : TextOf(*found);
}

// The number of its kind; the count of them: none.
size_t PrimitiveOf(absl::string_view name) {
  return static_cast<size_t>(std::find(std::begin(kPrimitives), std::end(kPrimitives), name) -
                             std::begin(kPrimitives));
}

std::string FullName(absl::string_view name, absl::string_view space) {
  return space.empty() || absl::StrContains(name, '.') ? std::string(name)
                                                       : absl::StrCat(space, ".", name);
}

}  // namespace

// All functions answer null for what is no schema.
class AvroTypeReader {
 public:
  explicit AvroTypeReader(AvroTypes* types) : types_(types) {}

  const AvroType* Named(absl::string_view name, const std::string& space) {
    const size_t primitive = PrimitiveOf(name);
    if (primitive < std::size(kPrimitives)) return Add(static_cast<Kind>(primitive));
    const auto known = named_.find(FullName(name, space));
    return known == named_.end() ? nullptr : known->second;
  }

  const AvroType* Read(const Json& schema, const std::string& space, int level) {
    if (level > kMostLevels) return nullptr;
    if (schema.IsString()) return Named(TextOf(schema), space);
    if (schema.IsArray()) return ReadUnion(schema, space, level);
    if (!schema.IsObject() || !schema.HasMember("type")) return nullptr;
    const Json& type = schema["type"];
    if (!type.IsString()) return Read(type, space, level + 1);
    const absl::string_view name = TextOf(type);
    if (name == "array") return ReadItems(Kind::kArray, schema, "items", space, level);
    if (name == "map") return ReadItems(Kind::kMap, schema, "values", space, level);
    if (name == "record" || name == "error") return ReadRecord(schema, space, level);
    if (name == "enum") return ReadEnum(schema, space);
    if (name == "fixed") return ReadFixed(schema, space);
    return Named(name, space);
  }

 private:
  AvroType* Add(Kind kind) {
    types_->owned_.push_back(std::make_unique<AvroType>());
    types_->owned_.back()->kind = kind;
    return types_->owned_.back().get();
  }

  // *space: that of what is in it.
  AvroType* AddNamed(Kind kind, const Json& schema, std::string* space) {
    const absl::string_view own = Member(schema, "namespace");
    if (!own.empty()) *space = std::string(own);
    AvroType* const type = Add(kind);
    type->name = FullName(Member(schema, "name"), *space);
    const size_t dot = type->name.rfind('.');
    if (dot != std::string::npos) *space = type->name.substr(0, dot);
    named_[type->name] = type;
    return type;
  }

  const AvroType* ReadUnion(const Json& branches, const std::string& space, int level) {
    AvroType* const type = Add(Kind::kUnion);
    for (const Json& branch : branches.GetArray()) {
      type->parts.push_back({"", Read(branch, space, level + 1)});
      if (type->parts.back().type == nullptr) return nullptr;
    }
    return type;
  }

  const AvroType* ReadItems(Kind kind, const Json& schema, const char* member,
                            const std::string& space, int level) {
    if (!schema.HasMember(member)) return nullptr;
    AvroType* const type = Add(kind);
    type->parts.push_back({"", Read(schema[member], space, level + 1)});
    return type->parts.back().type == nullptr ? nullptr : type;
  }

  const AvroType* ReadRecord(const Json& schema, std::string space, int level) {
    if (!schema.HasMember("fields") || !schema["fields"].IsArray()) return nullptr;
    AvroType* const type = AddNamed(Kind::kRecord, schema, &space);
    for (const Json& field : schema["fields"].GetArray()) {
      if (!field.IsObject() || !field.HasMember("type")) return nullptr;
      type->parts.push_back(
          {std::string(Member(field, "name")), Read(field["type"], space, level + 1)});
      if (type->parts.back().type == nullptr) return nullptr;
    }
    return type;
  }

  const AvroType* ReadEnum(const Json& schema, std::string space) {
    if (!schema.HasMember("symbols") || !schema["symbols"].IsArray()) return nullptr;
    AvroType* const type = AddNamed(Kind::kEnum, schema, &space);
    for (const Json& symbol : schema["symbols"].GetArray())
      absl::StrAppend(&type->symbols, symbol.IsString() ? TextOf(symbol) : "", ",");
    return type;
  }

  const AvroType* ReadFixed(const Json& schema, std::string space) {
    if (!schema.HasMember("size") || !schema["size"].IsInt()) return nullptr;
    AvroType* const type = AddNamed(Kind::kFixed, schema, &space);
    type->size = schema["size"].GetInt();
    return type;
  }

  AvroTypes* const types_;
  std::map<std::string, const AvroType*> named_;
};

AvroTypes::AvroTypes(absl::string_view schema) {
  const rapidjson::Document json = json::Parse(schema);
  AvroTypeReader reader(this);
  // A primitive's name may stand in a registry without its quotes.
  root_ = json.HasParseError() ? reader.Named(schema, "") : reader.Read(json, "", 0);
}

std::string NameOf(const AvroType& type) {
  switch (type.kind) {
    case Kind::kFixed:
      return absl::StrCat("fixed ", type.name, " of ", type.size, " bytes");
    case Kind::kEnum:
      return absl::StrCat("enum ", type.name);
    case Kind::kArray:
      return "an array";
    case Kind::kMap:
      return "a map";
    case Kind::kRecord:
      return absl::StrCat("record ", type.name);
    case Kind::kUnion: {
      std::string text;
      for (const AvroType::Part& branch : type.parts)
        absl::StrAppend(&text, text.empty() ? "" : " or ", NameOf(*branch.type));
      return text.empty() ? "a union of nothing" : text;
    }
    default:
      return std::string(kPrimitives[static_cast<size_t>(type.kind)]);
  }
}

}  // namespace walduct::registry
