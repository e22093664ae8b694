#include "slot/phases/remembered_types.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/log.h"
#include "rapidjson/document.h"

namespace walduct::slot {
namespace {

using event::Type;
using event::TypeKind;
using postgres::RememberedColumn;
using postgres::RememberedTable;
using postgres::RememberedType;
using rapidjson::Value;
using TypePtr = std::shared_ptr<const Type>;

struct KindText {
  TypeKind kind;
  char text;
};
constexpr KindText kKinds[] = {{TypeKind::kBase, 'b'},      {TypeKind::kArray, 'a'},
                               {TypeKind::kEnum, 'e'},      {TypeKind::kDomain, 'd'},
                               {TypeKind::kComposite, 'c'}, {TypeKind::kRange, 'r'},
                               {TypeKind::kMultirange, 'm'}};

enum ColumnFlags : unsigned { kOptional = 1, kIdentity = 2, kGenerated = 4 };

// What has a place in a member, and so has all that it is made of.
bool IsWhole(const Type& type) {
  const auto has_kind = [&](const KindText& kind) { return kind.kind == type.kind; };
  if (std::none_of(std::begin(kKinds), std::end(kKinds), has_kind)) return false;
  if (type.kind == TypeKind::kDomain) return type.base != nullptr && IsWhole(*type.base);
  return type.kind != TypeKind::kArray || (type.element != nullptr && IsWhole(*type.element));
}

// The members of one array, and whether they still fit.
class List {
 public:
  // Of types that it is made of before it.
  bool AddType(const Type& type, Lsn gone, size_t longest) {
    if (written_.contains(type.oid)) return true;
    for (const TypePtr& part : {type.base, type.element})
      if (part != nullptr && !AddType(*part, Lsn(), longest)) return false;
    const std::string text = TextOf(type, gone);
    if (!Add(text, longest)) return false;
    written_.insert(type.oid);
    return true;
  }
  bool Add(const std::string& text, size_t longest) {
    if (json_.size() + text.size() + 1 > longest) return false;
    absl::StrAppend(&json_, json_.empty() ? "" : ",", text);
    return true;
  }
  bool Has(Oid type) const { return written_.contains(type); }
  const std::string& json() const { return json_; }

 private:
  // A base type of which the name does not say all.
  static bool IsOdd(const Type& type) {
    const bool comma = type.delimiter == 0 || type.delimiter == ',';
    return type.kind == TypeKind::kBase && (type.by_hand || !comma);
  }

  static std::string TextOf(const Type& type, Lsn gone) {
    std::string text = absl::StrCat("[", ToInteger(type.oid), ",");
    AppendJsonString(type.schema, &text);
    text += ',';
    AppendJsonString(type.name, &text);
    for (const KindText& kind : kKinds)
      if (kind.kind == type.kind) absl::StrAppend(&text, ",\"", std::string(1, kind.text), "\"");
    if (type.kind == TypeKind::kEnum) {
      text += ",[";
      for (const std::string& label : type.labels) {
        if (text.back() != '[') text += ',';
        AppendJsonString(label, &text);
      }
      text += ']';
    }
    if (type.base != nullptr)
      absl::StrAppend(&text, ",", ToInteger(type.base->oid), ",", type.base_typmod, ",",
                      type.not_null ? 1 : 0);
    if (type.element != nullptr) absl::StrAppend(&text, ",", ToInteger(type.element->oid));
    if (IsOdd(type))
      absl::StrAppend(&text, ",", static_cast<int>(type.delimiter), ",", type.by_hand ? 1 : 0);
    return absl::StrCat(text, ",", gone.value(), "]");
  }

  std::string json_;
  std::set<Oid> written_;
};

std::string TextOf(Oid relation, const RememberedTable& table, const List& types) {
  std::string columns;
  for (const RememberedColumn& column : table.columns) {
    if (!types.Has(column.type)) continue;
    const unsigned flags = (column.optional ? kOptional : 0u) | (column.identity ? kIdentity : 0u) |
                           (column.generated ? kGenerated : 0u);
    columns += columns.empty() ? "[" : ",[";
    AppendJsonString(column.name, &columns);
    absl::StrAppend(&columns, ",", ToInteger(column.type), ",", flags);
    if (column.default_expression) {
      columns += ',';
      AppendJsonString(*column.default_expression, &columns);
    }
    columns += ']';
  }
  if (columns.empty()) return "";
  return absl::StrCat("[", ToInteger(relation), ",", table.gone.value(), ",[", columns, "]]");
}

std::string MemberOf(const postgres::SchemaMemory& memory) {
  List types, tables;
  for (const RememberedType& type : memory.Types())
    if (IsWhole(*type.type) && !types.AddType(*type.type, type.gone, RememberedTypes::kLongest))
      break;
  if (types.json().empty()) return "";
  for (const auto& [relation, table] : memory.Tables()) {
    const std::string text = TextOf(relation, table, types);
    if (!text.empty() && !tables.Add(text, RememberedTypes::kLongest - types.json().size())) break;
  }
  std::string member;
  AppendJsonString(
      absl::StrCat("{\"types\":[", types.json(), "],\"tables\":[", tables.json(), "]}"), &member);
  return member;
}

std::string StringOf(const Value& value) { return std::string(json::TextOf(value)); }

// Reads a member, or finds that it is damaged.
class Decoder {
 public:
  bool Read(const std::string& member) {
    const rapidjson::Document text = json::Parse(member);
    if (text.HasParseError() || !text.IsString()) return false;
    const rapidjson::Document json = json::Parse(json::TextOf(text));
    const Value* const all_types = json::FindArray(json, "types");
    const Value* const all_tables = json::FindArray(json, "tables");
    if (all_types == nullptr || all_tables == nullptr) return false;
    for (const Value& type : all_types->GetArray())
      if (!type.IsArray() || !ReadType(type)) return false;
    for (const Value& table : all_tables->GetArray())
      if (!table.IsArray() || !ReadTable(table)) return false;
    return true;
  }
  std::vector<RememberedType> types;
  std::vector<std::pair<Oid, RememberedTable>> tables;

