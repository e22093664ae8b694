#include "slot/world/known/known_tables.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_text.h"
#include "rapidjson/document.h"

namespace walduct::slot {
namespace {

constexpr int kBase = 36;

void AppendOid(Oid oid, std::string* out) {
  char digits[8];
  const auto end = std::to_chars(digits, digits + sizeof(digits), ToInteger(oid), kBase);
  out->append(digits, end.ptr);
}

// "g2p.g3a"
void AppendOids(Oid first, const std::vector<Oid>& others, std::string* out) {
  AppendOid(first, out);
  for (const Oid other : others) {
    *out += '.';
    AppendOid(other, out);
  }
}

// Whole characters alone: each part is text of its own.
size_t SharedPart(const std::string& before, const std::string& name) {
  const auto differs = std::mismatch(before.begin(), before.end(), name.begin(), name.end());
  size_t shared = static_cast<size_t>(differs.second - name.begin());
  while (shared > 0 && shared < name.size() && (static_cast<uint8_t>(name[shared]) & 0xC0) == 0x80)
    --shared;
  return shared;
}

std::string Pack(const KnownTables& known) {
  std::string packed;
  AppendOids(known.publication, known.names_others, &packed);
  packed += ' ';
  const std::string* before = nullptr;
  for (const auto& [name, table] : known.tables) {
    const size_t shared = before == nullptr ? 0 : SharedPart(*before, name);
    absl::StrAppend(&packed, shared, " ", name.size() - shared, " ",
                    absl::string_view(name).substr(shared));
    AppendOids(table.relation, table.named_by, &packed);
    packed += ' ';
    before = &name;
  }
  return packed;
}

class TextReader {
 public:
  explicit TextReader(absl::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool ok() const { return ok_; }
  // Each with the space behind it, but for bytes.
  size_t Size() {
    size_t value = 0;
    Number(10, &value);
    Skip(' ');
    return value;
  }
  absl::string_view Bytes(size_t count) {
    if (count > text_.size()) return Fail();
    const absl::string_view bytes = text_.substr(0, count);
    text_.remove_prefix(count);
    return bytes;
  }
  Oid Oids(std::vector<Oid>* others) {
    const Oid first = OneOid();
    while (ok_ && !text_.empty() && text_.front() == '.') {
      text_.remove_prefix(1);
      others->push_back(OneOid());
    }
    if (!text_.empty()) Skip(' ');
    return first;
  }

 private:
  absl::string_view Fail() {
    ok_ = false;
    return {};
  }
  template <class Value>
  void Number(int base, Value* value) {
    const auto read = std::from_chars(text_.data(), text_.data() + text_.size(), *value, base);
    if (read.ec != std::errc()) Fail();
    text_.remove_prefix(static_cast<size_t>(read.ptr - text_.data()));
  }
  Oid OneOid() {
    uint32_t value = 0;
    Number(kBase, &value);
    return Oid{value};
  }
  void Skip(char separator) {
    if (text_.empty() || text_.front() != separator) {
      Fail();
    } else {
      text_.remove_prefix(1);
    }
  }

  absl::string_view text_;
  bool ok_ = true;
};

bool Unpack(absl::string_view packed, KnownTables* known) {
  TextReader reader(packed);
  known->publication = reader.Oids(&known->names_others);
  std::string name;
  while (reader.ok() && !reader.at_end()) {
    const size_t shared = reader.Size();
    const size_t rest = reader.Size();
    if (shared > name.size()) return false;
    name.resize(shared);
    absl::StrAppend(&name, reader.Bytes(rest));
    KnownTable& table = known->tables[name];
    table.relation = reader.Oids(&table.named_by);
  }
  return reader.ok();
}

// Damage leaves the names.
void ReadOids(absl::string_view text, const std::vector<std::string>& names, KnownTables* known) {
  KnownTables read = *known;
  TextReader reader(text);
  read.publication = reader.Oids(&read.names_others);
  for (const std::string& name : names) {
    KnownTable& table = read.tables[name];
    table.relation = reader.Oids(&table.named_by);
  }
  if (reader.ok() && reader.at_end()) *known = std::move(read);
}

// Empty: too long.
std::string ListNames(const KnownTables& known) {
  std::string json = R"("tables":[)";
  for (const auto& [name, table] : known.tables) {
    if (json.back() != '[') json += ',';
    AppendJsonString(name, &json);
    if (json.size() > KnownTables::kLongestNames) return "";
  }
  json += R"(],"oids":")";
  AppendOids(known.publication, known.names_others, &json);
  for (const auto& [name, table] : known.tables) {
    json += ' ';
    AppendOids(table.relation, table.named_by, &json);
  }
  return json + '"';
}

// Few, as they are short of what is promised.
std::string ListUnlogged(const KnownTables& known) {
  std::string json;
  for (const auto& [name, table] : known.tables) {
    if (!table.unlogged) continue;
    json += json.empty() ? R"(,"unlogged":[)" : ",";
    AppendJsonString(name, &json);
  }
  return json.empty() ? "" : json + ']';
}

std::string ListLacks(const KnownTables& known) {
  std::string json;
  for (size_t i = 0; i < std::min(known.lacks.size(), KnownTables::kMostLacks); ++i) {
    const Lack& lack = known.lacks[i];
    json += json.empty() ? R"(,"lacks":[[)" : ",[";
    for (const std::string* const text :
         {&lack.why, &lack.schema, &lack.table, &lack.partition, &lack.condition}) {
      if (json.back() != '[') json += ',';
      AppendJsonString(*text, &json);
    }
    json += ']';
  }
  return json.empty() ? "" : json + ']';
}

std::string ListLeft(const KnownTables& known) {
  std::string json;
  for (const auto& [name, relation] : known.left) {
    json += json.empty() ? R"(,"left":[)" : ",";
    AppendJsonString(name, &json);
    json += ",\"";
    AppendOid(relation, &json);
    json += '"';
  }
  return json.empty() ? "" : json + ']';
}

// Damage leaves what is before it.
void ReadLeft(const rapidjson::Document& json, KnownTables* known) {
  const rapidjson::Value* const all = json::FindArray(json, "left");
  if (all == nullptr) return;
  for (rapidjson::SizeType i = 0; i + 1 < all->Size(); i += 2) {
    const rapidjson::Value &name = (*all)[i], &relation = (*all)[i + 1];
    if (!name.IsString() || !relation.IsString()) return;
    std::vector<Oid> none;
    known->left.emplace(json::TextOf(name), TextReader(json::TextOf(relation)).Oids(&none));
  }
}

void ReadLacks(const rapidjson::Document& json, KnownTables* known) {
  const rapidjson::Value* const all = json::FindArray(json, "lacks");
  if (all == nullptr) return;
  for (const rapidjson::Value& one : all->GetArray()) {
    if (!one.IsArray() || one.Size() != 5) continue;
    std::vector<std::string> texts;
    for (const rapidjson::Value& text : one.GetArray())
      texts.emplace_back(text.IsString() ? json::TextOf(text) : absl::string_view());
    known->lacks.push_back({texts[0], texts[1], texts[2], texts[3], texts[4]});
  }
}

void ReadUnlogged(const rapidjson::Document& json, KnownTables* known) {
  const rapidjson::Value* const all = json::FindArray(json, "unlogged");
  if (all == nullptr) return;
  for (const rapidjson::Value& name : all->GetArray()) {
    if (!name.IsString()) continue;
    const auto table = known->tables.find(std::string(json::TextOf(name)));
    if (table != known->tables.end()) table->second.unlogged = true;
  }
}

}  // namespace

std::string EncodeKnownTables(const KnownTables& known) {
  std::string json = R"({"lists":)";
  AppendJsonString(known.lists, &json);
  json += ',';
  if (const std::string names = ListNames(known); !names.empty()) {
    json += names;
  } else {
    json += R"("packed":)";
    AppendJsonString(Pack(known), &json);
  }
  if (!known.called.empty()) {
    json += R"(,"called":)";
    AppendJsonString(known.called, &json);
  }
  if (!known.settings.empty()) {
    json += R"(,"settings":)";
    AppendJsonString(known.settings, &json);
  }
  if (!known.seen.empty()) {
    json += R"(,"seen":)";
    AppendJsonString(known.seen, &json);
  }
  json += ListUnlogged(known);
  json += ListLacks(known);
  const std::string left = ListLeft(known);
  std::string member;
  AppendJsonString(absl::StrCat(json, left, "}"), &member);
  if (member.size() > KnownTables::kLongest && !left.empty()) {
    member.clear();
    AppendJsonString(absl::StrCat(json, "}"), &member);
  }
  return member.size() > KnownTables::kLongest ? "" : member;
}

std::optional<KnownTables> DecodeKnownTables(absl::string_view member) {
  const rapidjson::Document text = json::Parse(member);
  if (text.HasParseError() || !text.IsString()) return std::nullopt;
  const rapidjson::Document json = json::Parse(json::TextOf(text));
  if (json.HasParseError() || !json.IsObject()) return std::nullopt;
  const auto text_of = [&json](const char* name) -> std::optional<absl::string_view> {
    const rapidjson::Value* const found = json::FindString(json, name);
    return found == nullptr ? std::nullopt : std::optional(json::TextOf(*found));
  };
  KnownTables known;
  const auto lists = text_of("lists");
  if (!lists) return std::nullopt;
  known.lists = std::string(*lists);
  known.called = std::string(text_of("called").value_or(""));
  known.settings = std::string(text_of("settings").value_or(""));
  known.seen = std::string(text_of("seen").value_or(""));
  ReadLacks(json, &known);
  ReadLeft(json, &known);
  if (const auto packed = text_of("packed")) {
    if (!Unpack(*packed, &known)) return std::nullopt;
    ReadUnlogged(json, &known);
    return known;
  }
  const rapidjson::Value* const tables = json::FindArray(json, "tables");
  if (tables == nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const rapidjson::Value& name : tables->GetArray())
    if (name.IsString()) names.emplace_back(json::TextOf(name));
  for (const std::string& name : names) known.tables.emplace(name, KnownTable{});
  if (const auto oids = text_of("oids")) ReadOids(*oids, names, &known);
  ReadUnlogged(json, &known);
  return known;
}

KnownTables KnownTablesIn(const event::OffsetMembers& members) {
  return DecodeKnownTables(event::FindMember(members, event::kTablesMember))
      .value_or(KnownTables());
}

void MergeKnownTables(KnownTables from, KnownTables* into) {
  into->lists = std::move(from.lists);
  into->publication = Oid{};
  into->called.clear();
  into->names_others.clear();
  into->settings.clear();
  into->seen.clear();
  into->lacks.insert(into->lacks.end(), from.lacks.begin(), from.lacks.end());
  into->left.merge(from.left);
  for (auto& [name, table] : from.tables) {
    const auto [place, is_new] = into->tables.try_emplace(name, table);
    if (!is_new && place->second.relation != table.relation) place->second.relation = Oid{};
  }
  for (auto& [name, table] : into->tables) table.named_by.clear();
}

}  // namespace walduct::slot
