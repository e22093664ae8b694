#include "slot/world/reads/snapshot_rights.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/checks/read_rights.h"
#include "postgres/oid_text.h"
#include "snapshot/options.h"
#include "snapshot/plan.h"

namespace walduct::slot {
namespace {

using postgres::Connection;
using postgres::TableName;

// A foreign table below another table is read with it: by a server and a user mapping of its own.
constexpr absl::string_view kWithForeign = R"(
WITH RECURSIVE up(oid) AS (
  SELECT i.inhparent FROM pg_catalog.pg_inherits i
  JOIN pg_catalog.pg_class f ON f.oid = i.inhrelid AND f.relkind = 'f'
  UNION
  SELECT i.inhparent FROM up JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.oid)
SELECT oid FROM up WHERE oid = ANY ($1::pg_catalog.oid[]))";

std::string FullName(const TableName& table) {
  return absl::StrCat(table.schema, ".", table.table);
}

// What a statement says of itself, unless it only has to wait for a lock.
absl::Status Tried(Connection& connection, const absl::Status& tried, absl::string_view what) {
  RETURN_IF_ERROR(connection.Run("ROLLBACK"));
  if (tried.ok() || ErrorReason(tried) == "lock_timeout") return absl::OkStatus();
  if (!absl::IsPermissionDenied(tried) || ErrorReason(tried) == "row_security_hides_rows")
    return tried;
  ASSIGN_OR_RETURN(const postgres::Result role,
                   connection.Query(postgres::OneRow(1), "SELECT current_user"));
  return Error(tried.code(), "table_not_readable", tried.message(),
               absl::StrCat("grant the role ", postgres::QuoteIdentifier(role.Get(0, 0)),
                            " SELECT on what ", what, " reads, and USAGE on its schemas"));
}

absl::Status Begin(Connection& connection) {
  return connection.Run("BEGIN READ ONLY; SET LOCAL lock_timeout = 100");
}

absl::Status TryForeign(Connection& connection, const std::vector<TableName>& tables,
                        const event::WantedColumns& wanted) {
  const std::vector<Oid> oids = postgres::RelationsOf(tables);
  ASSIGN_OR_RETURN(const postgres::Result found,
                   connection.Query(postgres::Rows(1), kWithForeign, {postgres::OidArray(oids)}));
  std::set<Oid> foreign;
  for (int row = 0; row < found.rows(); ++row)
    foreign.insert(postgres::ParseOid(found.Get(row, 0)));
  for (const TableName& table : tables) {
    if (!foreign.contains(table.relation)) continue;
    postgres::Catalog catalog(connection);
    const absl::StatusOr<event::TableSchemaPtr> schema = catalog.Describe(table.relation);
    if (absl::IsNotFound(schema.status())) continue;
    RETURN_IF_ERROR(schema.status());
    const std::string select =
        snapshot::SelectStatement(**schema, event::ColumnsOf(wanted, **schema));
    RETURN_IF_ERROR(Begin(connection));
    const absl::Status tried = connection.Run(absl::StrCat(select, " LIMIT 0"));
    const absl::Status refused =
        Tried(connection, tried, absl::StrCat("a foreign partition of ", FullName(table)));
    if (!refused.ok())
      return WithContext(refused, absl::StrCat("snapshot of table ", FullName(table)));
  }
  return absl::OkStatus();
}

struct Override {
  TableName table;
  std::string statement;
};

// InvalidArgument override_without_columns. A table that is gone meanwhile has none to lack.
absl::Status CheckColumns(Connection& connection, const TableName& table,
                          const postgres::Result& tried) {
  postgres::Catalog catalog(connection);
  const absl::StatusOr<event::TableSchemaPtr> schema = catalog.Describe(table.relation);
  if (absl::IsNotFound(schema.status())) return absl::OkStatus();
  RETURN_IF_ERROR(schema.status());
  if ((*schema)->columns.empty()) return absl::OkStatus();
  return WithContext(snapshot::CheckOverrideColumns(**schema, tried),
                     absl::StrCat("snapshot of table ", FullName(table)));
}

absl::Status TryOverrides(const SnapshotRights& asked, const std::vector<Override>& overrides) {
  if (overrides.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto connection, asked.open());
  for (const auto& [table, statement] : overrides) {
    const std::string name = FullName(table);
    RETURN_IF_ERROR(Begin(*connection));
    const auto tried =
        snapshot::TryOverride(*connection, snapshot::OverrideStatement(statement), name);
    RETURN_IF_ERROR(Tried(*connection, tried.status(),
                          absl::StrCat("snapshot.select.statement.overrides.", name)));
    if (tried.ok()) RETURN_IF_ERROR(CheckColumns(asked.connection, table, *tried));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSnapshotRights(const SnapshotRights& asked) {
  std::vector<TableName> plain;
  std::vector<Override> overrides;
  for (const TableName& table : asked.tables) {
    const auto statement = asked.reading.select_overrides.find(FullName(table));
    if (statement == asked.reading.select_overrides.end()) {
      plain.push_back(table);
    } else {
      overrides.push_back({.table = table, .statement = statement->second});
    }
  }
  RETURN_IF_ERROR(postgres::CheckReadRights(asked.connection, plain, asked.wanted));
  RETURN_IF_ERROR(TryForeign(asked.connection, plain, asked.wanted));
  return TryOverrides(asked, overrides);
}

}  // namespace walduct::slot
