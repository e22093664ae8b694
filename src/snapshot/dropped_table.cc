#include "snapshot/dropped_table.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::snapshot {
namespace {

constexpr absl::string_view kSet = "SAVEPOINT walduct";
constexpr absl::string_view kRelease = "RELEASE SAVEPOINT walduct";
constexpr absl::string_view kRollBack = "ROLLBACK TO SAVEPOINT walduct";

// Asked of the server's present state: a query of pg_class would see the snapshot's. The first is
// NULL when there is no such table.
constexpr absl::string_view kNow =
    "SELECT pg_catalog.has_table_privilege($1::pg_catalog.oid, 'SELECT') IS NOT NULL, "
    "pg_catalog.to_regclass($2)::pg_catalog.oid IS NOT DISTINCT FROM $1::pg_catalog.oid";

}  // namespace

absl::Status SetSavepoint(postgres::Connection& connection) { return connection.Run(kSet); }

absl::Status ReleaseSavepoint(postgres::Connection& connection) { return connection.Run(kRelease); }

absl::Status GoOnWithout(postgres::Connection& connection, const postgres::TableName& table,
                         const absl::Status& error) {
  const std::string name = absl::StrCat(table.schema, ".", table.table);
  // A session that is broken has nothing to go on with.
  if (!connection.Run(kRollBack).ok()) return error;
  ASSIGN_OR_RETURN(const postgres::Result now,
                   connection.Query(postgres::OneRow(2), kNow,
                                    {absl::StrCat(ToInteger(table.relation)),
                                     postgres::QuoteQualified(table.schema, table.table)}));
  const bool exists = now.Get(0, 0) == "t";
  const bool same_name = now.Get(0, 1) == "t";
  if (exists && same_name) return error;
  if (exists) {
    return Error(absl::StatusCode::kUnavailable, "table_renamed",
                 absl::StrCat("table ", name,
                              " has another name or schema since the snapshot was "
                              "planned"),
                 "");
  }
  log::Warn("the table was dropped before the snapshot could read it; the snapshot goes on without",
            {{"table", name}});
  return absl::OkStatus();
}

}  // namespace walduct::snapshot
