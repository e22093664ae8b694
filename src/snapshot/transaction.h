// The transaction a snapshot is read in: one view of the whole database for all tables. REPEATABLE
// READ on the snapshot that creating the slot exported, so that the stream continues exactly where
// the rows end; without one, a view of its own (the caller then streams from a position before it:
// rows may come twice, none is lost). Debezium reads the second kind READ COMMITTED, table by
// table; ours is consistent.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "snapshot/row_marker.h"

namespace walduct::snapshot {

struct TransactionOptions {
  // exported by the slot's creation, whose connection must stay open and idle; empty: none
  std::string snapshot_name;
  // No statement waits longer for a lock (snapshot.lock.timeout.ms).
  absl::Duration lock_timeout = absl::Seconds(10);
};

// Begins. The result's consistent_point is left for the caller to set. Takes a transaction id, as
// Debezium does for source.txId, except on a standby. On error no transaction is left open.
absl::StatusOr<SnapshotOrigin> BeginOnSnapshot(postgres::Connection& connection,
                                               const TransactionOptions& options);

// Another session on the view of `connection`, which is inside its transaction and no deeper, and
// stays there until the last worker has ended.
absl::StatusOr<std::string> ExportView(postgres::Connection& connection);
absl::Status JoinView(postgres::Connection& worker, const TransactionOptions& options);

// The oldest transaction that the view of the database does not see whole. PostgreSQL 13 and later.
absl::StatusOr<uint64_t> ReadOldestRunning(postgres::Connection& connection);

// ACCESS SHARE on each table until the end (snapshot.locking.mode=shared): nobody alters or drops
// them meanwhile.
absl::Status LockTables(postgres::Connection& connection,
                        const std::vector<postgres::TableName>& tables);

// Rolls back: a snapshot writes nothing. Harmless outside a transaction.
absl::Status EndSnapshot(postgres::Connection& connection);

// End of the WAL now: written on a primary, received on a standby.
absl::StatusOr<Lsn> ReadCurrentLsn(postgres::Connection& connection);

}  // namespace walduct::snapshot
