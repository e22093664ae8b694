#include "transform/outbox/json_schema.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "names/name_adjustment.h"

namespace walduct::transform {
namespace {

using event::ConnectField;
using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Scalar;
using names::NameAdjustment;
using Kind = JsonTree::Kind;

absl::Status Unfit(absl::string_view why) {
  return Error(absl::StatusCode::kInvalidArgument, "json_without_schema", why);
}

// Made once per type: most values of a document have one of these.
ConnectSchemaPtr Optional(ConnectType type) {
  using Schemas = std::array<ConnectSchemaPtr, static_cast<size_t>(ConnectType::kStruct) + 1>;
  static const Schemas& schemas = *[] {
    auto* made = new Schemas();
    for (size_t i = 0; i < made->size(); ++i) {
      ConnectSchema schema = event::Schema(static_cast<ConnectType>(i));
      schema.optional = true;
      (*made)[i] = event::Shared(std::move(schema));
    }
    return made;
  }();
  return schemas[static_cast<size_t>(type)];
}

ConnectSchemaPtr ArrayOf(ConnectSchemaPtr items) {
  ConnectSchema schema = event::Schema(ConnectType::kArray);
  schema.optional = true;
  schema.items = std::move(items);
  return event::Shared(std::move(schema));
}

bool IsWhole(absl::string_view number) {
  return absl::c_none_of(number, [](char c) { return c == '.' || c == 'e' || c == 'E'; });
}

// int32, int64, or float64: also for whole numbers that are larger.
ConnectType NumberType(absl::string_view number) {
  int64_t value = 0;
  if (!IsWhole(number) || !absl::SimpleAtoi(number, &value)) return ConnectType::kDouble;
  const bool small =
      value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
  return small ? ConnectType::kInt32 : ConnectType::kInt64;
}

bool SameSchema(const ConnectSchema& a, const ConnectSchema& b) {
  if (a.type != b.type || a.optional != b.optional || a.name != b.name ||
      a.fields.size() != b.fields.size() || (a.items == nullptr) != (b.items == nullptr))
    return false;
  if (a.items != nullptr && !SameSchema(*a.items, *b.items)) return false;
  for (size_t i = 0; i < a.fields.size(); ++i) {
    if (a.fields[i].name != b.fields[i].name ||
        !SameSchema(*a.fields[i].schema, *b.fields[i].schema))
      return false;
  }
  return true;
}

class Inference {
 public:
  explicit Inference(const JsonRules& rules) : rules_(rules) {}

  absl::StatusOr<ConnectSchemaPtr> Of(absl::string_view key, const JsonTree& tree) const {
    switch (tree.kind) {
      case Kind::kNull:
        return rules_.keep_nulls ? Optional(ConnectType::kBytes) : nullptr;
      case Kind::kBoolean:
        return Optional(ConnectType::kBoolean);
      case Kind::kNumber:
        return Optional(NumberType(tree.text));
      case Kind::kText:
        return Optional(ConnectType::kString);
      case Kind::kArray:
        return OfArray(key, tree);
      case Kind::kObject:
        return OfObject(key, tree);
    }
    return nullptr;
  }

 private:
  absl::StatusOr<ConnectSchemaPtr> OfObject(absl::string_view key, const JsonTree& tree) const {
    ConnectSchema schema = event::Schema(ConnectType::kStruct);
    schema.name = std::string(key);
    schema.optional = true;
    schema.fields.reserve(tree.members.size());
    absl::flat_hash_set<std::string> names;  // adjusted ones can be equal
    for (const NamedTree& member : tree.members) {
      const std::string name = names::AdjustFieldName(member.name, rules_.names);
      const bool blank = absl::StripAsciiWhitespace(key).empty();
      ASSIGN_OR_RETURN(ConnectSchemaPtr value,
                       Of(blank ? name : absl::StrCat(key, ".", name), member.value));
      if (value == nullptr) continue;
      if (rules_.names != NameAdjustment::kNone && !names.insert(name).second) continue;
      if (name.empty()) return Unfit("has a member without a name");
      schema.fields.push_back({name, std::move(value)});
    }
    return event::Shared(std::move(schema));
  }

