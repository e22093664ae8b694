#include "postgres/checks/money_check.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/connection_options.h"
#include "postgres/oid_text.h"

namespace walduct::postgres {
namespace {

constexpr absl::string_view kHundred = "0000000000000064";

// money, money[], and domains over them.
constexpr absl::string_view kMoneyColumn = R"(
WITH RECURSIVE money(oid) AS (
  SELECT 790::pg_catalog.oid
  UNION
  SELECT t.oid FROM money m JOIN pg_catalog.pg_type t ON m.oid IN (t.typbasetype, t.typelem)
)
SELECT pg_catalog.format('%s.%s.%s', n.nspname, c.relname, a.attname)
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.atttypid IN (SELECT oid FROM money) AND NOT a.attisdropped
ORDER BY 1)";

constexpr absl::string_view kOne =
    "SELECT pg_catalog.encode(pg_catalog.cash_send('1'::pg_catalog.money), 'hex'), "
    "pg_catalog.current_setting('lc_monetary')";

}  // namespace

absl::Status JudgeMoneyUnits(absl::string_view one, absl::string_view locale,
                             absl::string_view column) {
  if (one == kHundred) return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "money_units",
      absl::StrCat("column ", column, " is of type money, and lc_monetary=", locale,
                   " has a different number of decimal places than 2: amounts would be wrong"),
      "make the column numeric, or leave it out with column.exclude.list");
}

absl::Status CheckMoneyUnits(Connection& connection, const DatabaseOptions& database,
                             const std::vector<TableName>& tables,
                             absl::FunctionRef<bool(absl::string_view)> published) {
  const std::vector<Oid> oids = RelationsOf(tables);
  ASSIGN_OR_RETURN(const Result found, connection.Query(Rows(1), kMoneyColumn, {OidArray(oids)}));
  int row = 0;
  while (row < found.rows() && !published(found.Get(row, 0))) ++row;
  if (row == found.rows()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto session, Connection::Open({.database = database,
                                                         .kind = SessionKind::kSql,
                                                         .application_name = "walduct",
                                                         .keep_lc_monetary = true,
                                                         .environment = connection.environment()}));
  ASSIGN_OR_RETURN(const Result one, session->Query(OneRow(2), kOne));
  return JudgeMoneyUnits(one.Get(0, 0), one.Get(0, 1), found.Get(row, 0));
}

}  // namespace walduct::postgres
