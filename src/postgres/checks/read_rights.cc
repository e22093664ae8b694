#include "postgres/checks/read_rights.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"

namespace walduct::postgres {
namespace {

// row_security_active knows about owners, FORCE ROW LEVEL SECURITY, superusers and BYPASSRLS.
constexpr absl::string_view kTables = R"(
SELECT c.oid, n.nspname, c.relname, current_user,
       pg_catalog.has_schema_privilege(n.oid, 'USAGE'),
       pg_catalog.has_table_privilege(c.oid, 'SELECT'),
       pg_catalog.row_security_active(c.oid)
FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY w(oid, position)
JOIN pg_catalog.pg_class c ON c.oid = w.oid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
ORDER BY w.position)";

enum TableField { kOid, kSchema, kTable, kRole, kUsage, kSelect, kRowSecurity };

constexpr absl::string_view kDenied = R"(
SELECT a.attrelid, a.attname
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND NOT a.attisdropped
  AND (a.attnum > 0 OR a.attname IN ('ctid', 'xmin'))
  AND NOT pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attrelid, a.attnum)";

constexpr absl::string_view kPlaces = R"(
SELECT c.oid FROM pg_catalog.pg_class c WHERE c.oid = ANY ($1::pg_catalog.oid[])
  AND pg_catalog.has_column_privilege(c.oid, 'ctid', 'SELECT')
  AND pg_catalog.has_column_privilege(c.oid, 'xmin', 'SELECT'))";

constexpr absl::string_view kLockRights = R"(
SELECT c.oid, pg_catalog.has_table_privilege(c.oid, 'SELECT'),
       pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c WHERE c.oid = ANY ($1::pg_catalog.oid[]))";

constexpr size_t kMaxListed = 50;

std::string Listed(const std::vector<std::string>& names, absl::string_view separator) {
  if (names.size() <= kMaxListed) return absl::StrJoin(names, separator);
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + kMaxListed, separator),
                      separator, "… and ", names.size() - kMaxListed, " more");
}

using Denied = std::map<Oid, std::set<std::string>>;

// Of tables that may not be read whole.
absl::StatusOr<Denied> FindDenied(Connection& connection, const Result& tables) {
  std::vector<Oid> partly;
  for (int row = 0; row < tables.rows(); ++row) {
    if (tables.Get(row, kSelect) == "f") partly.push_back(ParseOid(tables.Get(row, kOid)));
  }
  Denied denied;
  if (partly.empty()) return denied;
  ASSIGN_OR_RETURN(const Result result, connection.Query(Rows(2), kDenied, {OidArray(partly)}));
  for (int row = 0; row < result.rows(); ++row)
    denied[ParseOid(result.Get(row, 0))].emplace(result.Get(row, 1));
  return denied;
}

// What a table lacks: names of columns, quoted; `*`: all of them, or any.
absl::StatusOr<std::vector<std::string>> Lacking(Connection& connection, Oid relation,
                                                 const std::set<std::string>& denied,
                                                 const event::WantedColumns& wanted, bool places) {
  Catalog catalog(connection);
  const absl::StatusOr<event::TableSchemaPtr> schema = catalog.Describe(relation);
  std::vector<std::string> lacking;
  if (absl::IsNotFound(schema.status())) return lacking;
  RETURN_IF_ERROR(schema.status());
  const std::vector<event::Column>& all = (*schema)->columns;
  const std::vector<uint16_t> columns = event::ColumnsOf(wanted, **schema);
  for (const uint16_t column : columns) {
    if (denied.contains(all[column].name)) lacking.push_back(QuoteIdentifier(all[column].name));
  }
  const size_t denied_columns = denied.size() - denied.count("ctid") - denied.count("xmin");
  const bool nothing = denied_columns == all.size();
  // A table without columns is not read. Of a table none of whose columns is wanted rows are
  // counted, for which any column will do.
  const bool whole = nothing && columns.size() == all.size() && !all.empty();
  if (whole || (nothing && columns.empty() && !all.empty())) return std::vector<std::string>{"*"};
  if (!places) return lacking;
  for (const char* const one : {"ctid", "xmin"}) {
    if (denied.contains(one)) lacking.emplace_back(one);
  }
  return lacking;
}

