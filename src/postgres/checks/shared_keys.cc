#include "postgres/checks/shared_keys.h"

#include "absl/strings/substitute.h"
#include "base/status_macros.h"
#include "postgres/describe/key_risk.h"
#include "postgres/oid_text.h"

namespace walduct::postgres {
namespace {

// What has an ordinary primary key is not looked at: most tables have one, and this takes the
// server a tenth of the time.
constexpr absl::string_view kAnyOther = R"(
SELECT EXISTS (
  SELECT FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
  JOIN pg_catalog.pg_index i ON i.indrelid = w.oid AND i.indisunique
  WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_index p
                    WHERE p.indrelid = w.oid AND p.indisprimary AND p.indimmediate)))";

// The choice is that of postgres/describe/relation_reader.cc.
constexpr absl::string_view kSharedKeys = R"(
WITH candidates AS (
  SELECT i.*, ic.relname,
         (i.indkey::pg_catalog.int2[])[0:CASE WHEN i.indisprimary THEN i.$0 ELSE i.indnatts END - 1] AS attnums
  FROM pg_catalog.unnest($$1::pg_catalog.oid[]) w(oid)
  JOIN pg_catalog.pg_index i ON i.indrelid = w.oid
  JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid
  WHERE i.indisunique
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_index p
                    WHERE p.indrelid = i.indrelid AND p.indisprimary AND p.indimmediate)
), usable AS (
  SELECT k.*, $1 AS risk FROM candidates k
  WHERE k.indisprimary OR (k.indisvalid AND NOT 0 = ANY (k.attnums))
), chosen AS (
  SELECT DISTINCT ON (u.indrelid) u.indrelid, u.risk FROM usable u
  ORDER BY u.indrelid, u.indisprimary DESC, u.indisclustered DESC, u.relname::pg_catalog.text COLLATE "C"
), told AS (
  SELECT c.indrelid, c.risk, true AS is_key FROM chosen c WHERE c.risk <> ''
  UNION ALL
  SELECT i.indrelid, pg_catalog.min(pg_catalog.quote_ident(i.relname)), false FROM candidates i
  WHERE NOT i.indisvalid AND NOT 0 = ANY (i.attnums)
    AND NOT EXISTS (SELECT FROM usable u WHERE u.indrelid = i.indrelid)
  GROUP BY i.indrelid
)
SELECT t.indrelid, n.nspname, c.relname, t.risk, t.is_key,
       (SELECT pg_catalog.string_agg(a.attname, ',' ORDER BY x.position)
        FROM (SELECT u.* FROM usable u WHERE u.indrelid = t.indrelid AND u.risk = ''
              ORDER BY u.relname::pg_catalog.text COLLATE "C" LIMIT 1) b
        CROSS JOIN LATERAL pg_catalog.unnest(b.attnums) WITH ORDINALITY x(attnum, position)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = b.indrelid AND a.attnum = x.attnum)
FROM told t
JOIN pg_catalog.pg_class c ON c.oid = t.indrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
ORDER BY n.nspname, c.relname)";

enum Column { kRelation, kSchema, kTable, kRisk, kIsKey, kBetter };

}  // namespace

absl::StatusOr<std::vector<SharedKey>> FindSharedKeys(Connection& connection,
                                                      const std::vector<Oid>& relations) {
  ASSIGN_OR_RETURN(const Result others,
                   connection.Query(OneRow(1), kAnyOther, {OidArray(relations)}));
  if (others.Get(0, 0) != "t") return std::vector<SharedKey>();
  const int version = connection.server_version();
  ASSIGN_OR_RETURN(
      const Result result,
      connection.Query(Rows(kBetter + 1),
                       absl::Substitute(kSharedKeys, KeyColumnCount(version), KeyRiskSql(version)),
                       {OidArray(relations)}));
  std::vector<SharedKey> found;
  for (int row = 0; row < result.rows(); ++row) {
    found.push_back({.relation = ParseOid(result.Get(row, kRelation)),
                     .schema = std::string(result.Get(row, kSchema)),
                     .table = std::string(result.Get(row, kTable)),
                     .risk = std::string(result.Get(row, kRisk)),
                     .is_key = result.Get(row, kIsKey) == "t",
                     .better = std::string(result.Get(row, kBetter))});
  }
  return found;
}

}  // namespace walduct::postgres
