#include "recover/run/restored_server.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/errors/error_policy.h"
#include "postgres/server_check.h"
#include "replication/slot.h"

namespace walduct::recover {
namespace {

using postgres::Connection;

constexpr absl::Duration kAskAgain = absl::Milliseconds(100);
constexpr absl::Duration kRepeat = absl::Seconds(15);
constexpr absl::Duration kLongest = absl::Hours(24 * 7);

// What ends the slot, holds up replay or touches the archive. Of others' settings a role may be
// told nothing.
constexpr absl::string_view kSettingsSql = R"(
SELECT s.name, pg_catalog.concat(s.name, ' = ''', w.wanted, ''''), s.setting
FROM (VALUES ('max_slot_wal_keep_size', '-1'), ('idle_replication_slot_timeout', '0'),
             ('archive_cleanup_command', ''), ('recovery_end_command', ''), ('primary_conninfo', ''),
             ('recovery_target', ''), ('recovery_target_lsn', ''), ('recovery_target_name', ''),
             ('recovery_target_time', ''), ('recovery_target_xid', '')) w(name, wanted)
JOIN pg_catalog.pg_settings s USING (name)
WHERE s.setting IS DISTINCT FROM w.wanted AND s.setting IS NOT NULL
UNION ALL
SELECT s.name, 'archive_mode = ''off''', s.setting FROM pg_catalog.pg_settings s
WHERE s.name = 'archive_mode' AND s.setting = 'always')";

constexpr absl::string_view kWhereSql = R"(
SELECT pg_catalog.pg_last_wal_replay_lsn(), s.confirmed_flush_lsn
FROM pg_catalog.pg_replication_slots s WHERE s.slot_name = $1)";

absl::Status Wrong(absl::string_view reason, const std::string& message, const std::string& hint) {
  return Error(absl::StatusCode::kFailedPrecondition, reason, message, hint);
}

}  // namespace

absl::Status RestoredServer::Prepare() {
  RETURN_IF_ERROR(Open());
  RETURN_IF_ERROR(Check());
  RETURN_IF_ERROR(EnsureSlot());
  return Advance();
}

absl::Status RestoredServer::Rest(absl::Duration duration) {
  RETURN_IF_ERROR(parts_.follower->error());
  if (parts_.stopping()) return absl::CancelledError("stopped");
  parts_.environment.poller->WaitReadable({}, duration);
  return absl::OkStatus();
}

// It takes sessions when it has replayed to the backup's end, which the gate has to let it come to.
absl::Status RestoredServer::Open() {
  Clock& clock = *parts_.environment.clock;
  std::optional<absl::Duration> told;
  while (true) {
    absl::StatusOr<std::unique_ptr<Connection>> opened = parts_.open(postgres::SessionKind::kSql);
    if (opened.ok()) {
      sql_ = *std::move(opened);
      return absl::OkStatus();
    }
    if (engine::ActionFor(opened.status(), engine::Phase::kStarting) == engine::Action::kFail)
      return opened.status();
    if (!told || clock.Monotonic() - *told > kRepeat) {
      told = clock.Monotonic();
      log::Info("waiting for the restored server",
                {{"server", parts_.place}, {"why", std::string(opened.status().message())}});
    }
    RETURN_IF_ERROR(Rest(kAskAgain));
  }
}

absl::Status RestoredServer::Check() {
  ASSIGN_OR_RETURN(const postgres::ServerInfo server, postgres::CheckServer(*sql_));
  if (!server.in_recovery) {
    return Wrong("recover_not_in_recovery",
                 absl::StrCat(parts_.place,
                              " is not in recovery: it is the primary, another server, or the "
                              "restored one was promoted"),
                 "--from names the restored server, which has standby.signal in its data folder; "
                 "one that was promoted has to be restored anew");
  }
  RETURN_IF_ERROR(server.decodes);
  ASSIGN_OR_RETURN(const auto replication, parts_.open(postgres::SessionKind::kReplication));
  ASSIGN_OR_RETURN(const replication::SystemIdentity system,
                   replication::IdentifySystem(*replication));
  const std::string& wanted = gap().system_identifier;
  if (!wanted.empty() && system.system_identifier != wanted) {
    return parts_.follower->WrongServer(system.system_identifier);
  }
  return CheckSettings();
}

