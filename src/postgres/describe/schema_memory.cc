#include "postgres/describe/schema_memory.h"

#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "event/same_schema.h"

namespace walduct::postgres {
namespace {

using TypePtr = std::shared_ptr<const event::Type>;

bool OfUsers(Oid type) { return ToInteger(type) >= kFirstUserOid; }

enum ColumnFlags : uint8_t { kOptional = 1, kIdentity = 2, kGenerated = 4, kHasDefault = 8 };

template <typename T>
void AppendNumber(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendText(absl::string_view text, std::string* out) {
  AppendNumber(static_cast<uint32_t>(text.size()), out);
  out->append(text.data(), text.size());
}

// The key, then columns to the end.
std::string Pack(const RememberedTable& table) {
  std::string out;
  AppendNumber(static_cast<uint16_t>(table.key.size()), &out);
  for (const std::string& name : table.key) AppendText(name, &out);
  for (const RememberedColumn& column : table.columns) {
    const uint8_t flags = (column.optional ? kOptional : 0) | (column.identity ? kIdentity : 0) |
                          (column.generated ? kGenerated : 0) |
                          (column.default_expression ? kHasDefault : 0);
    AppendNumber(flags, &out);
    AppendNumber(ToInteger(column.type), &out);
    AppendText(column.name, &out);
    if (column.default_expression) AppendText(*column.default_expression, &out);
  }
  out.shrink_to_fit();
  return out;
}

// Of what Pack has made.
class Unpacker {
 public:
  explicit Unpacker(absl::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  template <typename T>
  T Number() {
    T value{};
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_.remove_prefix(sizeof(value));
    return value;
  }
  std::string Text() {
    const auto size = Number<uint32_t>();
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }

 private:
  absl::string_view rest_;
};

RememberedTable Unpack(absl::string_view text) {
  RememberedTable table;
  Unpacker in(text);
  const auto keys = in.Number<uint16_t>();
  for (uint16_t i = 0; i < keys; ++i) table.key.push_back(in.Text());
  while (!in.done()) {
    const auto flags = in.Number<uint8_t>();
    RememberedColumn column;
    column.type = Oid{in.Number<uint32_t>()};
    column.name = in.Text();
    column.optional = (flags & kOptional) != 0;
    column.identity = (flags & kIdentity) != 0;
    column.generated = (flags & kGenerated) != 0;
    if ((flags & kHasDefault) != 0) column.default_expression = in.Text();
    table.columns.push_back(std::move(column));
  }
  return table;
}

bool SameColumn(const RememberedColumn& a, const RememberedColumn& b) {
  return a.type == b.type && a.name == b.name;
}

// Enums go by their labels, whatever they are called by now.
bool IsEnum(const event::Type& type) {
  const event::Type& base = event::BaseType(type);
  if (base.kind == event::TypeKind::kArray && base.element != nullptr)
    return event::BaseType(*base.element).kind == event::TypeKind::kEnum;
  return base.kind == event::TypeKind::kEnum;
}

// The stream calls a domain by the type under it.
TypePtr Renamed(const event::Type& type, const event::RelationColumn& column) {
  event::Type renamed = type;
  if (type.kind == event::TypeKind::kDomain) {
    renamed.base = Renamed(*type.base, column);
    return std::make_shared<const event::Type>(std::move(renamed));
  }
  renamed.schema = column.type_schema;
  renamed.name = column.type_name;
  return std::make_shared<const event::Type>(std::move(renamed));
}

RememberedTable FactsOf(const event::TableSchema& table) {
  RememberedTable facts;
  for (const uint16_t index : table.key_columns) facts.key.push_back(table.columns[index].name);
  for (const event::Column& column : table.columns) {
    facts.columns.push_back({.name = column.name,
                             .type = column.type->oid,
                             .optional = column.optional,
                             .identity = column.identity,
                             .generated = column.generated,
                             .default_expression = column.default_expression});
  }
  return facts;
}

}  // namespace

void SchemaMemory::Learn(const event::TableSchema& table) {
  RememberedTable facts = FactsOf(table);
  const MutexLock lock(mutex_);
  for (const event::Column& column : table.columns) LearnType(column.type);
  LearnTable(table.relation, std::move(facts));
}

void SchemaMemory::LearnTypes(const std::vector<TypePtr>& types) {
  const MutexLock lock(mutex_);
  for (const TypePtr& type : types) LearnType(type);
}

void SchemaMemory::LearnType(const TypePtr& type) {
  if (!OfUsers(type->oid) || type->kind == event::TypeKind::kUnknown) return;
  if (types_.size() >= kMaxTypes && !types_.contains(type->oid)) types_.clear();
  RememberedType& known = types_[type->oid];
  known.gone = Lsn();
  if (event::SameType(known.type, type)) return;
  known.type = type;
  ++changes_;
}

// Columns that the table had, or that have got another type, stay known: what was sent may be sent
// again.
void SchemaMemory::LearnTable(Oid relation, RememberedTable table) {
  if (tables_.size() >= kMaxTables && !tables_.contains(relation)) tables_.clear();
  Table& known = tables_[relation];
  if (!known.text.empty()) {
    size_t former = 0;
    for (RememberedColumn& column : Unpack(known.text).columns) {
      const auto same = [&](const auto& other) { return SameColumn(column, other); };
      if (former == kMaxFormer) break;
      if (std::any_of(table.columns.begin(), table.columns.end(), same)) continue;
      table.columns.push_back(std::move(column));
      ++former;
    }
  }
  known.gone = Lsn();
  std::string text = Pack(table);
  if (text == known.text) return;
  known.text = std::move(text);
  known.of_users = std::any_of(table.columns.begin(), table.columns.end(),
                               [](const auto& column) { return OfUsers(column.type); });
  if (known.of_users) ++changes_;
}

TypePtr SchemaMemory::TypeOf(const event::RelationColumn& column) const {
  const MutexLock lock(mutex_);
  const auto found = types_.find(column.type);
  if (found == types_.end()) return nullptr;
  const event::Type& type = *found->second.type;
  if (column.type_name.empty() || event::BaseType(type).name == column.type_name)
    return found->second.type;
  return IsEnum(type) ? Renamed(type, column) : nullptr;
}

std::optional<RememberedTable> SchemaMemory::TableOf(Oid relation) const {
  const MutexLock lock(mutex_);
  const auto found = tables_.find(relation);
  if (found == tables_.end()) return std::nullopt;
  return Unpack(found->second.text);
}

void SchemaMemory::Forget(Oid relation) {
  const MutexLock lock(mutex_);
  if (!tables_.contains(relation)) return;
  forgotten_.push_back(relation);
  if (forgotten_.size() <= kMaxForgotten) return;
  const auto oldest = tables_.find(forgotten_.front());
  forgotten_.pop_front();
  if (oldest == tables_.end()) return;
  if (oldest->second.of_users) ++changes_;
  tables_.erase(oldest);
}

void SchemaMemory::Sweep(const std::vector<Oid>& types, const std::vector<Oid>& relations,
                         Lsn wal_end, Lsn start) {
  const absl::flat_hash_set<Oid> live_types(types.begin(), types.end());
  const absl::flat_hash_set<Oid> live_tables(relations.begin(), relations.end());
  const MutexLock lock(mutex_);
  const auto sweep = [&](auto& known, const absl::flat_hash_set<Oid>& live) {
    mutex_.AssertHeld();
    for (auto it = known.begin(); it != known.end();) {
      const auto here = it++;
      Lsn& gone = here->second.gone;
      if (live.contains(here->first)) {
        changes_ += gone.valid() ? 1 : 0;
        gone = Lsn();
      } else if (!gone.valid()) {
        gone = wal_end;
        ++changes_;
      } else if (gone <= start) {
        known.erase(here);
        ++changes_;
      }
    }
  };
  sweep(types_, live_types);
  sweep(tables_, live_tables);
}

std::vector<RememberedType> SchemaMemory::Types() const {
  std::vector<RememberedType> types;
  {
    const MutexLock lock(mutex_);
    types.reserve(types_.size());
    for (const auto& [oid, type] : types_) types.push_back(type);
  }
  std::sort(types.begin(), types.end(), [](const auto& a, const auto& b) {
    return ToInteger(a.type->oid) > ToInteger(b.type->oid);
  });
  return types;
}

std::vector<std::pair<Oid, RememberedTable>> SchemaMemory::Tables() const {
  std::vector<std::pair<Oid, RememberedTable>> tables;
  {
    const MutexLock lock(mutex_);
    for (const auto& [relation, known] : tables_) {
      if (!known.of_users) continue;
      RememberedTable table = Unpack(known.text);
      std::erase_if(table.columns, [&](const auto& column) {
        mutex_.AssertHeld();
        return !types_.contains(column.type);  // among them all that are not of users
      });
      table.gone = known.gone;
      if (!table.columns.empty()) tables.emplace_back(relation, std::move(table));
    }
  }
  std::sort(tables.begin(), tables.end(),
            [](const auto& a, const auto& b) { return ToInteger(a.first) > ToInteger(b.first); });
  return tables;
}

void SchemaMemory::Restore(const std::vector<RememberedType>& types,
                           const std::vector<std::pair<Oid, RememberedTable>>& tables) {
  const MutexLock lock(mutex_);
  for (const RememberedType& type : types) {
    const Oid oid = type.type->oid;
    if (OfUsers(oid) && types_.try_emplace(oid, type).second) ++changes_;
  }
  for (const auto& [relation, table] : tables) {
    if (tables_.contains(relation)) continue;
    tables_[relation] = {.text = Pack(table), .gone = table.gone, .of_users = true};
    ++changes_;
  }
}

uint64_t SchemaMemory::changes() const {
  const MutexLock lock(mutex_);
  return changes_;
}

}  // namespace walduct::postgres
