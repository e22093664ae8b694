#include "snapshot/layout.h"

#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace walduct::snapshot {
namespace {

// From there on a scan reads only the blocks of a range.
constexpr int kScansRanges = 140000;

constexpr absl::string_view kLayoutSql = R"sql(
WITH RECURSIVE member(root, oid) AS (
  SELECT c.oid, c.oid FROM pg_catalog.pg_class c WHERE c.oid = ANY($1::pg_catalog.oid[])
  UNION
  SELECT m.root, i.inhrelid FROM member m JOIN pg_catalog.pg_inherits i ON i.inhparent = m.oid),
locked AS MATERIALIZED (
  SELECT l.relation FROM pg_catalog.pg_locks l
  WHERE l.relation IS NOT NULL AND l.mode = 'AccessExclusiveLock')
SELECT m.root, pg_catalog.max(
    CASE WHEN c.relkind = 'p' THEN 0
         WHEN c.oid IN (SELECT relation FROM locked) THEN c.relpages
         ELSE pg_catalog.pg_relation_size(c.oid)
              / pg_catalog.current_setting('block_size')::pg_catalog.int8
    END)::pg_catalog.int8,
  pg_catalog.md5(pg_catalog.string_agg(
    pg_catalog.concat(c.oid, ':', pg_catalog.pg_relation_filenode(c.oid)), ',' ORDER BY c.oid))
FROM member m JOIN pg_catalog.pg_class c ON c.oid = m.oid
  LEFT JOIN pg_catalog.pg_am a ON a.oid = c.relam
GROUP BY m.root
HAVING pg_catalog.bool_and(c.relkind = 'p' OR (c.relkind = 'r' AND a.amname = 'heap')))sql";

absl::StatusOr<postgres::Result> Ask(postgres::Connection& connection,
                                     const std::vector<postgres::TableName>& tables) {
  const std::string oids =
      absl::StrJoin(tables, ",", [](std::string* out, const postgres::TableName& table) {
        absl::StrAppend(out, ToInteger(table.relation));
      });
  return connection.Query(postgres::Rows(3), kLayoutSql, {absl::StrCat("{", oids, "}")});
}

}  // namespace

absl::StatusOr<std::map<uint32_t, Layout>> ReadLayouts(
    postgres::Connection& connection, const std::vector<postgres::TableName>& tables) {
  std::map<uint32_t, Layout> layouts;
  if (connection.server_version() < kScansRanges || tables.empty()) return layouts;
  ASSIGN_OR_RETURN(const postgres::Result result, Ask(connection, tables));
  for (int row = 0; row < result.rows(); ++row) {
    uint32_t relation = 0;
    Layout layout;
    if (absl::SimpleAtoi(result.Get(row, 0), &relation) &&
        absl::SimpleAtoi(result.Get(row, 1), &layout.blocks)) {
      layout.storage = std::string(result.Get(row, 2));
      layouts[relation] = std::move(layout);
    }
  }
  return layouts;
}

}  // namespace walduct::snapshot