  absl::StatusOr<ConnectSchemaPtr> OfArray(absl::string_view key, const JsonTree& tree) const {
    if (tree.items.empty())
      return rules_.keep_empty_arrays ? ArrayOf(Optional(ConnectType::kString)) : nullptr;
    ASSIGN_OR_RETURN(const JsonTree* sample, FirstItem(tree));
    if (sample != nullptr && sample->kind == Kind::kObject) {
      ASSIGN_OR_RETURN(ConnectSchemaPtr items, OfObjects(key, tree));
      return ArrayOf(std::move(items));
    }
    ASSIGN_OR_RETURN(ConnectSchemaPtr items, Of("", sample == nullptr ? JsonTree() : *sample));
    if (items == nullptr) return Unfit("has an array whose element type is unknown");
    return ArrayOf(std::move(items));
  }

  // The first that is not null, which all others must be like; null when there is none.
  static absl::StatusOr<const JsonTree*> FirstItem(const JsonTree& array) {
    const JsonTree* first = nullptr;
    for (const JsonTree& item : array.items) {
      if (item.kind == Kind::kNull) continue;
      if (first == nullptr) first = &item;
      const bool same =
          item.kind == first->kind &&
          (item.kind != Kind::kNumber || NumberType(item.text) == NumberType(first->text));
      if (!same) return Unfit("has an array of mixed types");
    }
    return first;
  }

  absl::StatusOr<ConnectSchemaPtr> OfObjects(absl::string_view key, const JsonTree& array) const {
    std::vector<ConnectSchemaPtr> distinct;
    absl::flat_hash_set<std::string> texts;
    for (const JsonTree& item : array.items) {
      if (item.kind != Kind::kObject) continue;
      ASSIGN_OR_RETURN(ConnectSchemaPtr schema, OfObject(key, item));
      if (!distinct.empty() && SameSchema(*distinct.back(), *schema)) continue;
      std::string text;
      AppendSchemaText(*schema, &text);
      if (texts.insert(std::move(text)).second) distinct.push_back(std::move(schema));
    }
    ConnectSchemaPtr united = distinct.front();
    for (size_t i = 1; i < distinct.size(); ++i) united = Unite(*united, *distinct[i]);
    return united;
  }

  // Merged schemas are not optional.
  static ConnectSchemaPtr Unite(const ConnectSchema& left, const ConnectSchema& right) {
    ConnectSchema united = left;
    united.optional = false;
    absl::flat_hash_map<absl::string_view, size_t> places;
    for (size_t i = 0; i < left.fields.size(); ++i) places.emplace(left.fields[i].name, i);
    for (const ConnectField& field : right.fields) {
      const auto place = places.find(field.name);
      if (place == places.end()) {
        united.fields.push_back(field);
        continue;
      }
      ConnectField& old = united.fields[place->second];
      if (old.schema->type == ConnectType::kBytes && field.schema->type != ConnectType::kBytes)
        old.schema = field.schema;  // it was null there
    }
    return event::Shared(std::move(united));
  }

  const JsonRules& rules_;
};

absl::Status AddNumber(const std::string& number, ConnectType type, event::TreeBuilder* out) {
  if (NumberType(number) != type) return Unfit("has a number that does not fit its schema");
  if (type != ConnectType::kDouble) {
    int64_t value = 0;
    CHECK(absl::SimpleAtoi(number, &value));
    out->Add(Scalar::Integer(value));
    return absl::OkStatus();
  }
  double value = 0;
  if (IsWhole(number) || !absl::SimpleAtod(number, &value))
    return Unfit("has a number that does not fit its schema");
  out->Add(Scalar::Real(value));
  return absl::OkStatus();
}

absl::Status AddItems(const JsonTree& tree, const ConnectSchema& schema, event::TreeBuilder* out) {
  out->Begin(Scalar::Kind::kArray);
  for (const JsonTree& item : tree.items) RETURN_IF_ERROR(AddJsonAs(item, *schema.items, out));
  out->End();
  return absl::OkStatus();
}

absl::Status AddMembers(const JsonTree& tree, const ConnectSchema& schema,
                        event::TreeBuilder* out) {
  static const JsonTree& null = *new JsonTree();
  MemberIndex members(tree);
  out->Begin(Scalar::Kind::kStruct);
  for (const ConnectField& field : schema.fields) {
    const size_t place = members.Find(field.name);
    const bool there = place != MemberIndex::kNone;
    out->Name(field.name);
    RETURN_IF_ERROR(AddJsonAs(there ? tree.members[place].value : null, *field.schema, out));
  }
  out->End();
  return absl::OkStatus();
}

struct TypeLetter {
  ConnectType type;
  char letter;
};
constexpr TypeLetter kLetters[] = {{ConnectType::kBoolean, 'b'}, {ConnectType::kInt32, 'i'},
                                   {ConnectType::kInt64, 'l'},   {ConnectType::kDouble, 'd'},
                                   {ConnectType::kString, 's'},  {ConnectType::kBytes, 'y'},
                                   {ConnectType::kArray, 'a'},   {ConnectType::kStruct, 'o'}};
constexpr char kRequiredStruct = 'r';

void AppendName(absl::string_view name, std::string* out) {
  absl::StrAppend(out, name.size(), ":", name);
}

class TextReader {
 public:
  explicit TextReader(absl::string_view text) : text_(text) {}