absl::Status RestoredServer::CheckSettings() {
  ASSIGN_OR_RETURN(
      const postgres::Result fed,
      sql_->Query(postgres::OneRow(1), "SELECT pg_catalog.current_setting('restore_command')"));
  if (!absl::StrContains(fed.Get(0, 0), "recover gate")) {
    return Wrong("recover_not_gated",
                 absl::StrCat("restore_command of ", parts_.place, " is not walduct recover gate: ",
                              fed.Get(0, 0).empty() ? "it is empty" : fed.Get(0, 0),
                              "; replay would run away from the slot, and end it"),
                 "restore the backup anew with restore_command = 'walduct recover gate --state DIR "
                 "-- COMMAND', COMMAND being what it is now. Do not stream from a standby that "
                 "others use");
  }
  ASSIGN_OR_RETURN(const postgres::Result found, sql_->Query(postgres::Rows(3), kSettingsSql));
  if (found.rows() == 0) return absl::OkStatus();
  std::vector<std::string> wrong, wanted;
  for (int row = 0; row < found.rows(); ++row) {
    wrong.push_back(absl::StrCat(found.Get(row, 0), "=", found.Get(row, 2)));
    wanted.emplace_back(found.Get(row, 1));
  }
  return Wrong("recover_settings",
               absl::StrCat("settings of the restored server would end its slot, hold up replay or "
                            "touch the archive: ",
                            absl::StrJoin(wrong, ", ")),
               absl::StrCat("put into its postgresql.auto.conf: ", absl::StrJoin(wanted, "; "),
                            "; then restart it"));
}

absl::Status RestoredServer::EnsureSlot() {
  ASSIGN_OR_RETURN(const std::optional<replication::SlotState> slot,
                   replication::InspectSlot(*sql_, parts_.slot));
  if (slot && parts_.follower->knows_slot()) {
    const absl::Status usable = replication::CheckSlotUsable(*sql_, parts_.slot, *slot);
    if (ErrorReason(usable) == "slot_lost")
      return Follower::SlotLost(std::string(usable.message()));
    return usable;
  }
  if (parts_.follower->knows_slot()) {
    log::Info("the restored server has no slot: another restore");
    RETURN_IF_ERROR(parts_.follower->ForgetSlot());
  }
  if (slot) {
    log::Info("dropping the slot that came with the backup", {{"slot", parts_.slot}});
    RETURN_IF_ERROR(replication::DropSlot(*sql_, parts_.slot));
  }
  return MakeSlot();
}

// The follower lets replay go on meanwhile, a segment at a time.
absl::Status RestoredServer::MakeSlot() {
  RETURN_IF_ERROR(postgres::CheckFreeSlot(*sql_));
  log::Info("making the slot on the restored server",
            {{"slot", parts_.slot}, {"server", parts_.place}});
  parts_.follower->Makes(true);
  const absl::StatusOr<postgres::Result> made = sql_->QueryWithin(
      kLongest, postgres::OneRow(1),
      absl::StrCat("SELECT lsn FROM pg_catalog.pg_create_logical_replication_slot(",
                   postgres::QuoteLiteral(parts_.slot), ", 'pgoutput')"),
      [this] { return !parts_.follower->error().ok() || parts_.stopping(); });
  parts_.follower->Makes(false);
  RETURN_IF_ERROR(parts_.follower->error());
  RETURN_IF_ERROR(made.status());
  ASSIGN_OR_RETURN(const Lsn confirmed, Lsn::Parse(made->Get(0, 0)));
  if (confirmed > gap().from) {
    replication::DropSlot(*sql_, parts_.slot).IgnoreError();
    return Wrong("recover_backup_too_young",
                 absl::StrCat("a slot on the restored server begins at ", confirmed.ToString(),
                              ", beyond ", parts_.begins, " ", gap().from.ToString(),
                              ": what was committed between would be missing"),
                 "restore an older backup: one that ended before that, and before "
                 "the oldest transaction began that was open there; into a new folder for --state");
  }
  if (parts_.slot_made != nullptr) {
    if (const absl::Status fits = parts_.slot_made(*sql_); !fits.ok()) {
      replication::DropSlot(*sql_, parts_.slot).IgnoreError();
      return fits;
    }
  }
  log::Info("the restored server has the slot", {{"begins", confirmed.ToString()}});
  return parts_.follower->SlotMade(confirmed);
}

// What was published before is passed over, at the pace at which the slot lets go of catalog rows.
absl::Status RestoredServer::Advance() {
  if (gap().from == Gap::kUnknown) return absl::OkStatus();
  while (true) {
    ASSIGN_OR_RETURN(const postgres::Result result,
                     sql_->Query(postgres::Rows(2), kWhereSql, {parts_.slot}));
    if (result.rows() == 0) return Follower::SlotLost("it is gone");
    ASSIGN_OR_RETURN(const Lsn replayed, Lsn::Parse(result.Get(0, 0)));
    ASSIGN_OR_RETURN(const Lsn confirmed, Lsn::Parse(result.Get(0, 1)));
    const Lsn to = std::min(replayed, gap().from);
    if (confirmed < to) {
      const absl::Status moved =
          sql_->Query(postgres::OneRow(1),
                      "SELECT end_lsn FROM pg_catalog.pg_replication_slot_advance($1, "
                      "$2::pg_catalog.pg_lsn)",
                      {parts_.slot, to.ToString()})
              .status();
      // The follower says why.
      RETURN_IF_ERROR(parts_.follower->error());
      RETURN_IF_ERROR(moved);
    }
    if (replayed >= gap().from) return absl::OkStatus();
    RETURN_IF_ERROR(Rest(kAskAgain / 4));
  }
}

}  // namespace walduct::recover
