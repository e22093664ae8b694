// May this role read every row of the tables of a snapshot? Declared in server_check.h.
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "postgres/server_check.h"

namespace walduct::postgres {
namespace {

// Column grants count as SELECT: a role that may not read some columns can still capture the
// others. row_security_active knows about owners, FORCE ROW LEVEL SECURITY, superusers and
// BYPASSRLS.
constexpr absl::string_view kPrivileges = R"(
SELECT n.nspname, c.relname, current_user,
       pg_catalog.has_schema_privilege(n.oid, 'USAGE'),
       pg_catalog.has_any_column_privilege(c.oid, 'SELECT') OR pg_catalog.has_table_privilege(c.oid, 'SELECT'),
       pg_catalog.row_security_active(c.oid)
FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY w(oid, position)
JOIN pg_catalog.pg_class c ON c.oid = w.oid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
ORDER BY w.position)";

enum PrivilegeColumn { kSchema, kTable, kRole, kUsage, kSelect, kRowSecurity };

constexpr size_t kMaxListed = 50;

std::string Listed(const std::vector<std::string>& names, absl::string_view separator) {
  if (names.size() <= kMaxListed) return absl::StrJoin(names, separator);
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + kMaxListed, separator),
                      separator, "… and ", names.size() - kMaxListed, " more");
}

struct Findings {
  std::vector<std::string> unreadable;
  std::vector<std::string> grants;
  std::vector<std::string> hidden;
  std::string role;
};

Findings Examine(const Result& result) {
  Findings findings;
  std::set<std::string> schemas;
  for (int row = 0; row < result.rows(); ++row) {
    // Dropped while the question was answered.
    if (result.is_null(row, kUsage) || result.is_null(row, kSelect)) continue;
    const std::string table = QuoteQualified(result.Get(row, kSchema), result.Get(row, kTable));
    const std::string schema = QuoteIdentifier(result.Get(row, kSchema));
    findings.role = QuoteIdentifier(result.Get(row, kRole));
    const bool usage = result.Get(row, kUsage) == "t";
    const bool select = result.Get(row, kSelect) == "t";
    if (!usage || !select) findings.unreadable.push_back(table);
    if (!usage && schemas.insert(schema).second) {
      findings.grants.push_back(
          absl::StrCat("GRANT USAGE ON SCHEMA ", schema, " TO ", findings.role, ";"));
    }
    if (!select)
      findings.grants.push_back(
          absl::StrCat("GRANT SELECT ON ", table, " TO ", findings.role, ";"));
    if (result.Get(row, kRowSecurity) == "t") findings.hidden.push_back(table);
  }
  return findings;
}

}  // namespace

absl::Status CheckSnapshotPrivileges(Connection& connection, const std::vector<TableName>& tables) {
  std::vector<Oid> oids;
  for (const TableName& table : tables) oids.push_back(table.relation);
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(Rows(kRowSecurity + 1), kPrivileges, {OidArray(oids)}));
  const Findings findings = Examine(result);
  if (!findings.unreadable.empty()) {
    return Error(absl::StatusCode::kPermissionDenied, "table_not_readable",
                 absl::StrCat("the role ", findings.role, " may not read ",
                              Listed(findings.unreadable, ", ")),
                 Listed(findings.grants, " "));
  }
  if (!findings.hidden.empty()) {
    return Error(
        absl::StatusCode::kPermissionDenied, "row_security_hides_rows",
        absl::StrCat(
            "row-level security would hide rows from the snapshot, but not from the stream, of ",
            Listed(findings.hidden, ", ")),
        absl::StrCat("ALTER ROLE ", findings.role, " BYPASSRLS; or exclude these tables"));
  }
  return absl::OkStatus();
}

}  // namespace walduct::postgres
