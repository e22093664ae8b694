// What pg_replication_slots says about a slot, and whether we can stream from it. Declared in
// slot.h.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/errors/error_rules.h"
#include "postgres/errors/sqlstate.h"
#include "postgres/oid_text.h"
#include "postgres/server_check.h"
#include "replication/slot.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kSlotFrom = R"(
SELECT s.plugin, s.database, s.active, s.active_pid, s.restart_lsn, s.confirmed_flush_lsn, )";
constexpr absl::string_view kSlotTo = R"(
FROM pg_catalog.pg_replication_slots s WHERE s.slot_name = $1)";

enum SlotColumn {
  kPlugin,
  kDatabase,
  kActive,
  kActivePid,
  kRestartLsn,
  kConfirmedFlushLsn,
  kWalStatus,
  kInvalidation,
  kSynced,
  kUsed,
  kTouched,
};

constexpr absl::string_view kConflicting = "CASE WHEN s.conflicting THEN 'conflict' END";
constexpr absl::string_view kReadFrom =
    "EXISTS (SELECT FROM pg_catalog.pg_stat_replication_slots t WHERE t.slot_name = s.slot_name "
    "AND t.total_txns + t.spill_txns + t.stream_txns > 0)";

// What the server finds when it starts has nobody left since then.
constexpr absl::string_view kReleasedSince =
    "coalesce(s.inactive_since OPERATOR(pg_catalog.>) "
    "pg_catalog.pg_postmaster_start_time() + '5 s'::pg_catalog.interval, false)";

std::string InspectionSql(int version) {
  const auto since = [version](int first, absl::string_view column, absl::string_view before) {
    return version >= first ? column : before;
  };
  return absl::StrCat(kSlotFrom, since(130000, "s.wal_status", "''"), ", ",
                      since(170000, "s.invalidation_reason", since(160000, kConflicting, "''")),
                      ", ", since(170000, "s.synced", "false"), ", ",
                      since(140000, kReadFrom, "false"), ", ",
                      since(170000, kReleasedSince, "false"), kSlotTo);
}

constexpr absl::string_view kReader = R"(
SELECT a.application_name, coalesce(pg_catalog.host(a.client_addr), 'not known'), a.usename,
  pg_catalog.to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
FROM pg_catalog.pg_stat_activity a WHERE a.pid = $1::pg_catalog.int4)";

constexpr absl::string_view kHolder = R"(
SELECT s.active_pid, coalesce(a.application_name, ''),
  coalesce(a.client_addr::pg_catalog.text, 'local socket')
FROM pg_catalog.pg_replication_slots s
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = s.active_pid WHERE s.slot_name = )";

constexpr absl::string_view kReplacement =
    "drop it (SELECT pg_drop_replication_slot('NAME')) and take a new snapshot; "
    "snapshot.mode=when_needed does both. "
    "Changes made since it was lost are only in that snapshot. See max_slot_wal_keep_size and "
    "idle_replication_slot_timeout";

// What an error says of the slot, and the slot's own row may deny.
constexpr std::array<absl::string_view, 5> kVerdicts = {
    "slot_lost", "slot_missing", "slot_wrong_database", "slot_wrong_plugin", "wal_removed"};

constexpr absl::string_view kDisputed =
    "it is tried again, for ten minutes, and passes by itself where a server has just changed its "
    "timeline (a promotion, a restore). If it stays: see whether database.hostname leads to two "
    "servers, and whether the segment is in pg_wal of the server or can be brought back there from "
    "its archive. If it is gone for good, the slot has to be made anew: stop, SELECT "
    "pg_drop_replication_slot('NAME'), start with snapshot.mode=when_needed";

absl::StatusOr<Lsn> LsnOrNone(const postgres::Result& result, int column) {
  if (result.is_null(0, column)) return Lsn();
  return Lsn::Parse(result.Get(0, column));
}

absl::Status InUse(postgres::Connection& connection, absl::string_view name,
                   const SlotState& slot) {
  std::string who;
  const auto reader = connection.Query(postgres::Rows(4), kReader, {absl::StrCat(slot.active_pid)});
  if (reader.ok() && reader->rows() == 1) {
    who = absl::StrCat(", application ", postgres::QuoteIdentifier(reader->Get(0, 0)), ", client ",
                       reader->Get(0, 1), ", role ", postgres::QuoteIdentifier(reader->Get(0, 2)));
    // Hidden from who is not of its role.
    if (!reader->is_null(0, 3)) absl::StrAppend(&who, ", since ", reader->Get(0, 3), " UTC");
  }
  return Error(
      absl::StatusCode::kAborted, "slot_in_use",
      absl::StrCat("replication slot ", postgres::QuoteIdentifier(name),
                   " is in use by another process (backend pid ", slot.active_pid, who, ")"),
      postgres::kSlotInUseHint);
}

