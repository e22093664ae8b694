// What rows may hold that the catalog seems to rule out: NULL under NOT NULL, the same key twice.
// Declared in checks.h.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "base/status_macros.h"
#include "encode/options/column_options.h"
#include "encode/types/column_rules.h"
#include "operate/doctor/checks.h"
#include "postgres/connection.h"
#include "postgres/oid_text.h"
#include "slot/world/advice/key_advice.h"

namespace walduct::operate {
namespace {

// Reason, schema.table.column, the table and the column as SQL, a statement. Of a parent by
// INHERITS a snapshot reads the rows of its children, too.
constexpr absl::string_view kNulls = R"(
WITH columns AS (
  SELECT a.*, n.nspname, c.relname, a.attrelid::pg_catalog.regclass::text AS tab
  FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.attnum > 0 AND NOT a.attisdropped
), found AS (
  SELECT 'not_null_not_valid' AS reason, x.conrelid AS attrelid, x.conkey[1] AS attnum,
         pg_catalog.format('ALTER TABLE %s VALIDATE CONSTRAINT %I', x.conrelid::pg_catalog.regclass, x.conname) AS mend
  FROM pg_catalog.pg_constraint x
  WHERE x.conrelid = ANY ($1::pg_catalog.oid[]) AND x.contype = 'n' AND NOT x.convalidated
  UNION
  SELECT 'not_null_by_domain', a.attrelid, a.attnum, 'SET NOT NULL'
  FROM columns a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  WHERE t.typtype = 'd' AND t.typnotnull AND NOT a.attnotnull
  UNION
  SELECT 'not_null_not_inherited', a.attrelid, a.attnum,
         pg_catalog.format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', b.attrelid::pg_catalog.regclass, b.attname)
  FROM columns a
  JOIN pg_catalog.pg_inherits i ON i.inhparent = a.attrelid
  JOIN pg_catalog.pg_class ch ON ch.oid = i.inhrelid AND NOT ch.relispartition
  JOIN pg_catalog.pg_attribute b ON b.attrelid = ch.oid AND b.attname = a.attname
  WHERE a.attnotnull AND NOT b.attnotnull
)
SELECT f.reason, pg_catalog.concat(c.nspname, '.', c.relname, '.', c.attname), c.tab,
       pg_catalog.quote_ident(c.attname),
       CASE f.mend WHEN 'SET NOT NULL' THEN pg_catalog.format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', c.tab, c.attname)
       ELSE f.mend END
FROM found f JOIN columns c ON c.attrelid = f.attrelid AND c.attnum = f.attnum
ORDER BY 1, 3, c.attnum, 5)";

enum NullColumn { kReason, kFullName, kTable, kName, kMend };

struct NullTrap {
  absl::string_view reason;
  Severity severity;
  absl::string_view why;  // $0: the columns
};

constexpr NullTrap kNullTraps[] = {
    {"not_null_not_valid", Severity::kWarning,
     "NOT NULL of $0 is not valid: rows that were there before may hold NULL"},
    {"not_null_by_domain", Severity::kNotice,
     "NOT NULL of $0 is that of a domain alone, which an outer join or a subquery that finds "
     "nothing gets by"},
    {"not_null_not_inherited", Severity::kNotice,
     "NOT NULL of $0 does not hold for all tables that inherit from it, whose rows a snapshot "
     "reads as its own"},
};

void AddNulls(const NullTrap& trap, const std::string& table, const std::vector<std::string>& names,
              const std::vector<std::string>& mends, bool keeps, Findings* findings) {
  findings->Add(
      {.severity = keeps ? Severity::kNotice : trap.severity,
       .reason = std::string(trap.reason),
       .message = absl::StrCat(
           "table ", table, ": ", absl::Substitute(trap.why, absl::StrJoin(names, ", ")),
           keeps ? "; it is published as null, in a field that becomes optional"
                 : "; it is published as 0, an empty text or another value of the type, as "
                   "Debezium does"),
       .hint = absl::StrCat("give those rows a value, then ", absl::StrJoin(mends, "; "),
                            keeps ? "" : "; or set walduct.lost.values=keep, which writes null")});
}

absl::Status Nulls(postgres::Connection& connection, const std::vector<Oid>& captured,
                   const encode::ColumnOptions& columns, bool keep_lost, Findings* findings) {
  ASSIGN_OR_RETURN(const postgres::Result rows, connection.Query(postgres::Rows(kMend + 1), kNulls,
                                                                 {postgres::OidArray(captured)}));
  // By reason and table.
  struct Found {
    std::vector<std::string> names, mends;
  };
  std::map<std::pair<std::string, std::string>, Found> found;
  for (int row = 0; row < rows.rows(); ++row) {
    if (!encode::IsIncluded(columns, rows.Get(row, kFullName))) continue;
    Found& one = found[{std::string(rows.Get(row, kReason)), std::string(rows.Get(row, kTable))}];
    const std::string name(rows.Get(row, kName));
    if (one.names.empty() || one.names.back() != name) one.names.push_back(name);
    one.mends.emplace_back(rows.Get(row, kMend));
  }
  for (const auto& [key, one] : found) {
    for (const NullTrap& trap : kNullTraps) {
      if (trap.reason == key.first)
        AddNulls(trap, key.second, one.names, one.mends, keep_lost, findings);
    }
  }
  return absl::OkStatus();
}

}  // namespace

void CheckNulls(postgres::Connection& connection, const std::vector<Oid>& captured,
                const encode::ColumnOptions& columns, bool keep_lost, Findings* findings) {
  findings->Add(Nulls(connection, captured, columns, keep_lost, findings));
}

void CheckKeys(postgres::Connection& connection, postgres::Catalog& catalog, const Subject& subject,
               const std::vector<postgres::TableName>& captured, Findings* findings) {
  const auto all = slot::ListKeyAdvice(connection, catalog, captured, subject.message_keys);
  findings->Add(all.status());
  if (!all.ok()) return;
  for (const slot::KeyAdvice& advice : *all) {
    findings->Add({.severity = Severity::kWarning,
                   .reason = advice.reason,
                   .message = advice.message,
                   .hint = advice.hint});
  }
}

}  // namespace walduct::operate
