#include "engine/incremental/new_tables.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json_text.h"
#include "base/log.h"
#include "rapidjson/document.h"

namespace walduct::engine {
namespace {

// It goes with each position that is stored, several times a second under load.
constexpr size_t kLongestMember = size_t{16} << 10;

// FNV-1a: the same in each build.
std::string SumOf(absl::string_view text) {
  uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return absl::StrFormat("%016x", sum);
}

std::string NameOf(const postgres::TableName& table) {
  return absl::StrCat(table.schema, ".", table.table);
}

// A text with JSON: Connect takes only primitives in an offset.
std::string MemberOf(absl::string_view sum, const std::set<std::string>& tables) {
  std::string json = absl::StrCat("{\"lists\":\"", sum, "\",\"tables\":[");
  for (const std::string& table : tables) {
    if (json.back() != '[') json += ',';
    AppendJsonString(table, &json);
    if (json.size() > kLongestMember) return "";
  }
  json += "]}";
  std::string member;
  AppendJsonString(json, &member);
  return member;
}

struct StoredTables {
  std::string lists;
  std::set<std::string> tables;
};

std::optional<StoredTables> DecodeTables(const std::string& member) {
  rapidjson::Document text, json;
  text.Parse(member.data(), member.size());
  if (text.HasParseError() || !text.IsString()) return std::nullopt;
  json.Parse(text.GetString(), text.GetStringLength());
  if (json.HasParseError() || !json.IsObject()) return std::nullopt;
  if (!json.HasMember("lists") || !json["lists"].IsString() || !json.HasMember("tables") ||
      !json["tables"].IsArray())
    return std::nullopt;
  StoredTables stored;
  stored.lists = json["lists"].GetString();
  for (const rapidjson::Value& table : json["tables"].GetArray())
    if (table.IsString()) stored.tables.emplace(table.GetString(), table.GetStringLength());
  return stored;
}

// As a signal names it.
std::string Quoted(const postgres::TableName& table) {
  std::string text;
  for (const std::string* const part : {&table.schema, &table.table}) {
    if (!text.empty()) text += '.';
    text += '"';
    for (const char c : *part) text.append(c == '"' ? 2 : 1, c);
    text += '"';
  }
  return text;
}

std::string ExecuteData(const postgres::TableName& table) {
  std::string data = R"({"type":"incremental","data-collections":[)";
  AppendJsonString(Quoted(table), &data);
  return data + "]}";
}

}  // namespace

NewTables::NewTables(Parts parts, std::vector<postgres::TableName> captured)
    : parts_(std::move(parts)), captured_(std::move(captured)) {}

std::unique_ptr<NewTables> NewTables::Create(
    Parts parts, const std::optional<std::vector<postgres::TableName>>& captured,
    const incremental::OffsetMembers* stored) {
  if (!captured) return nullptr;
  auto tables = std::unique_ptr<NewTables>(new NewTables(std::move(parts), *captured));
  const bool known = stored != nullptr && stored->contains(kMember);
  tables->Hold(known ? &stored->at(kMember) : nullptr);
  return tables;
}

std::string NewTables::Merge(const std::vector<std::string>& members) {
  StoredTables all;
  for (const std::string& member : members) {
    std::optional<StoredTables> one = DecodeTables(member);
    if (!one) return "";
    all.lists = std::move(one->lists);
    all.tables.merge(one->tables);
  }
  return members.empty() ? "" : MemberOf(all.lists, all.tables);
}

void NewTables::Hold(const std::string* member) {
  std::optional<StoredTables> stored;
  if (member != nullptr) stored = DecodeTables(*member);
  if (stored) {
    lists_before_ = std::move(stored->lists);
    known_ = std::move(stored->tables);
    states_.emplace_back(0, *member);
  } else if (member != nullptr) {
    log::Warn("which tables were captured before is not known: walduct_tables is damaged");
  }
}

void NewTables::Begin(const std::optional<std::set<Oid>>& published) {
  const bool may_have_rows = published || lists_before_ != SumOf(parts_.lists);
  const bool compares = std::exchange(lists_before_, std::nullopt).has_value();
  // Those that are not captured any more are forgotten: they may come back with rows.
  std::set<std::string> now;
  std::vector<const postgres::TableName*> fresh;
  for (const postgres::TableName& table : captured_) {
    if (published && !published->contains(table.relation)) continue;
    const std::string& name = *now.insert(NameOf(table)).first;
    if (compares && may_have_rows && !known_.contains(name)) fresh.push_back(&table);
  }
  known_ = std::move(now);
  // What is asked for is known with positions behind the request alone.
  if (!reads() || fresh.empty()) Keep(0);
  if (MemberOf(SumOf(parts_.lists), known_).empty()) {
    log::Info("tables that are captured only later will not be told of at the next start",
              {{"why", "too many to be kept with the position"}, {"tables", known_.size()}});
  }
  for (const postgres::TableName* const table : fresh) Take(*table);
}

void NewTables::Came(const postgres::TableName& table) {
  known_.insert(NameOf(table));
  Take(table);
}

void NewTables::Take(const postgres::TableName& table) {
  if (NameOf(table) == parts_.signal_table) return;
  if (!reads()) {
    log::Warn("table is new to the connector: rows it had before are not sent",
              {{"table", NameOf(table)},
               {"hint",
                "walduct signal execute-snapshot --table, or walduct.snapshot.new.tables="
                "incremental: docs/snapshots.md"}});
    Keep(states_.empty() ? 0 : states_.back().first);
    return;
  }
  log::Info("table is new to the connector: rows it had before are read beside the stream",
            {{"table", NameOf(table)}});
  parts_.snapshots->Ask(
      {.id = parts_.new_id(), .type = "execute-snapshot", .data = ExecuteData(table)},
      [this](uint64_t mark) { Keep(mark); });
}

// A position from before the request must not say that the tables are known.
void NewTables::Keep(uint64_t mark) {
  std::string member = MemberOf(SumOf(parts_.lists), known_);
  if (!states_.empty() && states_.back().first == mark) {
    states_.back().second = std::move(member);
  } else {
    states_.emplace_back(mark, std::move(member));
  }
}

const std::string& NewTables::At(uint64_t mark) {
  while (states_.size() > 1 && states_[1].first <= mark) states_.pop_front();
  static const std::string* const kNone = new std::string;
  return states_.empty() ? *kNone : states_.front().second;
}

}  // namespace walduct::engine
