#include "postgres/server_check.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"

namespace walduct::postgres {
namespace {

constexpr int kFirstSupported = 100000;        // logical replication with pgoutput
constexpr int kFirstStandbyDecoding = 160000;  // logical slots on a standby

// The membership names are what managed services give instead of the REPLICATION attribute. A
// walsender asks who has logged in, not which role that one has become (ALTER ROLE … SET role).
constexpr absl::string_view kServer = R"(
SELECT pg_catalog.pg_is_in_recovery(),
       pg_catalog.current_setting('server_encoding'),
       pg_catalog.current_setting('wal_level'),
       CASE WHEN pg_catalog.current_setting('wal_level') <> 'logical' THEN
         (SELECT s.pending_restart FROM pg_catalog.pg_settings s WHERE s.name = 'wal_level') END,
       session_user,
       r.rolsuper OR r.rolreplication OR EXISTS (
         SELECT 1 FROM pg_catalog.pg_roles g
         WHERE g.rolname IN ('rds_replication', 'rds_superuser', 'rdsadmin', 'rdsrepladmin', 'cloudsqlsuperuser',
                             'alloydbsuperuser', 'azure_pg_admin', 'neon_superuser')
           AND pg_catalog.pg_has_role(session_user, g.oid, 'member')),
       pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot())
FROM pg_catalog.pg_roles r WHERE r.rolname = session_user)";

// Whose service the server is, for hints: all settings are gone through for it.
constexpr absl::string_view kPlatformOf = R"(
SELECT pg_catalog.min(pg_catalog.split_part(s.name, '.', 1)) FROM pg_catalog.pg_settings s
WHERE pg_catalog.split_part(s.name, '.', 1) IN ('rds', 'cloudsql', 'azure', 'neon'))";

// Until others see how a transaction ended it has a lock on its number. Its commit may have been
// streamed, and be the first that a snapshot does not show.
constexpr absl::string_view kBegun = R"(
SELECT l.transactionid FROM pg_catalog.pg_locks l
WHERE l.locktype = 'transactionid' AND l.granted AND l.mode = 'ExclusiveLock')";

enum ServerColumn {
  kInRecovery,
  kEncoding,
  kWalLevel,
  kPendingRestart,
  kRole,
  kMayReplicate,
  kNextXid,
  kColumns
};

// A walsender of our own role that does not stream yet is taken for the one that is going to use
// the slot.
// Our own that is open for this is not counted. What state a sender is in is told to few; where it
// is not, the server itself has refused one too many.
constexpr absl::string_view kFree = R"(
SELECT (SELECT pg_catalog.count(*) FROM pg_catalog.pg_replication_slots),
       pg_catalog.current_setting('max_replication_slots'),
       (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_replication s
        WHERE NOT coalesce(s.usename = session_user AND coalesce(s.state, 'startup') = 'startup', false)),
       pg_catalog.current_setting('max_wal_senders'))";

std::string PlatformOf(Connection& connection) {
  const auto result = connection.Query(OneRow(1), kPlatformOf);
  return result.ok() ? std::string(result->Get(0, 0)) : "";
}

std::string WalLevelHint(const std::string& platform) {
  if (platform == "rds") {
    return "set rds.logical_replication = 1 in the parameter group (Aurora: the cluster parameter "
           "group) and reboot";
  }
  if (platform == "cloudsql")
    return "set the flag cloudsql.logical_decoding = on; the instance restarts";
  if (platform == "azure")
    return "set the server parameter wal_level = logical and restart the server";
  if (platform == "neon") return "turn on logical replication in the project's settings";
  return "ALTER SYSTEM SET wal_level = logical; then restart the server";
}

std::string ReplicationHint(const std::string& platform, absl::string_view role) {
  if (platform == "rds") return absl::StrCat("GRANT rds_replication TO ", QuoteIdentifier(role));
  return absl::StrCat("ALTER ROLE ", QuoteIdentifier(role), " REPLICATION");
}

absl::Status CheckVersion(const Connection& connection) {
  if (connection.server_version() >= kFirstSupported) return absl::OkStatus();
  return Error(absl::StatusCode::kUnimplemented, "server_too_old",
               absl::StrCat("PostgreSQL ", connection.server_version_text(), " has no pgoutput"),
               "use PostgreSQL 10 or newer");
}

