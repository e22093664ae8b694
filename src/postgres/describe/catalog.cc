#include "postgres/describe/catalog.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "names/table_filter.h"
#include "postgres/describe/described_table.h"
#include "postgres/describe/relation_reader.h"
#include "postgres/oid_text.h"

namespace walduct::postgres {
namespace {

// Partitions are relations of their own; temporary tables never reach the WAL of others, system
// tables no publication.
constexpr absl::string_view kTables = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind = 'p'
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
  AND pg_catalog.left(n.nspname::pg_catalog.text, 3) <> 'pg_' AND n.nspname <> 'information_schema')";

constexpr absl::string_view kUserTypes = R"(
SELECT DISTINCT a.atttypid
FROM pg_catalog.unnest($1::pg_catalog.oid[]) r(oid)
JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
WHERE a.attnum > 0 AND NOT a.attisdropped AND (a.atttypid >= 16384 OR a.atttypid IN (790, 791)))";

}  // namespace

absl::StatusOr<event::TableSchemaPtr> Catalog::Describe(Oid relation) {
  ASSIGN_OR_RETURN(const std::optional<CatalogRelation> known, ReadRelation(connection_, relation));
  if (!known) {
    return Error(absl::StatusCode::kNotFound, "table_missing",
                 absl::StrCat("the table with OID ", ToInteger(relation), " has been dropped"));
  }
  std::vector<Oid> oids;
  for (const CatalogColumn& column : known->columns) oids.push_back(column.type);
  RETURN_IF_ERROR(types_.Load(connection_, oids));

  event::TableSchemaPtr schema = DescribeKnown(relation, *known, types_);
  if (memory_ != nullptr) memory_->Learn(*schema);
  return schema;
}

absl::StatusOr<std::vector<Oid>> Catalog::TypesOfUsers(const std::vector<Oid>& relations) {
  const Statement question = {std::string(kUserTypes), {OidArray(relations)}, Rows(1)};
  ASSIGN_OR_RETURN(const Result result, connection_.Query(question));
  std::vector<Oid> oids;
  for (int row = 0; row < result.rows(); ++row) oids.push_back(ParseOid(result.Get(row, 0)));
  RETURN_IF_ERROR(types_.Load(connection_, oids));
  std::vector<std::shared_ptr<const event::Type>> types;
  for (const Oid oid : oids)
    if (auto type = types_.Find(oid)) types.push_back(std::move(type));
  if (memory_ != nullptr) memory_->LearnTypes(types);
  return oids;
}

absl::StatusOr<std::vector<TableName>> Catalog::CapturedTables(const names::TableFilter& filter) {
  ASSIGN_OR_RETURN(const Result result, connection_.Query(Rows(4), kTables));
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
  RETURN_IF_ERROR(types_.Load(connection_, {oid}));
  if (auto type = types_.Find(oid)) return type;
  return Error(absl::StatusCode::kNotFound, "type_missing",
               absl::StrCat("the catalog has no type with OID ", ToInteger(oid)));
}

std::vector<Oid> RelationsOf(const std::vector<TableName>& tables) {
  std::vector<Oid> relations;
  relations.reserve(tables.size());
  for (const TableName& table : tables) relations.push_back(table.relation);
  return relations;
}

}  // namespace walduct::postgres