// error: what the server has said while it was asked to stream the slot.
absl::Status JudgedByRow(postgres::Connection& connection, absl::string_view name,
                         const SlotState& slot, const absl::Status& error) {
  RETURN_IF_ERROR(CheckSlotUsable(connection, name, slot));
  // These do not deny it: before PostgreSQL 13 nothing is said of the WAL.
  const bool wal_kept = !slot.wal_status.empty() && slot.wal_status != "unreserved";
  if (ErrorReason(error) == "wal_removed" && !wal_kept) return error;
  return Error(
      absl::StatusCode::kUnavailable, "slot_disputed",
      absl::StrCat(error.message(), "; but pg_replication_slots has replication slot ",
                   postgres::QuoteIdentifier(name), " as one that can be read: wal_status ",
                   wal_kept ? slot.wal_status : "not known", ", restart_lsn ",
                   slot.restart_lsn.ToString()),
      kDisputed);
}

}  // namespace

bool IsSlotVerdict(const absl::Status& error) {
  return std::find(kVerdicts.begin(), kVerdicts.end(), ErrorReason(error)) != kVerdicts.end();
}

absl::Status CheckSlotHeld(postgres::Connection& connection, absl::string_view slot_name,
                           int own_pid, bool streams) {
  constexpr absl::Duration kTimeout = absl::Seconds(1);
  ASSIGN_OR_RETURN(
      const postgres::Result result,
      connection.QueryWithin(kTimeout, postgres::Rows(3),
                             absl::StrCat(kHolder, postgres::QuoteLiteral(slot_name))));
  const bool held = result.rows() == 1 && !result.is_null(0, 0);
  const std::string pid(held ? result.Get(0, 0) : "0");
  if (pid == absl::StrCat(own_pid) || (!held && !streams)) return absl::OkStatus();
  const std::string slot = absl::StrCat("replication slot ", postgres::QuoteIdentifier(slot_name));
  if (!held) {
    return Error(absl::StatusCode::kUnavailable, "slot_released",
                 absl::StrCat(slot, " was released"));
  }
  return Error(
      absl::StatusCode::kFailedPrecondition, "slot_taken_over",
      absl::StrCat(slot, " was taken over by another process (pid ", pid, ", application ",
                   postgres::QuoteIdentifier(result.Get(0, 1)), ", client ", result.Get(0, 2), ")"),
      "the other process publishes the changes now; stop one of the two before this one "
      "is started again");
}

absl::StatusOr<std::optional<SlotState>> InspectSlot(postgres::Connection& connection,
                                                     absl::string_view slot_name) {
  const std::string sql = InspectionSql(connection.server_version());
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(kTouched + 1), sql, {std::string(slot_name)}));
  if (result.rows() == 0) return std::nullopt;
  SlotState slot;
  slot.plugin = std::string(result.Get(0, kPlugin));
  slot.database = std::string(result.Get(0, kDatabase));
  slot.active = result.Get(0, kActive) == "t";
  slot.active_pid = postgres::ParseInt(result.Get(0, kActivePid), 0);
  ASSIGN_OR_RETURN(slot.restart_lsn, LsnOrNone(result, kRestartLsn));
  ASSIGN_OR_RETURN(slot.confirmed_flush_lsn, LsnOrNone(result, kConfirmedFlushLsn));
  slot.wal_status = std::string(result.Get(0, kWalStatus));
  slot.invalidation_reason = std::string(result.Get(0, kInvalidation));
  slot.synced = result.Get(0, kSynced) == "t";
  slot.used = result.Get(0, kUsed) == "t";
  slot.touched = result.Get(0, kTouched) == "t";
  return slot;
}

