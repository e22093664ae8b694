#include "postgres/sizes/table_layout.h"

#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace walduct::postgres {
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
  WHERE NOT $2::pg_catalog.bool AND l.relation IS NOT NULL AND l.mode = 'AccessExclusiveLock')
SELECT m.root, pg_catalog.max(
    CASE WHEN c.relkind = 'p' THEN 0
         WHEN c.oid IN (SELECT relation FROM locked) THEN c.relpages
         ELSE pg_catalog.pg_relation_size(c.oid)
              / pg_catalog.current_setting('block_size')::pg_catalog.int8
    END)::pg_catalog.int8,
  pg_catalog.md5(pg_catalog.string_agg(
    pg_catalog.concat(c.oid, ':', pg_catalog.pg_relation_filenode(c.oid)), ',' ORDER BY c.oid)),
  pg_catalog.count(*) FILTER (WHERE c.relkind = 'r')
FROM member m JOIN pg_catalog.pg_class c ON c.oid = m.oid
  LEFT JOIN pg_catalog.pg_am a ON a.oid = c.relam
GROUP BY m.root
HAVING pg_catalog.bool_and(c.relkind = 'p' OR (c.relkind = 'r' AND a.amname = 'heap')))sql";

absl::StatusOr<Result> Ask(Connection& connection, const std::vector<Oid>& relations,
                           LayoutLock lock) {
  const std::string oids = absl::StrJoin(relations, ",", [](std::string* out, Oid relation) {
    absl::StrAppend(out, ToInteger(relation));
  });
  return connection.Query(
      Rows(4), kLayoutSql,
      {absl::StrCat("{", oids, "}"), lock == LayoutLock::kHeld ? "true" : "false"});
}

}  // namespace

absl::StatusOr<std::map<Oid, TableLayout>> ReadLayouts(Connection& connection,
                                                       const std::vector<Oid>& relations,
                                                       LayoutLock lock) {
  std::map<Oid, TableLayout> layouts;
  if (connection.server_version() < kScansRanges || relations.empty()) return layouts;
  ASSIGN_OR_RETURN(const Result result, Ask(connection, relations, lock));
  for (int row = 0; row < result.rows(); ++row) {
    uint32_t relation = 0;
    TableLayout layout;
    if (absl::SimpleAtoi(result.Get(row, 0), &relation) &&
        absl::SimpleAtoi(result.Get(row, 1), &layout.blocks) &&
        absl::SimpleAtoi(result.Get(row, 3), &layout.members)) {
      layout.storage = std::string(result.Get(row, 2));
      layouts[Oid{relation}] = std::move(layout);
    }
  }
  return layouts;
}

}  // namespace walduct::postgres
