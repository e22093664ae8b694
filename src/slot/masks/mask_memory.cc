#include "slot/masks/mask_memory.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/log.h"
#include "rapidjson/document.h"
#include "slot/masks/column_cover.h"

namespace walduct::slot {
namespace {

using rapidjson::Value;

enum class Detail { kAll, kCovered };

// What would be shown, or missing in a key; a list of what is wanted is only told about.
bool IsCovered(const KnownColumns& table, size_t index, const std::vector<uint16_t>& key,
               const ColumnCover& cover) {
  const Cover of = cover.Of(table.FullName(), table.columns[index]);
  return (of.strength != Cover::Strength::kNone && !of.not_wanted) ||
         std::find(key.begin(), key.end(), static_cast<uint16_t>(index)) != key.end();
}

// Empty: none of its columns is wanted. cover: of kCovered.
std::string TextOf(const KnownColumns& table, const ColumnCover* cover, Detail detail) {
  const std::vector<uint16_t> key =
      detail == Detail::kCovered ? cover->KeyOf(table) : std::vector<uint16_t>();
  std::string columns;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (detail == Detail::kCovered && !IsCovered(table, i, key, *cover)) continue;
    const KnownColumn& column = table.columns[i];
    absl::StrAppend(&columns, columns.empty() ? "[" : ",[", column.attnum, ",");
    AppendJsonString(column.name, &columns);
    absl::StrAppend(&columns, ",", column.of_text ? 1 : 0, "]");
  }
  if (columns.empty()) return "";
  std::string text = absl::StrCat("[", ToInteger(table.relation), ",");
  AppendJsonString(table.schema, &text);
  text += ',';
  AppendJsonString(table.table, &text);
  return absl::StrCat(text, ",[", columns, "]]");
}

// False: it is longer than what there is room for; *text then has what there was room for.
bool ListTables(const std::map<Oid, KnownColumns>& tables, const ColumnCover* cover, Detail detail,
                std::string* text) {
  for (const auto& [relation, table] : tables) {
    const std::string one = TextOf(table, cover, detail);
    if (text->size() + one.size() > kLongestMasks) return false;
    absl::StrAppend(text, text->empty() || one.empty() ? "" : ",", one);
  }
  return true;
}

std::string MemberOf(const std::string& tables, const FormerNames& former) {
  std::string names;
  for (const auto& [was, is] : former) {
    names += names.empty() ? "[" : ",[";
    AppendJsonString(was, &names);
    names += ',';
    AppendJsonString(is, &names);
    names += ']';
  }
  if (!names.empty()) names = absl::StrCat(",\"former\":[", names, "]");
  std::string member;
  AppendJsonString(absl::StrCat("{\"tables\":[", tables, "]", names, "}"), &member);
  return member;
}

std::string StringOf(const Value& value) { return std::string(json::TextOf(value)); }

bool ReadTable(const Value& text, KnownColumns* table) {
  if (!text.IsArray() || text.Size() != 4 || !text[0].IsUint() || !text[1].IsString() ||
      !text[2].IsString() || !text[3].IsArray())
    return false;
  table->relation = Oid{text[0].GetUint()};
  table->schema = StringOf(text[1]);
  table->table = StringOf(text[2]);
  for (const Value& column : text[3].GetArray()) {
    if (!column.IsArray() || column.Size() != 3 || !column[0].IsInt() || !column[1].IsString() ||
        !column[2].IsInt() || column[0].GetInt() < 0 ||
        column[0].GetInt() > std::numeric_limits<int16_t>::max())
      return false;
    table->columns.push_back({.attnum = static_cast<int16_t>(column[0].GetInt()),
                              .name = StringOf(column[1]),
                              .of_text = column[2].GetInt() != 0});
  }
  return true;
}

}  // namespace

std::string EncodeMasks(const std::map<Oid, KnownColumns>& tables, const ColumnCover& cover,
                        const FormerNames& former, bool* whole) {
  *whole = true;
  // Tables that the lists leave out may come back, and entries of before with them.
  if (tables.empty() && former.empty()) return "";
  std::string text;
  if (!ListTables(tables, &cover, Detail::kAll, &text)) {
    text.clear();
    *whole = ListTables(tables, &cover, Detail::kCovered, &text);
  }
  return MemberOf(text, former);
}

std::optional<std::vector<KnownColumns>> DecodeMasks(absl::string_view member) {
  const rapidjson::Document text = json::Parse(member);
  if (text.HasParseError() || !text.IsString()) return std::nullopt;
  const rapidjson::Document json = json::Parse(json::TextOf(text));
  const Value* const all = json::FindArray(json, "tables");
  if (all == nullptr) return std::nullopt;
  std::vector<KnownColumns> tables;
  for (const Value& table : all->GetArray())
    if (!ReadTable(table, &tables.emplace_back())) return std::nullopt;
  return tables;
}

FormerNames DecodeFormer(absl::string_view member) {
  FormerNames former;
  const rapidjson::Document text = json::Parse(member);
  if (text.HasParseError() || !text.IsString()) return former;
  const rapidjson::Document json = json::Parse(json::TextOf(text));
  const Value* const all = json::FindArray(json, "former");
  if (all == nullptr) return former;
  for (const Value& one : all->GetArray()) {
    const bool whole = one.IsArray() && one.Size() == 2 && one[0].IsString() && one[1].IsString();
    if (whole && former.size() < kMostFormer) former[StringOf(one[0])] = StringOf(one[1]);
  }
  return former;
}

FormerNames StoredFormer(const std::optional<offset::StoredOffset>& stored) {
  return stored ? DecodeFormer(event::FindMember(stored->members, event::kMasksMember))
                : FormerNames();
}

std::vector<KnownColumns> StoredMasks(const std::optional<offset::StoredOffset>& stored,
                                      absl::string_view system) {
  if (!stored || stored->system_identifier != system) return {};
  const std::string& member = event::FindMember(stored->members, event::kMasksMember);
  if (member.empty()) return {};
  std::optional<std::vector<KnownColumns>> known = DecodeMasks(member);
  if (!known) log::Warn("which columns were hidden before is not known: walduct_masks is damaged");
  return std::move(known).value_or(std::vector<KnownColumns>());
}

std::string MergeMasks(const std::vector<std::string>& members) {
  std::map<Oid, KnownColumns> all;
  FormerNames former;
  for (const std::string& member : members) {
    former.merge(DecodeFormer(member));
    std::optional<std::vector<KnownColumns>> tables = DecodeMasks(member);
    if (!tables) continue;
    for (KnownColumns& table : *tables) all.try_emplace(table.relation, std::move(table));
  }
  std::string text;
  ListTables(all, nullptr, Detail::kAll, &text);
  return all.empty() && former.empty() ? "" : MemberOf(text, former);
}

}  // namespace walduct::slot
