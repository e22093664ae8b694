#include "snapshot/rewritten_table.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace walduct::snapshot {
namespace {

// pg_class is that of the view, the functions tell of now. A table of one file that has shown a row
// was not rewritten in a way that hides any.
constexpr absl::string_view kSql = R"sql(
WITH RECURSIVE member(oid) AS (
  SELECT $1::pg_catalog.oid
  UNION
  SELECT i.inhrelid FROM member m JOIN pg_catalog.pg_inherits i ON i.inhparent = m.oid)
SELECT coalesce(pg_catalog.bool_or(
    CASE WHEN c.relfilenode <> pg_catalog.pg_relation_filenode(c.oid)
         THEN pg_catalog.pg_relation_size(c.oid) > 0
         ELSE false
    END), false)
  AND NOT ($2::pg_catalog.bool AND pg_catalog.count(*) = 1)
FROM member m JOIN pg_catalog.pg_class c ON c.oid = m.oid
WHERE c.relfilenode <> 0)sql";

}  // namespace

absl::StatusOr<bool> HidesRows(postgres::Connection& connection, const postgres::TableName& table,
                               bool gave_rows) {
  ASSIGN_OR_RETURN(
      const postgres::Result result,
      connection.Query(postgres::OneRow(1), kSql,
                       {absl::StrCat(ToInteger(table.relation)), gave_rows ? "true" : "false"}));
  return result.Get(0, 0) == "t";
}

}  // namespace walduct::snapshot