absl::Status ExplainStart(postgres::Connection& connection, absl::string_view slot_name,
                          const absl::Status& error) {
  const std::string reason = ErrorReason(error);
  const bool verdict = IsSlotVerdict(error);
  if (reason != "slot_in_use" && reason != "server_state" && !verdict) return error;
  const auto slot = InspectSlot(connection, slot_name);
  if (!slot.ok() || !*slot) return error;
  if (verdict) return JudgedByRow(connection, slot_name, **slot, error);
  RETURN_IF_ERROR(CheckSlotUsable(connection, slot_name, **slot));
  const auto in_recovery = postgres::IsInRecovery(connection);
  if (reason != "server_state" || !(*slot)->synced || !in_recovery.ok() || !*in_recovery)
    return error;
  return Error(absl::StatusCode::kUnavailable, "waiting_for_promotion", error.message(),
               "the slot is one that the standby keeps up with the primary's: connect to the "
               "primary, or wait for the standby's promotion");
}

absl::Status ExplainEnd(postgres::Connection& connection, absl::string_view slot_name,
                        const absl::Status& error) {
  if (const absl::Status failed = postgres::OfDecoding(error); failed.code() != error.code())
    return failed;
  if (!connection.CheckAlive().ok()) return error;
  const auto slot = InspectSlot(connection, slot_name);
  if (!slot.ok() || !*slot) return error;
  if (IsSlotVerdict(error)) {
    SlotState released = **slot;
    // The session that has failed may still be on its way out.
    if (released.restart_lsn.valid()) released.active = false;
    return JudgedByRow(connection, slot_name, released, error);
  }
  const std::string& status = (*slot)->wal_status;
  const std::string& reason = (*slot)->invalidation_reason;
  if (status != "lost" && status != "unreserved" && reason.empty()) return error;
  return Error(absl::StatusCode::kUnavailable, "slot_invalidated",
               absl::StrCat("the server ended the stream to release replication slot ",
                            postgres::QuoteIdentifier(slot_name), ": wal_status ", status,
                            reason.empty() ? "" : ", ", reason, " (", error.message(), ")"),
               kReplacement);
}

absl::Status CheckSlotUsable(postgres::Connection& connection, absl::string_view slot_name,
                             const SlotState& slot) {
  const std::string name = postgres::QuoteIdentifier(slot_name);
  if (slot.plugin != "pgoutput") {
    return Error(absl::StatusCode::kFailedPrecondition, "slot_wrong_plugin",
                 slot.plugin.empty()
                     ? absl::StrCat("replication slot ", name, " is a physical slot")
                     : absl::StrCat("replication slot ", name, " belongs to the output plugin ",
                                    slot.plugin, ", not to pgoutput"),
                 absl::StrCat("choose another slot.name; or, if the slot is not needed: SELECT "
                              "pg_drop_replication_slot(",
                              postgres::QuoteLiteral(slot_name), ")"));
  }
  if (slot.database != connection.database()) {
    return Error(absl::StatusCode::kFailedPrecondition, "slot_wrong_database",
                 absl::StrCat("replication slot ", name, " belongs to the database ", slot.database,
                              ", not to ", connection.database()),
                 "choose another slot.name: slots are shared by all databases of a server");
  }
  // While another session still creates the slot, restart_lsn may be NULL: not lost, but in use.
  if (slot.active) return InUse(connection, slot_name, slot);
  if (slot.wal_status == "lost" || !slot.invalidation_reason.empty() || !slot.restart_lsn.valid()) {
    const std::string reason = slot.invalidation_reason.empty() ? "required WAL has been removed"
                                                                : slot.invalidation_reason;
    return Error(
        absl::StatusCode::kFailedPrecondition, "slot_lost",
        absl::StrCat("replication slot ", name, " was invalidated by the server (", reason, ")"),
        kReplacement);
  }
  return absl::OkStatus();
}

absl::Status CheckSlotNotMoved(postgres::Connection& sql, absl::string_view slot_name, Lsn start) {
  ASSIGN_OR_RETURN(const auto slot, InspectSlot(sql, slot_name));
  if (!slot || slot->confirmed_flush_lsn <= start) return absl::OkStatus();
  return Error(
      absl::StatusCode::kUnavailable, "slot_moved",
      absl::StrCat("replication slot ", postgres::QuoteIdentifier(slot_name), " was moved to ",
                   slot->confirmed_flush_lsn.ToString(),
                   " by another client while this start was to stream from ", start.ToString()),
      "nothing to do: the next attempt judges the stored position anew");
}

}  // namespace walduct::replication
