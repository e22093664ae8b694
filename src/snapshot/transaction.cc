#include "snapshot/transaction.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/checks/read_rights.h"
#include "snapshot/dropped_table.h"

namespace walduct::snapshot {
namespace {

constexpr int kNoticesDeadClient = 140000;
constexpr absl::string_view kBegin = "BEGIN ISOLATION LEVEL REPEATABLE READ";
// extract() is a double before 14: microseconds survive it until the year 2255.
constexpr absl::string_view kFacts =
    "SELECT pg_catalog.pg_is_in_recovery(), (extract(epoch FROM CURRENT_TIMESTAMP) * "
    "1000000)::pg_catalog.int8";
constexpr absl::string_view kXid = "SELECT pg_catalog.pg_current_xact_id()";
constexpr absl::string_view kXidBefore13 = "SELECT pg_catalog.txid_current()";
// A standby that replays archived files receives nothing.
constexpr absl::string_view kCurrentLsn =
    "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() "
    "THEN coalesce(pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn()) "
    "ELSE pg_catalog.pg_current_wal_lsn() END";

absl::Status Execute(postgres::Connection& connection, absl::string_view sql) {
  return connection.Run(sql);
}

absl::StatusOr<SnapshotOrigin> ReadOrigin(postgres::Connection& connection) {
  SnapshotOrigin origin;
  ASSIGN_OR_RETURN(const postgres::Result facts, connection.Query(postgres::Rows(2), kFacts));
  if (facts.rows() != 1 || !absl::SimpleAtoi(facts.Get(0, 1), &origin.time_us)) {
    return Error(absl::StatusCode::kDataLoss, "unexpected_answer",
                 "the server did not return its time");
  }
  if (facts.Get(0, 0) == "t") return origin;
  const bool has_xact_id = connection.server_version() >= 130000;
  ASSIGN_OR_RETURN(const postgres::Result answer,
                   connection.Query(postgres::Rows(1), has_xact_id ? kXid : kXidBefore13));
  uint64_t xid = 0;
  if (answer.rows() != 1 || !absl::SimpleAtoi(answer.Get(0, 0), &xid)) {
    return Error(absl::StatusCode::kDataLoss, "unexpected_answer",
                 "the server did not return the transaction's id");
  }
  origin.xid = xid;
  return origin;
}

absl::Status Begin(postgres::Connection& connection) {
  // A COPY whose reader has died would otherwise run on until it has something to write. A server
  // on a platform that cannot find out refuses it.
  if (connection.server_version() >= kNoticesDeadClient)
    connection.Set("client_connection_check_interval", "10s").IgnoreError();
  return Execute(connection, kBegin);
}

absl::Status Adopt(postgres::Connection& connection, const TransactionOptions& options) {
  // Must come before any query of the transaction.
  if (!options.snapshot_name.empty()) {
    const absl::Status adopted = Execute(
        connection,
        absl::StrCat("SET TRANSACTION SNAPSHOT ", postgres::QuoteLiteral(options.snapshot_name)));
    if (!adopted.ok())
      return WithContext(adopted, "the snapshot exported with the replication slot");
  }
  // 0 would wait without a bound.
  const int64_t timeout_ms = std::max<int64_t>(1, absl::ToInt64Milliseconds(options.lock_timeout));
  return Execute(connection, absl::StrCat("SET LOCAL lock_timeout = ", timeout_ms));
}

// The view is there already: both ways come behind it. Of a table none of whose columns may be read
// an override reads something else.
absl::Status LockTable(postgres::Connection& connection, const postgres::TableName& table,
                       postgres::LockRight right) {
  switch (right) {
    case postgres::LockRight::kTable:
      return Execute(connection, absl::StrCat("LOCK TABLE ",
                                              postgres::QuoteQualified(table.schema, table.table),
                                              " IN ACCESS SHARE MODE"));
    case postgres::LockRight::kColumns:
      return postgres::LockByReading(connection, table.schema, table.table);
    case postgres::LockRight::kNone:
      break;
  }
  return absl::OkStatus();
}

absl::StatusOr<SnapshotOrigin> Prepare(postgres::Connection& connection,
                                       const TransactionOptions& options) {
  RETURN_IF_ERROR(Adopt(connection, options));
  return ReadOrigin(connection);
}

}  // namespace

absl::StatusOr<SnapshotOrigin> BeginOnSnapshot(postgres::Connection& connection,
                                               const TransactionOptions& options) {
  RETURN_IF_ERROR(Begin(connection));
  absl::StatusOr<SnapshotOrigin> origin = Prepare(connection, options);
  // The first error is the one to tell; a connection that cannot roll back is closed by its owner.
  if (!origin.ok()) EndSnapshot(connection).IgnoreError();
  return origin;
}

absl::StatusOr<uint64_t> ReadOldestRunning(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(1),
                                    "SELECT pg_catalog.pg_snapshot_xmin("
                                    "pg_catalog.pg_current_snapshot())"));
  uint64_t xid = 0;
  if (result.rows() == 1 && absl::SimpleAtoi(result.Get(0, 0), &xid)) return xid;
  return Error(absl::StatusCode::kDataLoss, "unexpected_answer",
               "the server did not return its oldest transaction");
}

absl::StatusOr<std::string> ExportView(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::OneRow(1), "SELECT pg_catalog.pg_export_snapshot()"));
  return std::string(result.Get(0, 0));
}

absl::Status JoinView(postgres::Connection& worker, const TransactionOptions& options) {
  RETURN_IF_ERROR(Begin(worker));
  return Adopt(worker, options);
}

absl::Status LockTables(postgres::Connection& connection,
                        const std::vector<postgres::TableName>& tables) {
  const std::vector<Oid> relations = postgres::RelationsOf(tables);
  ASSIGN_OR_RETURN(auto rights, postgres::FindLockRights(connection, relations));
  for (const postgres::TableName& table : tables) {
    RETURN_IF_ERROR(SetSavepoint(connection));
    absl::Status locked = LockTable(connection, table, rights[table.relation]);
    if (!locked.ok()) locked = GoOnWithout(connection, table, locked);
    if (!locked.ok())
      return WithContext(locked, absl::StrCat("locking ", table.schema, ".", table.table));
    RETURN_IF_ERROR(ReleaseSavepoint(connection));
  }
  return absl::OkStatus();
}

absl::Status EndSnapshot(postgres::Connection& connection) {
  return Execute(connection, "ROLLBACK");
}

absl::StatusOr<Lsn> ReadCurrentLsn(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const postgres::Result result, connection.Query(postgres::Rows(1), kCurrentLsn));
  if (result.rows() != 1) {
    return Error(absl::StatusCode::kDataLoss, "unexpected_answer",
                 "the server did not return its WAL position");
  }
  return Lsn::Parse(result.Get(0, 0));
}

}  // namespace walduct::snapshot