struct Findings {
  std::vector<std::string> unreadable;
  std::vector<std::string> grants;
  std::vector<std::string> hidden;
  std::string role;
};

std::string GrantSelect(const std::vector<std::string>& columns, absl::string_view table,
                        absl::string_view role) {
  const bool whole = columns.front() == "*";
  return absl::StrCat("GRANT SELECT ", whole ? "" : "(", whole ? "" : absl::StrJoin(columns, ", "),
                      whole ? "" : ") ", "ON ", table, " TO ", role, ";");
}

absl::StatusOr<Findings> Examine(Connection& connection, const Result& result,
                                 const event::WantedColumns& wanted, bool places) {
  ASSIGN_OR_RETURN(const Denied denied, FindDenied(connection, result));
  Findings findings;
  std::set<std::string> schemas;
  for (int row = 0; row < result.rows(); ++row) {
    // Dropped while the question was answered.
    if (result.is_null(row, kUsage) || result.is_null(row, kSelect)) continue;
    const std::string table = QuoteQualified(result.Get(row, kSchema), result.Get(row, kTable));
    const std::string schema = QuoteIdentifier(result.Get(row, kSchema));
    findings.role = QuoteIdentifier(result.Get(row, kRole));
    const bool usage = result.Get(row, kUsage) == "t";
    std::vector<std::string> lacking;
    const Oid relation = ParseOid(result.Get(row, kOid));
    if (const auto found = denied.find(relation); found != denied.end()) {
      ASSIGN_OR_RETURN(lacking, Lacking(connection, relation, found->second, wanted, places));
    }
    if (!usage || !lacking.empty()) findings.unreadable.push_back(table);
    if (!usage && schemas.insert(schema).second) {
      findings.grants.push_back(
          absl::StrCat("GRANT USAGE ON SCHEMA ", schema, " TO ", findings.role, ";"));
    }
    if (!lacking.empty()) findings.grants.push_back(GrantSelect(lacking, table, findings.role));
    if (result.Get(row, kRowSecurity) == "t") findings.hidden.push_back(table);
  }
  return findings;
}

}  // namespace

absl::Status CheckReadRights(Connection& connection, const std::vector<TableName>& tables,
                             const event::WantedColumns& wanted, bool places) {
  const std::vector<Oid> oids = RelationsOf(tables);
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(Rows(kRowSecurity + 1), kTables, {OidArray(oids)}));
  ASSIGN_OR_RETURN(const Findings findings, Examine(connection, result, wanted, places));
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

absl::StatusOr<std::set<Oid>> FindReadablePlaces(Connection& connection,
                                                 const std::vector<Oid>& relations) {
  ASSIGN_OR_RETURN(const Result result, connection.Query(Rows(1), kPlaces, {OidArray(relations)}));
  std::set<Oid> readable;
  for (int row = 0; row < result.rows(); ++row) readable.insert(ParseOid(result.Get(row, 0)));
  return readable;
}

absl::StatusOr<std::map<Oid, LockRight>> FindLockRights(Connection& connection,
                                                        const std::vector<Oid>& relations) {
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(Rows(3), kLockRights, {OidArray(relations)}));
  std::map<Oid, LockRight> rights;
  for (int row = 0; row < result.rows(); ++row) {
    rights[ParseOid(result.Get(row, 0))] = result.Get(row, 1) == "t"   ? LockRight::kTable
                                           : result.Get(row, 2) == "t" ? LockRight::kColumns
                                                                       : LockRight::kNone;
  }
  return rights;
}

absl::Status LockByReading(Connection& connection, absl::string_view schema,
                           absl::string_view table) {
  return connection.Run(absl::StrCat("SELECT FROM ", QuoteQualified(schema, table), " LIMIT 0"));
}

}  // namespace walduct::postgres
