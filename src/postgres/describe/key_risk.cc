#include "postgres/describe/key_risk.h"

#include "absl/strings/substitute.h"

namespace walduct::postgres {
namespace {

constexpr int kVersionWithCovering = 110000;
constexpr int kVersionWithNullsAlike = 150000;

// A primary key leaves no rows out and has no NULL, but it may be deferrable. NOT NULL says nothing
// while its constraint is not valid, as PostgreSQL 18 has them, and a domain's does not hold for
// what was computed.
constexpr absl::string_view kWhy = R"(
(SELECT CASE WHEN w.why = '' THEN '' ELSE pg_catalog.concat(
          CASE WHEN k.indisprimary THEN 'primary key ' ELSE 'unique index ' END,
          pg_catalog.quote_ident(k.relname), ' (', w.why, ')') END
 FROM (SELECT pg_catalog.concat_ws(', ',
         CASE WHEN k.indpred IS NOT NULL THEN 'its WHERE leaves rows out' END,
         CASE WHEN NOT k.indisprimary AND NOT $1 THEN
           (SELECT 'NULL is allowed in ' || pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ' and ' ORDER BY a.attnum)
            FROM pg_catalog.pg_attribute a
            WHERE a.attrelid = k.indrelid
              AND a.attnum = ANY ((k.indkey::pg_catalog.int2[])[0:k.$0 - 1])
              AND (NOT a.attnotnull OR EXISTS (
                SELECT FROM pg_catalog.pg_constraint x
                WHERE x.conrelid = a.attrelid AND x.contype = 'n' AND NOT x.convalidated
                  AND a.attnum = ANY (x.conkey)))) END,
         CASE WHEN NOT k.indimmediate THEN 'it is checked at the end of a transaction' END) AS why) w))";

}  // namespace

absl::string_view KeyColumnCount(int server_version) {
  return server_version >= kVersionWithCovering ? "indnkeyatts" : "indnatts";
}

std::string KeyRiskSql(int server_version) {
  return absl::Substitute(
      kWhy, KeyColumnCount(server_version),
      server_version >= kVersionWithNullsAlike ? "k.indnullsnotdistinct" : "false");
}

}  // namespace walduct::postgres
