#include "poll/rows/partition_sql.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "postgres/connection.h"

namespace walduct::poll {
namespace {

// A bound that is not a time is ignored.
constexpr absl::string_view kPast = R"(
SELECT leaf.oid, leaf.name FROM (
  SELECT c.oid, pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) AS name,
         substring(pg_catalog.pg_get_expr(c.relpartbound, c.oid)
                   from '^FOR VALUES FROM \([^,]*\) TO \(''(\d{4,}-\d\d-\d\d[^'',]*)''\)$') AS upper_bound
  FROM pg_catalog.pg_partition_tree({{root}}) t JOIN pg_catalog.pg_class c ON c.oid = t.relid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE t.isleaf AND c.relkind = 'r' AND c.relispartition) leaf
WHERE leaf.upper_bound::timestamptz <= now() - {{retention}} * interval '1 ms'
ORDER BY leaf.upper_bound::timestamptz)";

// It may have been detached, or have got the name of another table, until the lock was there. Rows
// that a policy hides would be lost: then it is an error.
constexpr absl::string_view kDrop = R"(
BEGIN
  PERFORM pg_catalog.set_config('lock_timeout', '100ms', true), pg_catalog.set_config('row_security', 'off', true);
  LOCK TABLE ONLY {{name}} IN SHARE MODE;
  IF {{literal}}::pg_catalog.regclass = {{oid}}::pg_catalog.oid
     AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = {{oid}}
                 AND coalesce(pg_catalog.to_jsonb(i) ->> 'inhdetachpending', 'false') = 'false')
     AND NOT EXISTS (SELECT FROM ONLY {{name}} o WHERE {{left}}) THEN
    DROP TABLE {{name}};
  END IF;
END)";

// Rows that nobody has published, or that somebody has given up, are not for us to drop.
std::string LeftSql(const OutboxTable& table, absl::string_view seen) {
  const Layout& layout = table.layout;
  const auto of = [&](absl::string_view text) { return Qualify(text, "o", table.columns); };
  if (!layout.xact.empty()) {
    const std::string snapshot =
        absl::StrCat(postgres::QuoteLiteral(seen), "::pg_catalog.pg_snapshot");
    return absl::StrCat(of(layout.xact), " >= pg_catalog.pg_snapshot_xmin(", snapshot,
                        ") AND NOT pg_catalog.pg_visible_in_snapshot(", of(layout.xact), ", ",
                        snapshot, ")");
  }
  // What is published is gone.
  if (layout.mark.empty() || !table.archive.empty()) return "true";
  std::string left = of(layout.open);
  if (!absl::EndsWith(layout.open, " IS NULL")) left = absl::StrCat("(", left, ") IS NOT FALSE");
  return layout.aside.empty() ? left : absl::StrCat(left, " OR ", of(layout.aside));
}

}  // namespace

std::string PastPartitionsSql(const OutboxTable& table, absl::Duration retention) {
  return absl::StrReplaceAll(
      kPast, {{"{{root}}", absl::StrCat(ToInteger(table.relation))},
              {"{{retention}}", absl::StrCat(absl::ToInt64Milliseconds(retention))}});
}

std::string DropSql(const OutboxTable& table, const Partition& partition, absl::string_view seen) {
  return absl::StrCat("DO ", postgres::QuoteLiteral(absl::StrReplaceAll(
                                 kDrop, {{"{{name}}", partition.name},
                                         {"{{literal}}", postgres::QuoteLiteral(partition.name)},
                                         {"{{oid}}", partition.oid},
                                         {"{{left}}", LeftSql(table, seen)}})));
}

std::string IsThereSql(const Partition& partition) {
  return absl::StrCat("SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = ", partition.oid,
                      ")");
}

}  // namespace walduct::poll
