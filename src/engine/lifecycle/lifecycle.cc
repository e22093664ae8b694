#include "engine/lifecycle/lifecycle.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/handover_news.h"
#include "engine/errors/error_policy.h"
#include "engine/handover/handover.h"
#include "engine/lifecycle/retry_budget.h"
#include "engine/phases/session.h"
#include "engine/start/preparation.h"
#include "replication/options.h"
#include "snapshot/options.h"

namespace walduct::engine {
namespace {

// Commands wake it.
constexpr absl::Duration kRest = absl::Minutes(1);

std::string PositionText(const std::optional<event::Position>& stored) {
  return stored ? stored->commit_end.ToString() : "none";
}

}  // namespace

void Lifecycle::Run() {
  log::SetConnector(parts_.config->name);
  parts_.control->Take();
  while (!parts_.control->quits()) {
    if (parts_.control->runs()) {
      RunAttempts();
    } else {
      Rest();
    }
  }
}

void Lifecycle::Rest() {
  ShowRest();
  const ConnectorState state = parts_.board->Read().state;
  parts_.board->WaitsFor(WaitReason::kCommand);
  parts_.world->poller().WaitReadable({parts_.control->fd()}, kRest);
  parts_.control->Take();
  if (parts_.control->runs()) log::Info("starting", {{"state", StateText(state)}});
}

// Also of one that was stopped or paused before it could run.
void Lifecycle::ShowRest() {
  if (parts_.control->failed()) return;
  const ConnectorStatus before = parts_.board->Read();
  const ConnectorState state =
      parts_.control->pauses() ? ConnectorState::kPaused : ConnectorState::kStopped;
  if (state == before.state) return;
  log::Info(Outcome());
  // A failure stays the outcome of the run that it ended.
  const bool failed = before.state == ConnectorState::kFailed;
  Leave(failed ? before.exit_code.value_or(kExitFailure) : CleanExit(false));
}

void Lifecycle::RunAttempts() {
  known_.reset();
  RetryBudget budget(*parts_.config->runtime, *parts_.config->replication, parts_.world->Random());
  std::optional<absl::Duration> failing_since;
  while (true) {
    AttemptEnd end = RunAttempt();
    end.status = parts_.board->Named(end.status);
    parts_.control->Take();
    if (end.began) phase_ = Phase::kRunning;
    if (end.progressed) {
      budget.Reset();
      failing_since.reset();
    }
    if (end.status.ok() || parts_.control->interrupted()) return OnEnd(end);
    ShowError(end.status);
    budget.SetSenderTimeout(end.sender_timeout);
    const std::optional<absl::Duration> delay = budget.Next(NextAction(end.status));
    if (!delay) return OnFailure(end.status);
    parts_.metrics->reconnects.Add();
    parts_.metrics->retries.Add(ErrorReason(end.status));
    const absl::Duration now = parts_.world->clock().Monotonic();
    if (!failing_since) failing_since = now;
    log::Warn("retrying: " + std::string(end.status.message()),
              {{"reason", ErrorReason(end.status)},
               {"hint", ErrorHint(end.status)},
               {"for", absl::FormatDuration(absl::Trunc(now - *failing_since, absl::Seconds(1)))},
               {"in", absl::FormatDuration(absl::Trunc(*delay, absl::Milliseconds(1)))}});
    WaitToRetry(*delay);
    if (!parts_.control->interrupted()) continue;
    log::Info(absl::StrCat(Outcome(), " while waiting to retry"));
    return Leave(CleanExit(false));
  }
}

// What it says of the slot counts at once: the next look may be far.
void Lifecycle::ShowError(const absl::Status& error) {
  parts_.board->ShowError(error, Lsn(parts_.metrics->received_lsn.value()));
  parts_.metrics->slot.OnError(ErrorReason(error), parts_.world->clock().Monotonic());
}

Lifecycle::AttemptEnd Lifecycle::RunAttempt() {
  absl::Duration sender_timeout;
  absl::StatusOr<Prepared> prepared =
      Prepare(*parts_.config, {&pause_, &schemas_}, &sender_timeout);
  if (ErrorReason(prepared.status()) == kHandoverDue) {
    drained_ = {};
    drained_.status = HandOver();
    if (!drained_.status.ok()) return drained_;
    prepared = Prepare(*parts_.config, {&pause_, &schemas_}, &sender_timeout);
  }
  if (!prepared.ok()) return {.status = prepared.status(), .sender_timeout = sender_timeout};
  if (!prepared->decision.snapshot && !prepared->decision.stream) {
    log::Info(
        "nothing to do: the snapshot is already complete or not wanted, and snapshot.mode streams "
        "none");
    return {.goal_reached = true};
  }
  const event::Position start = prepared->start;
  const bool snapshot = prepared->decision.snapshot;
  Session session({.config = parts_.config,
                   .goal = parts_.goal,
                   .world = parts_.world,
                   .control = parts_.control,
                   .board = parts_.board,
                   .metrics = parts_.metrics,
                   .warn_once = &warn_once_,
                   .schemas = &schemas_,
                   .pause = &pause_,
                   .ran_before = phase_ == Phase::kRunning},
                  *std::move(prepared));
  parts_.metrics->lag.Begin(start.commit_end, start.commit_time_us);
  if (snapshot) parts_.metrics->lag.BeginSnapshot(parts_.world->clock().Now());
  const absl::Status status = session.Run();
  parts_.metrics->lag.End();
  const std::optional<event::Position> stored = session.stored();
  if (session.goal_reached() && stored)
    parts_.metrics->lag.Begin(stored->commit_end, stored->commit_time_us);
  return {.status = status,
          .goal_reached = session.goal_reached(),
          .began = session.began(),
          .progressed = session.progressed(),
          .stored = stored,
          .sender_timeout = sender_timeout};
}

absl::StatusOr<Prepared> Lifecycle::Prepare(const ConnectorOptions& config,
                                            const SlotMemory& memory,
                                            absl::Duration* sender_timeout) {
  Preparation preparation({.config = &config,
                           .world = parts_.world,
                           .source = {.config = &config,
                                      .mode = parts_.mode,
                                      .metrics = parts_.metrics,
                                      .warn_once = &warn_once_,
                                      .outbox_tables = &outbox_tables_,
                                      .capture = &capture_,
                                      .schemas = memory.schemas,
                                      .pause = memory.pause,
                                      .stopping = [this] { return Interrupted(); }},
                           .refusals = &refusals_,
                           .control = parts_.control,
                           .board = parts_.board,
                           .known = &config == parts_.config ? &known_ : nullptr});
  absl::StatusOr<Prepared> prepared = preparation.Run();
  *sender_timeout = preparation.facts().sender_timeout;
  return prepared;
}

absl::Status Lifecycle::HandOver() {
  return Handover({.config = parts_.config,
                   .world = parts_.world,
                   .control = parts_.control,
                   .board = parts_.board,
                   .drain = [this](const ConnectorOptions& lane,
                                   Lsn until) { return Drain(lane, until); },
                   .stopping = [this] { return Interrupted(); }})
      .Run();
}

absl::Status Lifecycle::Drain(const ConnectorOptions& lane, Lsn until) {
  StreamingPause& pause = drain_pauses_[lane.replication->share.number];
  postgres::SchemaMemory& schemas = drain_schemas_[lane.replication->share.number];
  ASSIGN_OR_RETURN(Prepared prepared, Prepare(lane, {&pause, &schemas}, &drained_.sender_timeout));
  Session session({.config = &lane,
                   .goal = {.until_lsn = until},
                   .world = parts_.world,
                   .control = parts_.control,
                   .board = parts_.board,
                   .metrics = parts_.metrics,
                   .warn_once = &warn_once_,
                   .schemas = &schemas,
                   .pause = &pause},
                  std::move(prepared));
  const absl::Status status = session.Run();
  drained_.began |= session.began();
  drained_.progressed |= session.progressed();
  RETURN_IF_ERROR(status);
  return session.goal_reached() ? absl::OkStatus() : absl::CancelledError("stopped");
}

Action Lifecycle::NextAction(const absl::Status& status) const {
  const std::string reason = ErrorReason(status);
  const bool lost = reason == "slot_lost" || reason == "slot_missing";
  // A slot that was lost while it was read is replaced by the next attempt.
  return lost && snapshot::FillsGaps(parts_.config->snapshot->mode) ? Action::kRetry
                                                                    : ActionFor(status, phase_);
}

// Asked by what waits for servers.
bool Lifecycle::Interrupted() {
  parts_.control->Take();
  return parts_.control->interrupted();
}

void Lifecycle::WaitToRetry(absl::Duration delay) {
  Clock& clock = parts_.world->clock();
  parts_.board->Show(Activity::kRetrying);
  parts_.board->WaitsFor(WaitReason::kRetry);
  const absl::Duration deadline = clock.Monotonic() + delay;
  while (!parts_.control->interrupted()) {
    const absl::Duration left = deadline - clock.Monotonic();
    if (left <= absl::ZeroDuration()) return;
    parts_.world->poller().WaitReadable({parts_.control->fd()}, left);
    parts_.control->Take();
  }
}

void Lifecycle::OnEnd(const AttemptEnd& end) {
  if (!parts_.control->interrupted()) parts_.control->OnGoalReached();
  const std::string position = PositionText(end.stored);
  // An interruption before the first change leaves nothing undone.
  if (end.status.ok() || absl::IsCancelled(end.status)) {
    log::Info(Outcome(), {{"position", position}});
    return Leave(CleanExit(end.goal_reached));
  }
  ShowError(end.status);
  log::Warn(absl::StrCat(Outcome(),
                         " before all positions were stored; the changes after the stored position "
                         "are read again at the next start"),
            {{"error", std::string(end.status.message())}, {"position", position}});
  Leave(parts_.goal.set() ? kExitNotCaughtUp : kExitFailure);
}

void Lifecycle::OnFailure(const absl::Status& status) {
  const ExitCode exit_code = ExitCodeFor(status);
  log::Error("stopped: " + std::string(status.message()), {{"reason", ErrorReason(status)},
                                                           {"hint", ErrorHint(status)},
                                                           {"exit", static_cast<int>(exit_code)}});
  // Those that wait for it to hand tables over wait in vain.
  const ConnectorOptions& config = *parts_.config;
  if (config.handover_news != nullptr && config.replication->share.number == 1)
    config.handover_news->End(status);
  parts_.control->OnFailed();
  parts_.board->ShowEnd(ConnectorState::kFailed, exit_code);
}

void Lifecycle::Leave(ExitCode exit_code) {
  parts_.control->TakeRestart();
  if (parts_.control->stops()) {
    parts_.board->ShowEnd(ConnectorState::kStopped, exit_code);
  } else if (parts_.control->pauses()) {
    parts_.board->Show(ConnectorState::kPaused, Activity::kNone);
  } else {
    parts_.board->Show(ConnectorState::kRestarting, Activity::kNone);
  }
}

absl::string_view Lifecycle::Outcome() const {
  if (parts_.control->stops()) return "stopped";
  return parts_.control->pauses() ? "paused" : "restarting";
}

ExitCode Lifecycle::CleanExit(bool goal_reached) const {
  return parts_.goal.set() && !goal_reached ? kExitNotCaughtUp : kExitClean;
}

}  // namespace walduct::engine
