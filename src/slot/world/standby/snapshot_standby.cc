#include "slot/world/standby/snapshot_standby.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/host_checks.h"
#include "postgres/options.h"

namespace walduct::slot {
namespace {

using postgres::Connection;

constexpr absl::string_view kContext = "the standby of walduct.snapshot.standby.hostname";
constexpr absl::string_view kFacts = R"(
SELECT pg_catalog.pg_is_in_recovery(),
       pg_catalog.pg_last_wal_replay_lsn(),
       CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_is_wal_replay_paused() END,
       pg_catalog.pg_postmaster_start_time())";
constexpr absl::string_view kStarted = "SELECT pg_catalog.pg_postmaster_start_time()";

enum FactColumn { kInRecovery, kReplayed, kPaused, kStart, kColumns };

// Names what leads there. A database that was created a moment ago may not be there yet.
absl::Status OfStandby(const absl::Status& status) {
  if (status.ok()) return status;
  if (ErrorReason(status) == "database_missing") {
    return Error(absl::StatusCode::kUnavailable, "standby_behind",
                 absl::StrCat(kContext, ": ", status.message()),
                 "it has not replayed the creation of the database yet, or is the standby of "
                 "another server");
  }
  const std::string hint = absl::StrReplaceAll(
      ErrorHint(status), {{"database.hostname", "walduct.snapshot.standby.hostname"},
                          {"database.port", "walduct.snapshot.standby.port"}});
  return Error(status.code(), ErrorReason(status), absl::StrCat(kContext, ": ", status.message()),
               hint);
}

absl::StatusOr<std::unique_ptr<Connection>> OpenSession(
    const postgres::ConnectionOptions& options) {
  absl::StatusOr<std::unique_ptr<Connection>> opened = Connection::Open(options);
  if (!opened.ok()) return OfStandby(opened.status());
  return opened;
}

absl::Status Changed(absl::string_view where) {
  return Error(absl::StatusCode::kUnavailable, "standby_changed",
               absl::StrCat(kContext, ": sessions to ", where,
                            " come to different servers, or it was restarted meanwhile"),
               "set walduct.snapshot.standby.hostname to one server, not to a name that stands for "
               "several");
}

}  // namespace

absl::StatusOr<std::unique_ptr<SnapshotStandby>> SnapshotStandby::Open(Options options) {
  auto standby = std::unique_ptr<SnapshotStandby>(new SnapshotStandby(std::move(options)));
  RETURN_IF_ERROR(standby->Connect());
  standby->needs_.primary = standby->options_.primary;
  ASSIGN_OR_RETURN(standby->needs_.replayed, standby->options_.primary_lsn());
  RETURN_IF_ERROR(standby->Lag().status());
  return standby;
}

absl::Status SnapshotStandby::Connect() {
  ASSIGN_OR_RETURN(look_, OpenSession(options_.session));
  options_.session.database.hostname = look_->host();
  options_.session.database.port = look_->port();
  postgres::ConnectionOptions walsender = options_.session;
  walsender.kind = postgres::SessionKind::kReplication;
  ASSIGN_OR_RETURN(walsender_, OpenSession(walsender));
  ASSIGN_OR_RETURN(const postgres::Result started,
                   walsender_->Query(postgres::OneRow(1), kStarted));
  started_ = std::string(started.Get(0, 0));
  return absl::OkStatus();
}

absl::StatusOr<StandbyFacts> SnapshotStandby::Look(Connection& session) {
  StandbyFacts facts;
  ASSIGN_OR_RETURN(const postgres::Result result,
                   session.Query(postgres::OneRow(kColumns), kFacts));
  if (result.Get(0, kStart) != started_) return Changed(where());
  facts.in_recovery = result.Get(0, kInRecovery) == "t";
  facts.paused = result.Get(0, kPaused) == "t";
  if (!result.is_null(0, kReplayed)) {
    ASSIGN_OR_RETURN(facts.replayed, Lsn::Parse(result.Get(0, kReplayed)));
  }
  ASSIGN_OR_RETURN(facts.system, replication::IdentifySystem(*walsender_));
  return facts;
}

absl::StatusOr<std::optional<ReplayLag>> SnapshotStandby::Lag() {
  const absl::StatusOr<StandbyFacts> facts = Look(*look_);
  if (!facts.ok()) return OfStandby(facts.status());
  return JudgeStandby(*facts, needs_, where());
}

absl::StatusOr<Lsn> SnapshotStandby::CheckReader(Connection& reader) {
  const absl::StatusOr<StandbyFacts> facts = Look(reader);
  if (!facts.ok()) return OfStandby(facts.status());
  ASSIGN_OR_RETURN(const std::optional<ReplayLag> lag, JudgeStandby(*facts, needs_, where()));
  if (!lag) return facts->replayed;
  return Error(absl::StatusCode::kUnavailable, "standby_behind",
               absl::StrCat(kContext, ": waiting for ", LagText(*lag)));
}

// While it is still in recovery on the primary's timeline, what it has shown is of that history.
absl::StatusOr<Lsn> SnapshotStandby::CheckView(Connection& reader) {
  const absl::StatusOr<StandbyFacts> facts = Look(reader);
  if (!facts.ok()) return OfStandby(facts.status());
  RETURN_IF_ERROR(JudgeStandby(*facts, needs_, where()).status());
  ASSIGN_OR_RETURN(const Lsn written, options_.primary_lsn());
  if (facts->replayed <= written) return written;
  // What one standby has received another one may have before it.
  if (options_.primary_in_recovery) return facts->replayed;
  return StandbyDiverged(where(),
                         absl::StrCat("it has replayed the WAL up to ", facts->replayed.ToString(),
                                      ", the other one has written it up to ", written.ToString()));
}

absl::Status SnapshotStandby::CheckWorker(Connection& worker) {
  ASSIGN_OR_RETURN(const postgres::Result started, worker.Query(postgres::OneRow(1), kStarted));
  return started.Get(0, 0) == started_ ? absl::OkStatus() : Changed(where());
}

std::string SnapshotStandby::where() const {
  return postgres::HostAndPort(options_.session.database.hostname, options_.session.database.port);
}

postgres::DatabaseOptions StandbyDatabase(const postgres::DatabaseOptions& server,
                                          const std::string& hostname, const std::string& port) {
  postgres::DatabaseOptions standby = server;
  standby.hostname = hostname;
  if (!port.empty()) standby.port = port;
  standby.target_session_attrs = "prefer-standby";
  return standby;
}

}  // namespace walduct::slot
