#include "incremental/chunks/transaction_view.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"

namespace walduct::incremental {

// "xmin:xmax:xid,xid"
absl::Status ReadView(postgres::Connection& connection, TransactionView* view) {
  const bool has_snapshot = connection.server_version() >= 130000;
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::OneRow(1),
                                    has_snapshot ? "SELECT pg_catalog.pg_current_snapshot()"
                                                 : "SELECT pg_catalog.txid_current_snapshot()"));
  const std::vector<absl::string_view> parts = absl::StrSplit(result.Get(0, 0), ':');
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[1], &view->next_xid)) return absl::OkStatus();
  if (!absl::SimpleAtoi(parts[0], &view->oldest)) view->oldest = 0;
  for (const absl::string_view text : absl::StrSplit(parts[2], ',', absl::SkipEmpty())) {
    uint64_t xid = 0;
    if (absl::SimpleAtoi(text, &xid)) view->running.push_back(xid);
  }
  return absl::OkStatus();
}

// What writes keeps more than the two weakest locks to the end of its transaction. Locks are looked
// at behind the statement's own snapshot: who had written before a transaction that is over in it
// is over, or is found.
absl::Status ReadQuiet(postgres::Connection& connection, const TableId& table,
                       TransactionView* view) {
  constexpr absl::string_view kQuiet = R"(
WITH RECURSIVE one(oid) AS (
  SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p')),
below(oid) AS (
  SELECT oid FROM one
  UNION SELECT i.inhrelid FROM below b JOIN pg_catalog.pg_inherits i ON i.inhparent = b.oid)
SELECT o.oid, pg_catalog.txid_snapshot_xmin(pg_catalog.txid_current_snapshot()) FROM one o
WHERE NOT pg_catalog.pg_is_in_recovery() AND NOT EXISTS (
  SELECT FROM pg_catalog.pg_locks l
  WHERE l.locktype = 'relation' AND l.granted AND l.relation IN (SELECT oid FROM below)
    AND l.mode NOT IN ('AccessShareLock', 'RowShareLock', 'ShareUpdateExclusiveLock', 'SIReadLock')
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d
                      WHERE d.datname = pg_catalog.current_database())))";
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(2), kQuiet, {table.schema, table.table}));
  if (result.rows() == 0 || !absl::SimpleAtoi(result.Get(0, 1), &view->quiet_oldest))
    return absl::OkStatus();
  view->quiet = postgres::ParseOid(result.Get(0, 0));
  return absl::OkStatus();
}

absl::string_view HintOfHeld(const TransactionView& view) {
  if (view.HiddenHeld() == 0 || !view.held.unknown)
    return "see whether a synchronous standby holds up commits";
  return "see whether a synchronous standby holds up commits; with GRANT pg_read_all_stats to the "
         "connector's role, transactions that are only open are not waited for";
}

}  // namespace walduct::incremental
