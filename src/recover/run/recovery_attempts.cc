#include "recover/run/recovery_attempts.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/amount_text.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/control/control.h"
#include "metrics/connector_metrics.h"
#include "recover/run/recovery_world.h"
#include "recover/run/restored_server.h"

namespace walduct::recover {

std::unique_ptr<engine::Attempts> RecoveryWorld::MakeAttempts(const engine::AttemptParts& parts) {
  return std::make_unique<RecoveryAttempts>(*this, parts, recovery_);
}

engine::AttemptEnd RecoveryAttempts::Run(bool ran_before) {
  parts_.board->Show(engine::ConnectorState::kRunning, engine::Activity::kConnecting);
  const absl::StatusOr<Gap> gap = primary_.Look();
  if (!gap.ok()) return {.status = gap.status()};
  if (gap->any()) SwitchWal(primary_.sql(), *gap);
  if (!gap->any()) {
    log::Info(
        "there is no gap: the primary's slot reaches back to the stored position; start the "
        "connector again (walduct run; one of walduct serve: walduct resume), it goes on",
        {{"stored_position", gap->from.ToString()}, {"slot", gap->to.ToString()}});
    return {.goal_reached = true, .position = gap->from.ToString()};
  }
  if (const absl::Status prepared = PrepareRestored(*gap); !prepared.ok())
    return {.status = Follower::Explain(prepared, follower_.get())};
  if (inner_ == nullptr || inner_goal_ != gap->to) {
    engine::AttemptParts parts = parts_;
    parts.goal = {.until_lsn = gap->to};
    inner_ = std::make_unique<slot::SlotAttempts>(world_, parts);
    inner_goal_ = gap->to;
  }
  engine::AttemptEnd end = inner_->Run(ran_before);
  end.status = Follower::Explain(end.status, follower_.get());
  if (!end.status.ok() || !end.goal_reached) return end;
  if (!primary_.KeepsSlot()) {
    log::Warn(
        "the primary's slot was lost while its gap was streamed: what it has missed since is "
        "of the gap, too",
        {{"position", end.position}});
    return Run(ran_before);
  }
  follower_.reset();
  parts_.metrics->recovery_left_bytes.Set(0);
  log::Info(
      "the gap is closed: start the connector again (walduct run; one of walduct serve: walduct "
      "resume), it goes on at the primary's slot, and the restored server can be thrown away",
      {{"position", end.position}, {"slot", gap->to.ToString()}});
  return end;
}

bool RecoveryAttempts::Stopping() {
  parts_.board->Beat();
  parts_.control->Take();
  return parts_.control->interrupted();
}

absl::StatusOr<std::unique_ptr<postgres::Connection>> RecoveryAttempts::Open(
    const engine::ConnectorOptions& config, postgres::SessionKind kind) {
  return world_.OpenSession(config, kind, " recover", [this] { return Stopping(); });
}

// The archive gets a segment when it is full, or when somebody ends it.
void RecoveryAttempts::SwitchWal(postgres::Connection& primary, const Gap& gap) {
  if (switched_for_ == gap.to) return;
  switched_for_ = gap.to;
  const absl::Status switched = primary.Run(
      {.sql = absl::StrCat("SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() AND "
                           "pg_catalog.pg_current_wal_lsn() - '0/0'::pg_catalog.pg_lsn < ",
                           (gap.to.value() / gap.segment_bytes + 1) * gap.segment_bytes,
                           " THEN pg_catalog.pg_switch_wal() END"),
       .parameters = {},
       .answer = {}});
  if (switched.ok()) return;
  log::Warn("the primary's last segment of the gap is not ended by this role",
            {{"error", std::string(switched.message())},
             {"hint",
              "it is archived when it is full, or with archive_timeout; at once by a superuser on "
              "the primary: SELECT pg_switch_wal()"}});
}

absl::Status RecoveryAttempts::PrepareRestored(const Gap& gap) {
  const bool same = follower_ != nullptr && follower_->error().ok() &&
                    follower_->gap().to == gap.to && follower_->gap().from == gap.from;
  if (!same) {
    follower_.reset();
    log::Info("the gap", {{"from", gap.from.ToString()},
                          {"to", gap.to.ToString()},
                          {"wal", BytesText(gap.to.value() - gap.from.value())},
                          {"segments", gap.to.value() / gap.segment_bytes -
                                           gap.from.value() / gap.segment_bytes + 1}});
    ASSIGN_OR_RETURN(follower_, Follower::Start({.connector = recovery_.name,
                                                 .slot = recovery_.slot,
                                                 .state_folder = recovery_.state_folder,
                                                 .gap = gap,
                                                 .open =
                                                     [this](const postgres::StopCheck& stopping) {
                                                       return world_.OpenSession(
                                                           *parts_.config,
                                                           postgres::SessionKind::kSql, " gate",
                                                           stopping, absl::Seconds(5));
                                                     },
                                                 .metrics = parts_.metrics,
                                                 .board = parts_.board,
                                                 .patience = recovery_.patience,
                                                 .ends_at_hole = recovery_.then_read,
                                                 .cut_at_ddl = recovery_.cut_at_ddl,
                                                 .costs = "; the primary's slot keeps its WAL",
                                                 .environment = world_.environment()}));
  }
  parts_.board->Show(engine::Activity::kPreparing);
  return RestoredServer(
             {.open = [this](postgres::SessionKind kind) { return Open(*parts_.config, kind); },
              .environment = world_.environment(),
              .slot = recovery_.slot,
              .place = absl::StrCat(recovery_.host, ":", recovery_.port),
              .follower = follower_.get(),
              .stopping = [this] { return Stopping(); }})
      .Prepare();
}

void RecoveryAttempts::ShowError(const absl::Status& error) {
  parts_.board->ShowError(error, Lsn(parts_.metrics->received_lsn.value()));
}

}  // namespace walduct::recover
