#include "replication/gone_relations.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kEnd =
    "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn() "
    "ELSE pg_catalog.pg_current_wal_insert_lsn() END";

// The transaction id of the stream has 32 bits, and is at most 2^31 before the newest. The end of
// the WAL is read row by row, and so after the snapshot that shows what is gone.
constexpr absl::string_view kGone = R"(
SELECT w.oid, CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()
              ELSE pg_catalog.pg_current_wal_insert_lsn() END
FROM (SELECT shot, pg_catalog.txid_snapshot_xmax(shot) AS newest
      FROM (SELECT pg_catalog.txid_current_snapshot() AS shot) a) s
CROSS JOIN ROWS FROM (pg_catalog.unnest($1::pg_catalog.oid[]),
                      pg_catalog.unnest($2::pg_catalog.int8[])) w(oid, xid)
CROSS JOIN LATERAL (SELECT (newest >> 32 << 32) | w.xid AS id) i
WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class c WHERE c.oid = w.oid)
  AND pg_catalog.txid_visible_in_snapshot(
        CASE WHEN id > newest + 2147483648 THEN GREATEST(id - 4294967296, 0) ELSE id END, shot))";

}  // namespace

absl::StatusOr<Lsn> ReadWalEnd(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const postgres::Result result, connection.Query(postgres::OneRow(1), kEnd));
  return Lsn::Parse(result.Get(0, 0));
}

absl::StatusOr<GoneRelations> FindGoneRelations(postgres::Connection& connection,
                                                const std::vector<ToldRelation>& told) {
  std::vector<Oid> oids;
  std::string transactions;
  for (const ToldRelation& one : told) {
    oids.push_back(one.relation);
    absl::StrAppend(&transactions, transactions.empty() ? "{" : ",", one.transaction);
  }
  if (oids.empty()) return GoneRelations();
  absl::StrAppend(&transactions, "}");
  ASSIGN_OR_RETURN(
      const postgres::Result result,
      connection.Query(postgres::Rows(2), kGone, {postgres::OidArray(oids), transactions}));
  GoneRelations found;
  for (int row = 0; row < result.rows(); ++row)
    found.gone.push_back(postgres::ParseOid(result.Get(row, 0)));
  if (found.gone.empty()) return found;
  ASSIGN_OR_RETURN(found.end, Lsn::Parse(result.Get(0, 1)));
  return found;
}

}  // namespace walduct::replication
