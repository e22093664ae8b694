#include "postgres/catalog.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "postgres/relation_reader.h"

namespace walduct::postgres {
namespace {

// Partitions are relations of their own; temporary tables never reach the WAL of others, system
// tables no publication.
constexpr absl::string_view kTables = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind = 'p'
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
  AND pg_catalog.left(n.nspname::pg_catalog.text, 3) <> 'pg_' AND n.nspname <> 'information_schema')";

using event::TypeKind;
using TypePtr = std::shared_ptr<const event::Type>;

bool DomainNotNull(const event::Type& type) {
  for (const event::Type* t = &type; t != nullptr && t->kind == TypeKind::kDomain;
       t = t->base.get()) {
    if (t->not_null) return true;
  }
  return false;
}

int32_t EffectiveTypmod(int32_t typmod, const event::Type& type) {
  for (const event::Type* t = &type; typmod < 0 && t != nullptr && t->kind == TypeKind::kDomain;
       t = t->base.get()) {
    typmod = t->base_typmod;
  }
  return typmod;
}

// A type that was dropped after the change was written: its text is all there is.
TypePtr UnknownType(Oid oid) {
  event::Type type;
  type.oid = oid;
  type.name = absl::StrCat("oid_", ToInteger(oid));
  return std::make_shared<const event::Type>(std::move(type));
}

event::Column MakeColumn(const std::string& name, TypePtr type, int32_t typmod) {
  event::Column column;
  column.name = name;
  column.typmod = EffectiveTypmod(typmod, *type);
  column.type = std::move(type);
  return column;
}

// What the catalog adds to a column of the same name. Its default belongs to the catalog's type,
// not to an older one.
void Decorate(const CatalogColumn& known, Oid streamed_type, event::Column& column) {
  column.optional = !known.not_null && !DomainNotNull(*column.type);
  column.identity = known.identity;
  column.generated = known.generated;
  if (known.type == streamed_type) column.default_expression = known.default_expression;
}

std::vector<uint16_t> KeyByName(const std::vector<std::string>& names,
                                const std::vector<event::Column>& columns) {
  std::vector<uint16_t> key;
  for (const std::string& name : names) {
    const auto at =
        std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; });
    if (at != columns.end()) key.push_back(static_cast<uint16_t>(at - columns.begin()));
  }
  return key;
}

// Under replica identity DEFAULT the flags are the primary key as it was when the change was
// written.
std::vector<uint16_t> KeyByFlags(const event::RelationDescription& relation) {
  std::vector<uint16_t> key;
  if (relation.replica_identity != event::ReplicaIdentity::kDefault) return key;
  for (size_t i = 0; i < relation.columns.size(); ++i) {
    if (relation.columns[i].part_of_identity) key.push_back(static_cast<uint16_t>(i));
  }
  return key;
}

std::vector<uint16_t> ChooseKey(const event::RelationDescription& relation,
                                const std::optional<CatalogRelation>& known,
                                const std::vector<event::Column>& columns) {
  std::vector<uint16_t> by_catalog;
  if (known) by_catalog = KeyByName(known->key, columns);
  if (known && known->primary_key && !by_catalog.empty()) return by_catalog;
  std::vector<uint16_t> by_flags = KeyByFlags(relation);
  return by_flags.empty() ? by_catalog : by_flags;
}

}  // namespace

absl::StatusOr<event::TableSchemaPtr> Catalog::Resolve(const event::RelationDescription& relation) {
  ASSIGN_OR_RETURN(const std::optional<CatalogRelation> known,
                   ReadRelation(connection_, relation.relation));
  std::vector<Oid> oids;
  for (const event::RelationColumn& column : relation.columns) oids.push_back(column.type);
  RETURN_IF_ERROR(types_.Load(oids));

  std::map<absl::string_view, const CatalogColumn*> by_name;
  if (known) {
    for (const CatalogColumn& column : known->columns) by_name[column.name] = &column;
  }
  auto schema = std::make_shared<event::TableSchema>();
  schema->relation = relation.relation;
  schema->schema = relation.schema;
  schema->table = relation.table;
  schema->replica_identity = relation.replica_identity;
  for (const event::RelationColumn& streamed : relation.columns) {
    TypePtr type = types_.Find(streamed.type);
    if (type == nullptr) type = UnknownType(streamed.type);
    event::Column column = MakeColumn(streamed.name, std::move(type), streamed.typmod);
    if (const auto at = by_name.find(streamed.name); at != by_name.end())
      Decorate(*at->second, streamed.type, column);
    schema->columns.push_back(std::move(column));
  }
  schema->key_columns = ChooseKey(relation, known, schema->columns);
  return event::TableSchemaPtr(std::move(schema));
}

absl::StatusOr<event::TableSchemaPtr> Catalog::Describe(Oid relation) {
  ASSIGN_OR_RETURN(const std::optional<CatalogRelation> known, ReadRelation(connection_, relation));
  if (!known) {
    return Error(absl::StatusCode::kNotFound, "table_missing",
                 absl::StrCat("the table with OID ", ToInteger(relation), " has been dropped"));
  }
  std::vector<Oid> oids;
  for (const CatalogColumn& column : known->columns) oids.push_back(column.type);
  RETURN_IF_ERROR(types_.Load(oids));

  auto schema = std::make_shared<event::TableSchema>();
  schema->relation = relation;
  schema->schema = known->schema;
  schema->table = known->table;
  schema->replica_identity = known->replica_identity;
  for (const CatalogColumn& described : known->columns) {
    TypePtr type = types_.Find(described.type);
    if (type == nullptr) type = UnknownType(described.type);
    event::Column column = MakeColumn(described.name, std::move(type), described.typmod);
    Decorate(described, described.type, column);
    schema->columns.push_back(std::move(column));
  }
  schema->key_columns = KeyByName(known->key, schema->columns);
  return event::TableSchemaPtr(std::move(schema));
}

absl::StatusOr<std::vector<TableName>> Catalog::CapturedTables(const names::TableFilter& filter) {
  ASSIGN_OR_RETURN(const Result result, connection_.Query(kTables));
  std::vector<std::pair<std::string, TableName>> found;
  for (int row = 0; row < result.rows(); ++row) {
    TableName name{.relation = ParseOid(result.Get(row, 0)),
                   .schema = std::string(result.Get(row, 1)),
                   .table = std::string(result.Get(row, 2)),
                   .partitioned = result.Get(row, 3) == "t"};
    if (!filter.Includes(name.schema, name.table)) continue;
    std::string full_name = absl::StrCat(name.schema, ".", name.table);
    found.emplace_back(std::move(full_name), std::move(name));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<TableName> tables;
  for (auto& [full_name, name] : found) tables.push_back(std::move(name));
  return tables;
}

absl::StatusOr<std::shared_ptr<const event::Type>> Catalog::TypeByOid(Oid oid) {
  RETURN_IF_ERROR(types_.Load({oid}));
  if (TypePtr type = types_.Find(oid)) return type;
  return Error(absl::StatusCode::kNotFound, "type_missing",
               absl::StrCat("the catalog has no type with OID ", ToInteger(oid)));
}

}  // namespace walduct::postgres