 private:
  TypePtr Known(const Value& oid) const {
    if (!oid.IsUint()) return nullptr;
    const auto found = known_.find(Oid{oid.GetUint()});
    return found == known_.end() ? nullptr : found->second;
  }

  static bool ReadKind(const Value& text, TypeKind* found) {
    for (const KindText& kind : kKinds) {
      if (!text.IsString() || StringOf(text) != std::string(1, kind.text)) continue;
      *found = kind.kind;
      return true;
    }
    return false;
  }

  // What comes between the kind and the end.
  bool ReadParts(const Value& text, Type* type) const {
    constexpr rapidjson::SizeType kFirst = 4;
    const rapidjson::SizeType parts = text.Size() - kFirst - 1;
    switch (type->kind) {
      case TypeKind::kEnum:
        if (parts != 1 || !text[kFirst].IsArray()) return false;
        for (const Value& label : text[kFirst].GetArray()) {
          if (!label.IsString()) return false;
          type->labels.push_back(StringOf(label));
        }
        return true;
      case TypeKind::kDomain:
        if (parts != 3 || !text[kFirst + 1].IsInt() || !text[kFirst + 2].IsInt()) return false;
        type->base = Known(text[kFirst]);
        type->base_typmod = text[kFirst + 1].GetInt();
        type->not_null = text[kFirst + 2].GetInt() != 0;
        return type->base != nullptr;
      case TypeKind::kArray:
        if (parts != 1) return false;
        type->element = Known(text[kFirst]);
        return type->element != nullptr;
      case TypeKind::kBase:
        if (parts == 0) return true;
        if (parts != 2 || !text[kFirst].IsInt() || !text[kFirst + 1].IsInt()) return false;
        type->delimiter = static_cast<char>(text[kFirst].GetInt());
        type->by_hand = text[kFirst + 1].GetInt() != 0;
        return true;
      default:
        return parts == 0;
    }
  }

  bool ReadType(const Value& text) {
    constexpr rapidjson::SizeType kLeast = 5;
    if (text.Size() < kLeast || !text[0].IsUint() || !text[1].IsString() || !text[2].IsString() ||
        !text[text.Size() - 1].IsUint64())
      return false;
    auto type = std::make_shared<Type>();
    type->oid = Oid{text[0].GetUint()};
    type->schema = StringOf(text[1]);
    type->name = StringOf(text[2]);
    if (!ReadKind(text[3], &type->kind) || !ReadParts(text, type.get())) return false;
    known_[type->oid] = type;
    types.push_back({.type = std::move(type), .gone = Lsn(text[text.Size() - 1].GetUint64())});
    return true;
  }

  bool ReadTable(const Value& text) {
    if (text.Size() != 3 || !text[0].IsUint() || !text[1].IsUint64() || !text[2].IsArray())
      return false;
    RememberedTable table;
    table.gone = Lsn(text[1].GetUint64());
    for (const Value& column : text[2].GetArray())
      if (!column.IsArray() || !ReadColumn(column, &table)) return false;
    tables.emplace_back(Oid{text[0].GetUint()}, std::move(table));
    return true;
  }

  static bool ReadColumn(const Value& text, RememberedTable* table) {
    const bool has_default = text.Size() == 4;
    if ((text.Size() != 3 && !has_default) || !text[0].IsString() || !text[1].IsUint() ||
        !text[2].IsUint() || (has_default && !text[3].IsString()))
      return false;
    const unsigned flags = text[2].GetUint();
    RememberedColumn column{.name = StringOf(text[0]),
                            .type = Oid{text[1].GetUint()},
                            .optional = (flags & kOptional) != 0,
                            .identity = (flags & kIdentity) != 0,
                            .generated = (flags & kGenerated) != 0,
                            .default_expression = {}};
    if (has_default) column.default_expression = StringOf(text[3]);
    table->columns.push_back(std::move(column));
    return true;
  }

  absl::flat_hash_map<Oid, TypePtr> known_;
};

}  // namespace

void RememberedTypes::Restore(const std::optional<offset::StoredOffset>& stored,
                              absl::string_view system, bool resumes) {
  if (!stored || (stored->system_identifier != system && !resumes)) return;
  const std::string& member = event::FindMember(stored->members, event::kTypesMember);
  if (!member.empty()) Restore(member);
}

void RememberedTypes::Restore(const std::string& member) {
  if (memory_ == nullptr) return;
  Decoder decoder;
  if (decoder.Read(member)) {
    memory_->Restore(decoder.types, decoder.tables);
    return;
  }
  log::Warn(
      "which types tables had before is not known: walduct_types is damaged; rows of types that "
      "were "
      "dropped since are written by the names of these");
}

const std::string& RememberedTypes::Member() {
  if (memory_ == nullptr) return member_;
  const uint64_t changes = memory_->changes();
  if (of_ != changes) {
    of_ = changes;
    member_ = MemberOf(*memory_);
  }
  return member_;
}

std::string MergeTypes(const std::vector<std::string>& members) {
  postgres::SchemaMemory memory;
  for (const std::string& member : members) {
    Decoder decoder;
    if (decoder.Read(member)) memory.Restore(decoder.types, decoder.tables);
  }
  return MemberOf(memory);
}

}  // namespace walduct::slot
