#include "slot/world/reads/table_columns.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "encode/types/source_type.h"
#include "postgres/oid_text.h"
#include "slot/masks/column_cover.h"

namespace walduct::slot {
namespace {

// The last: the stream brings the column, as far as can be told without knowing its publication.
constexpr absl::string_view kColumns = R"(
WITH listed AS (
  SELECT r.prrelid FROM pg_catalog.pg_publication_rel r
  WHERE (pg_catalog.to_jsonb(r) OPERATOR(pg_catalog.->>) 'prattrs') IS NOT NULL
)
SELECT a.attrelid, a.attnum, a.attname, a.atttypid,
       COALESCE(pg_catalog.to_jsonb(a) OPERATOR(pg_catalog.->>) 'attgenerated', '') = ''
       AND a.attrelid NOT IN (SELECT prrelid FROM listed),
       (SELECT i.inhparent FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
        WHERE i.inhrelid = a.attrelid AND c.relispartition LIMIT 1)
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum)";

enum { kRelation, kNumber, kColumn, kTypeOfColumn, kComes, kParent, kWidth };

}  // namespace

absl::StatusOr<std::vector<KnownColumns>> ReadWatchedColumns(
    postgres::Connection& connection, postgres::Catalog& catalog,
    const std::vector<postgres::TableName>& captured, const ColumnCover& cover,
    const std::vector<KnownColumns>& known) {
  std::vector<KnownColumns> tables;
  if (!cover.any() || captured.empty()) return tables;
  std::map<Oid, size_t> index;
  for (const postgres::TableName& name : captured) {
    index[name.relation] = tables.size();
    tables.push_back(
        {.relation = name.relation, .schema = name.schema, .table = name.table, .columns = {}});
  }
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(kWidth), kColumns,
                                    {postgres::OidArray(postgres::RelationsOf(captured))}));
  std::vector<std::vector<Oid>> types(tables.size());
  for (int row = 0; row < result.rows(); ++row) {
    const size_t at = index[postgres::ParseOid(result.Get(row, kRelation))];
    types[at].push_back(postgres::ParseOid(result.Get(row, kTypeOfColumn)));
    tables[at].columns.push_back(
        {.attnum = static_cast<int16_t>(postgres::ParseInt(result.Get(row, kNumber), 0)),
         .name = std::string(result.Get(row, kColumn)),
         .comes = result.Get(row, kComes) == "t"});
    tables[at].parent = postgres::ParseOid(result.Get(row, kParent));
  }
  std::set<Oid> oids;
  std::set<std::string> names;
  for (const KnownColumns& table : known) {
    oids.insert(table.relation);
    names.insert(table.FullName());
  }
  std::map<Oid, bool> of_text;
  std::vector<KnownColumns> watched;
  for (size_t at = 0; at < tables.size(); ++at) {
    const KnownColumns& table = tables[at];
    if (!oids.contains(table.relation) && !names.contains(table.FullName()) &&
        !cover.Watches(table))
      continue;
    for (size_t i = 0; i < types[at].size(); ++i) {
      const auto [is_text, is_new] = of_text.try_emplace(types[at][i], true);
      if (is_new) {
        const auto type = catalog.TypeByOid(types[at][i]);
        // It was dropped meanwhile, and the column with it.
        if (!type.ok() && !absl::IsNotFound(type.status())) return type.status();
        is_text->second = type.ok() && encode::IsCharacterType(**type);
      }
      tables[at].columns[i].of_text = is_text->second;
    }
    watched.push_back(std::move(tables[at]));
  }
  return watched;
}

}  // namespace walduct::slot
