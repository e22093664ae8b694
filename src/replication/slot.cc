#include "replication/slot.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/server_check.h"
#include "replication/options.h"
#include "replication/start_command.h"

namespace walduct::replication {
namespace {

// A new slot waits for every transaction that has an xid, of any database (snapbuild.c waits for
// xl_running_xacts).
// Of a session of another role the server does not tell since when, but to pg_read_all_stats.
constexpr absl::string_view kBlockers = R"(
SELECT pg_catalog.format('pid %s (database %s, role %s, application "%s"%s)', a.pid, a.datname, a.usename,
                         a.application_name,
                         pg_catalog.to_char(a.xact_start, '", since "YYYY-MM-DD HH24:MI:SSOF'))
FROM pg_catalog.pg_stat_activity a
WHERE a.backend_xid IS NOT NULL AND a.pid <> pg_catalog.pg_backend_pid()
UNION ALL
SELECT pg_catalog.format('prepared transaction "%s" (database %s, role %s, since %s)', p.gid, p.database, p.owner,
                         pg_catalog.date_trunc('second', p.prepared))
FROM pg_catalog.pg_prepared_xacts p
LIMIT 10)";

// Who has logged in may replicate; the role that it has become (ALTER ROLE … SET role) need not.
// One message is one transaction.
constexpr absl::string_view kDrop =
    "SET LOCAL ROLE NONE; SELECT pg_catalog.pg_drop_replication_slot(";
// The walsender of a connection just closed may hold the slot for a moment.
constexpr absl::string_view kPause = "SELECT pg_catalog.pg_sleep(0.2)";
constexpr int kDropAttempts = 15;

std::string Blockers(postgres::Connection& sql) {
  const auto result = sql.Query(postgres::Rows(1), kBlockers);
  if (!result.ok()) return "";
  std::vector<std::string> blockers;
  for (int row = 0; row < result->rows(); ++row) blockers.emplace_back(result->Get(row, 0));
  return absl::StrJoin(blockers, ", ");
}

absl::Status CreationBlocked(postgres::Connection& sql, const ReplicationOptions& options,
                             bool in_recovery) {
  const std::string blockers = Blockers(sql);
  return Error(absl::StatusCode::kDeadlineExceeded, "slot_creation_blocked",
               absl::StrCat("replication slot ", postgres::QuoteIdentifier(options.slot_name),
                            " could not be created within ",
                            absl::FormatDuration(options.create_slot_timeout),
                            ": the server waits for in-progress transactions to end",
                            blockers.empty() ? "" : ": ", blockers),
               in_recovery ? "on the primary: SELECT pg_log_standby_snapshot()"
                           : "end them (COMMIT, ROLLBACK, ROLLBACK PREPARED, or "
                             "pg_terminate_backend(PID)), or raise "
                             "internal.create.slot.command.timeout");
}

void WarnOfBlockers(postgres::Connection& sql, const TellBlockers& tell) {
  const std::string blockers = Blockers(sql);
  if (blockers.empty()) return;
  log::Warn("the new replication slot waits for transactions to end", {{"transactions", blockers}});
  if (tell) tell(blockers);
}

absl::StatusOr<CreatedSlot> ReadCreated(const postgres::Result& result) {
  CreatedSlot created;
  ASSIGN_OR_RETURN(created.consistent_point, Lsn::Parse(result.Get(0, 1)));
  created.snapshot_name = std::string(result.Get(0, 2));
  return created;
}

}  // namespace

absl::StatusOr<CreatedSlot> CreateSlot(postgres::Connection& replication, postgres::Connection& sql,
                                       const ReplicationOptions& options,
                                       const postgres::StopCheck& stopping,
                                       const TellBlockers& tell) {
  ASSIGN_OR_RETURN(const bool in_recovery, postgres::IsInRecovery(sql));
  if (options.failover_slot && (sql.server_version() < 170000 || in_recovery)) {
    log::Warn("slot.failover has no effect: it needs PostgreSQL 17 or newer and a primary server");
  }
  WarnOfBlockers(sql, tell);
  const std::string command = CreateSlotCommand(options, replication.server_version(), in_recovery);
  const auto result =
      replication.QueryWithin(options.create_slot_timeout, postgres::OneRow(4), command, stopping);
  // Until it is consistent the slot is ephemeral: cancelling the command drops it again.
  if (ErrorReason(result.status()) == "query_timeout")
    return CreationBlocked(sql, options, in_recovery);
  // There is no slot that could have lost it: a server whose timeline has just changed looks once
  // for a segment of the old one.
  if (ErrorReason(result.status()) == "wal_removed") {
    return Error(
        absl::StatusCode::kUnavailable, "slot_disputed",
        absl::StrCat("replication slot ", postgres::QuoteIdentifier(options.slot_name),
                     " cannot be created: ", result.status().message()),
        "it is tried again, for ten minutes: nothing is lost, for there is no slot yet. If "
        "it stays: the server's log, and whether the segment is in its pg_wal");
  }
  RETURN_IF_ERROR(result.status());
  return ReadCreated(*result);
}

absl::Status DropSlot(postgres::Connection& sql, absl::string_view slot_name) {
  absl::Status status;
  for (int attempt = 0; attempt < kDropAttempts; ++attempt) {
    status = sql.Run(absl::StrCat(kDrop, postgres::QuoteLiteral(slot_name), ")"));
    const std::string reason = ErrorReason(status);
    if (reason == "slot_missing" || reason == "object_missing") return absl::OkStatus();
    if (!absl::IsAborted(status)) return status;
    RETURN_IF_ERROR(sql.Run(kPause));
  }
  return status;
}

absl::StatusOr<SystemIdentity> IdentifySystem(postgres::Connection& replication) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   replication.Query(postgres::OneRow(3), "IDENTIFY_SYSTEM"));
  SystemIdentity identity;
  if (!absl::SimpleAtoi(result.Get(0, 1), &identity.timeline)) {
    return Error(absl::StatusCode::kDataLoss, "unexpected_answer",
                 "unexpected answer to IDENTIFY_SYSTEM");
  }
  identity.system_identifier = std::string(result.Get(0, 0));
  ASSIGN_OR_RETURN(identity.wal_end, Lsn::Parse(result.Get(0, 2)));
  return identity;
}

absl::StatusOr<TimelineHistory> ReadTimelineHistory(postgres::Connection& replication,
                                                    uint32_t timeline) {
  const auto answer =
      replication.Query(postgres::OneRow(2), absl::StrCat("TIMELINE_HISTORY ", timeline));
  if (absl::IsUnavailable(answer.status()) && ErrorReason(answer.status()) != "server_io_error")
    return answer.status();
  if (!answer.ok()) {
    return Error(absl::StatusCode::kFailedPrecondition, "timeline_unknown",
                 absl::StrCat("the server does not tell the history of its timeline ", timeline,
                              ": ", answer.status().message()),
                 "restore the file of that timeline's history in pg_wal, or set "
                 "snapshot.mode=when_needed to take a new snapshot");
  }
  return ParseTimelineHistory(answer->Get(0, 1));
}

}  // namespace walduct::replication