  ConnectSchemaPtr Read() {
    const char letter = text_[at_++];
    ConnectSchema schema = event::Schema(TypeOf(letter));
    schema.optional = letter != kRequiredStruct;
    if (schema.type == ConnectType::kArray) schema.items = Read();
    if (schema.type == ConnectType::kStruct) {
      schema.name = ReadName();
      schema.fields.resize(ReadNumber());
      for (ConnectField& field : schema.fields) {
        field.name = ReadName();
        field.schema = Read();
      }
    }
    return event::Shared(std::move(schema));
  }

 private:
  static ConnectType TypeOf(char letter) {
    for (const TypeLetter& one : kLetters) {
      if (one.letter == letter) return one.type;
    }
    return ConnectType::kStruct;
  }
  size_t ReadNumber() {
    size_t number = 0;
    while (text_[at_] != ':') number = number * 10 + static_cast<size_t>(text_[at_++] - '0');
    ++at_;
    return number;
  }
  std::string ReadName() {
    const size_t size = ReadNumber();
    at_ += size;
    return std::string(text_.substr(at_ - size, size));
  }

  const absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<ConnectSchemaPtr> InferJsonSchema(absl::string_view name, const JsonTree& tree,
                                                 const JsonRules& rules) {
  return Inference(rules).Of(name, tree);
}

absl::Status AddJsonAs(const JsonTree& tree, const ConnectSchema& schema, event::TreeBuilder* out) {
  const ConnectType type = schema.type;
  const bool fits = tree.kind == Kind::kNull      ? schema.optional
                    : tree.kind == Kind::kBoolean ? type == ConnectType::kBoolean
                    : tree.kind == Kind::kText    ? type == ConnectType::kString
                    : tree.kind == Kind::kArray   ? type == ConnectType::kArray
                    : tree.kind == Kind::kObject  ? type == ConnectType::kStruct
                                                  : true;
  if (!fits) return Unfit("has objects in an array whose members are of different types");
  switch (tree.kind) {
    case Kind::kNull:
      out->Add(Scalar::Null());
      break;
    case Kind::kBoolean:
      out->Add(Scalar::Boolean(tree.boolean));
      break;
    case Kind::kNumber:
      return AddNumber(tree.text, type, out);
    case Kind::kText:
      out->Add(Scalar::Text(tree.text));
      break;
    case Kind::kArray:
      return AddItems(tree, schema, out);
    case Kind::kObject:
      return AddMembers(tree, schema, out);
  }
  return absl::OkStatus();
}

void AppendSchemaText(const ConnectSchema& schema, std::string* out) {
  for (const TypeLetter& one : kLetters) {
    if (one.type == schema.type) out->push_back(schema.optional ? one.letter : kRequiredStruct);
  }
  if (schema.type == ConnectType::kArray) AppendSchemaText(*schema.items, out);
  if (schema.type != ConnectType::kStruct) return;
  AppendName(schema.name, out);
  absl::StrAppend(out, schema.fields.size(), ":");
  for (const ConnectField& field : schema.fields) {
    AppendName(field.name, out);
    AppendSchemaText(*field.schema, out);
  }
}

ConnectSchemaPtr SchemaFromText(absl::string_view text) { return TextReader(text).Read(); }

}  // namespace walduct::transform
