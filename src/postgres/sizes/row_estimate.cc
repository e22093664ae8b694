#include "postgres/sizes/row_estimate.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace walduct::postgres {
namespace {

// reltuples is -1 before the first ANALYZE: then the statistics collector may know what has been
// inserted. Neither takes a lock on the table, as asking for its size would.
constexpr absl::string_view kEstimateSql = R"sql(
WITH RECURSIVE member(root, oid) AS (
  SELECT c.oid, c.oid FROM pg_catalog.pg_class c WHERE c.oid = ANY($1::pg_catalog.oid[])
  UNION
  SELECT m.root, i.inhrelid FROM member m JOIN pg_catalog.pg_inherits i ON i.inhparent = m.oid)
SELECT e.root, pg_catalog.sum(e.rows)::pg_catalog.int8
FROM (SELECT m.root, CASE WHEN c.reltuples >= 0 THEN c.reltuples::pg_catalog.float8
                          ELSE NULLIF(pg_catalog.pg_stat_get_live_tuples(c.oid), 0) END AS rows
      FROM member m JOIN pg_catalog.pg_class c ON c.oid = m.oid
      WHERE c.relkind <> 'p') e
GROUP BY e.root HAVING pg_catalog.bool_and(e.rows IS NOT NULL))sql";

}  // namespace

absl::StatusOr<std::map<Oid, uint64_t>> EstimateRows(Connection& connection,
                                                     const std::vector<Oid>& relations) {
  const std::string oids = absl::StrJoin(relations, ",", [](std::string* out, Oid relation) {
    absl::StrAppend(out, ToInteger(relation));
  });
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(Rows(2), kEstimateSql, {absl::StrCat("{", oids, "}")}));
  std::map<Oid, uint64_t> estimates;
  for (int row = 0; row < result.rows(); ++row) {
    uint32_t relation = 0;
    uint64_t rows = 0;
    if (absl::SimpleAtoi(result.Get(row, 0), &relation) &&
        absl::SimpleAtoi(result.Get(row, 1), &rows)) {
      estimates[Oid{relation}] = rows;
    }
  }
  return estimates;
}

}  // namespace walduct::postgres
