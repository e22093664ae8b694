#include "incremental/chunks/table_hold.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"

namespace walduct::incremental {
namespace {

constexpr absl::string_view kFind =
    "SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = "
    "c.relnamespace WHERE n.nspname = $1 AND c.relname = $2";

// The catalog's rows are those of the view, what the functions say is of now: $3 is the quoted
// name.
constexpr absl::string_view kUnaltered = R"sql(
WITH RECURSIVE root(oid) AS (
  SELECT c.oid FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2),
member(oid) AS (
  SELECT oid FROM root
  UNION
  SELECT i.inhrelid FROM member m JOIN pg_catalog.pg_inherits i ON i.inhparent = m.oid)
SELECT pg_catalog.to_regclass($3)::pg_catalog.oid IS NOT DISTINCT FROM (SELECT oid FROM root)
  AND NOT EXISTS (
    SELECT FROM member m JOIN pg_catalog.pg_class c ON c.oid = m.oid
    WHERE c.relfilenode <> 0
      AND pg_catalog.pg_relation_filenode(c.oid) IS DISTINCT FROM c.relfilenode)
  AND NOT EXISTS (
    SELECT FROM root r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
    WHERE a.attnum > 0 AND NOT a.attisdropped
      AND (pg_catalog.pg_identify_object_as_address(
             'pg_catalog.pg_class'::pg_catalog.regclass, r.oid, a.attnum)).object_names[3]
          IS DISTINCT FROM a.attname::pg_catalog.text))sql";

}  // namespace

absl::Status TableHold::Prepare(postgres::Connection& connection, const TableId& table) {
  if (table_ == table) return absl::OkStatus();
  table_ = {};
  ASSIGN_OR_RETURN(const postgres::Result found,
                   connection.Query(postgres::Rows(1), kFind, {table.schema, table.table}));
  right_ = postgres::LockRight::kTable;
  // What is not there says so when it is locked.
  if (found.rows() == 1) {
    const Oid relation = postgres::ParseOid(found.Get(0, 0));
    ASSIGN_OR_RETURN(const auto rights, postgres::FindLockRights(connection, {relation}));
    if (const auto right = rights.find(relation); right != rights.end()) right_ = right->second;
  }
  table_ = table;
  return absl::OkStatus();
}

absl::StatusOr<bool> TableHold::Refresh(postgres::Connection& connection) {
  const postgres::LockRight before = right_;
  const TableId table = std::exchange(table_, {});
  RETURN_IF_ERROR(Prepare(connection, table));
  return right_ != before;
}

absl::Status TableHold::Take(postgres::Connection& connection) const {
  const std::string name = postgres::QuoteQualified(table_.schema, table_.table);
  if (right_ == postgres::LockRight::kTable)
    return connection.Run(absl::StrCat("LOCK TABLE ", name, " IN ACCESS SHARE MODE"));
  RETURN_IF_ERROR(postgres::LockByReading(connection, table_.schema, table_.table));
  ASSIGN_OR_RETURN(
      const postgres::Result unaltered,
      connection.Query(postgres::OneRow(1), kUnaltered, {table_.schema, table_.table, name}));
  if (unaltered.Get(0, 0) == "t") return absl::OkStatus();
  return Error(absl::StatusCode::kUnavailable, "table_rewritten",
               absl::StrCat("table ", table_.Text(), " was altered while a chunk of it was begun"),
               "nothing to do: it is begun again");
}

}  // namespace walduct::incremental