absl::Status CheckRecovery(const Connection& connection, bool in_recovery) {
  if (!in_recovery || connection.server_version() >= kFirstStandbyDecoding) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "standby_not_supported",
               absl::StrCat("the server is a standby, and PostgreSQL ",
                            connection.server_version_text(), " cannot decode on one"),
               "connect to the primary, or use PostgreSQL 16 or newer");
}

// Numbers of 32 bits come round: each is the one that is nearest.
void RaiseBeyond(const Result& begun, uint64_t* next_xid) {
  for (int row = 0; row < begun.rows(); ++row) {
    uint32_t xid = 0;
    if (*next_xid == 0 || !absl::SimpleAtoi(begun.Get(row, 0), &xid)) continue;
    const auto ahead = static_cast<int32_t>(xid - static_cast<uint32_t>(*next_xid));
    if (ahead >= 0) *next_xid += static_cast<uint64_t>(ahead) + 1;
  }
}

}  // namespace

absl::StatusOr<ServerInfo> CheckServer(Connection& connection) {
  RETURN_IF_ERROR(CheckVersion(connection));
  // In this order: what is over in between shows in the second.
  ASSIGN_OR_RETURN(const Result begun, connection.Query(Rows(1), kBegun));
  ASSIGN_OR_RETURN(const Result result, connection.Query(Rows(kColumns), kServer));
  if (result.rows() != 1) {
    return Error(absl::StatusCode::kFailedPrecondition, "role_missing",
                 "the role of this session is gone");
  }
  ServerInfo server{.version = connection.server_version(),
                    .in_recovery = result.Get(0, kInRecovery) == "t",
                    .decodes = absl::OkStatus(),
                    .encoding = std::string(result.Get(0, kEncoding))};
  if (!absl::SimpleAtoi(result.Get(0, kNextXid), &server.next_xid)) server.next_xid = 0;
  RaiseBeyond(begun, &server.next_xid);
  const absl::string_view wal_level = result.Get(0, kWalLevel);
  if (wal_level != "logical") {
    const bool pending = result.Get(0, kPendingRestart) == "t";
    return Error(
        absl::StatusCode::kFailedPrecondition, "wal_level_not_logical",
        absl::StrCat("wal_level is ", wal_level, ", must be logical",
                     pending ? " (it was changed; the server has not been restarted since)" : ""),
        pending ? "restart the server" : WalLevelHint(PlatformOf(connection)));
  }
  if (result.Get(0, kMayReplicate) != "t") {
    return Error(
        absl::StatusCode::kPermissionDenied, "role_may_not_replicate",
        absl::StrCat("the role ", QuoteIdentifier(result.Get(0, kRole)), " may not replicate"),
        ReplicationHint(PlatformOf(connection), result.Get(0, kRole)));
  }
  server.decodes = CheckRecovery(connection, server.in_recovery);
  return server;
}

absl::StatusOr<bool> IsInRecovery(Connection& connection) {
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(OneRow(1), "SELECT pg_catalog.pg_is_in_recovery()"));
  return result.Get(0, 0) == "t";
}

absl::Status CheckFreeSlot(Connection& connection) {
  ASSIGN_OR_RETURN(const Result result, connection.Query(OneRow(4), kFree));
  const int32_t slots = ParseInt(result.Get(0, 0), 0);
  const int32_t max_slots = ParseInt(result.Get(0, 1), 0);
  if (slots >= max_slots) {
    return Error(absl::StatusCode::kFailedPrecondition, "no_free_slot",
                 absl::StrCat("all ", max_slots, " replication slots of the server are in use"),
                 "raise max_replication_slots and restart the server, or drop a slot nobody uses "
                 "(SELECT slot_name, active "
                 "FROM pg_replication_slots)");
  }
  const int32_t senders = ParseInt(result.Get(0, 2), 0);
  const int32_t max_senders = ParseInt(result.Get(0, 3), 0);
  if (senders >= max_senders) {
    return Error(absl::StatusCode::kFailedPrecondition, "no_free_wal_sender",
                 absl::StrCat("all ", max_senders, " WAL senders of the server are in use"),
                 "raise max_wal_senders and restart the server");
  }
  return absl::OkStatus();
}

}  // namespace walduct::postgres
