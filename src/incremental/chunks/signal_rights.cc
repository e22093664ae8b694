#include "incremental/chunks/signal_rights.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::incremental {
namespace {

constexpr absl::string_view kRights = R"(
SELECT current_user, pg_catalog.has_schema_privilege(n.oid, 'USAGE'),
  (SELECT pg_catalog.bool_and(pg_catalog.has_column_privilege(c.oid, f.attnum, 'INSERT'))
   FROM (SELECT a.attnum FROM pg_catalog.pg_attribute a
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         ORDER BY a.attnum LIMIT 3) f),
  pg_catalog.has_table_privilege(c.oid, 'DELETE'),
  NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = c.oid AND a.attname = 'id' AND NOT a.attisdropped
                AND NOT pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT'))
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p'))";

enum Field { kRole, kUsage, kInsert, kDelete, kSelect, kFields };

}  // namespace

absl::Status CheckSignalRights(postgres::Connection& connection, absl::string_view schema,
                               absl::string_view table, bool deletes) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(kFields), kRights,
                                    {std::string(schema), std::string(table)}));
  if (result.rows() != 1) return absl::OkStatus();
  const auto lacks = [&](int field) { return result.Get(0, field) == "f"; };
  std::vector<std::string> rights;
  if (lacks(kInsert)) rights.emplace_back("INSERT");
  if (deletes && lacks(kDelete)) rights.emplace_back("DELETE");
  if (deletes && lacks(kSelect)) rights.emplace_back("SELECT (\"id\")");
  const std::string role = postgres::QuoteIdentifier(result.Get(0, kRole));
  const std::string name = postgres::QuoteQualified(schema, table);
  std::vector<std::string> grants;
  if (lacks(kUsage)) {
    grants.push_back(absl::StrCat("GRANT USAGE ON SCHEMA ", postgres::QuoteIdentifier(schema),
                                  " TO ", role, ";"));
  }
  if (!rights.empty()) {
    grants.push_back(
        absl::StrCat("GRANT ", absl::StrJoin(rights, ", "), " ON ", name, " TO ", role, ";"));
  }
  if (grants.empty()) return absl::OkStatus();
  return Error(absl::StatusCode::kPermissionDenied, "signal_table_not_writable",
               absl::StrCat("the role ", role,
                            " may not write the marks of incremental snapshots "
                            "into ",
                            name),
               absl::StrJoin(grants, " "));
}

absl::Status WarnOfSignalRights(postgres::Connection& connection, absl::string_view schema,
                                absl::string_view table, bool deletes) {
  const absl::Status missing = CheckSignalRights(connection, schema, table, deletes);
  if (!absl::IsPermissionDenied(missing)) return missing;
  log::Warn(missing.message(), {{"reason", ErrorReason(missing)}, {"hint", ErrorHint(missing)}});
  return absl::OkStatus();
}

}  // namespace walduct::incremental
