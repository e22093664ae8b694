#include "engine/lifecycle/lifecycle.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/configuration/runtime_options.h"
#include "engine/lifecycle/host.h"
#include "engine/lifecycle/retry_budget.h"
#include "metrics/connector_metrics.h"

namespace walduct::engine {
namespace {

void TellRetry(const absl::Status& error, absl::Duration failing, absl::Duration delay) {
  const std::string message(error.message()), reason = ErrorReason(error), hint = ErrorHint(error);
  if (delay == absl::ZeroDuration())
    return log::Warn("retrying at once: " + message, {{"reason", reason}, {"hint", hint}});
  log::Warn("retrying: " + message,
            {{"reason", reason},
             {"hint", hint},
             {"for", absl::FormatDuration(absl::Trunc(failing, absl::Seconds(1)))},
             {"in", absl::FormatDuration(absl::Trunc(delay, absl::Milliseconds(1)))}});
}

// Commands wake it.
constexpr absl::Duration kRest = absl::Minutes(1);
// A loop that waits for its next attempt turns.
constexpr absl::Duration kBeat = absl::Seconds(1);
constexpr absl::Duration kAfterEnding = absl::Milliseconds(100);

}  // namespace

Lifecycle::Lifecycle(const Parts& parts)
    : parts_(parts), attempts_(parts.world->MakeAttempts(parts)) {}

void Lifecycle::Run() {
  log::SetConnector(parts_.board->Read().name);
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
  attempts_->Begin();
  RetryBudget budget(RuntimeOf(*parts_.config), parts_.world->Random());
  std::optional<absl::Duration> failing_since;
  while (true) {
    AttemptEnd end = {.status = CheckDescriptors()};
    if (end.status.ok()) end = attempts_->Run(phase_ == Phase::kRunning);
    end.status = parts_.board->Named(end.status);
    parts_.control->Take();
    if (end.began) phase_ = Phase::kRunning;
    if (end.progressed) {
      budget.Reset();
      failing_since.reset();
    }
    if (end.status.ok() || parts_.control->interrupted()) return OnEnd(end);
    // It was resumed while it was ending.
    if (absl::IsCancelled(end.status) && !end.goal_reached) {
      WaitToRetry(kAfterEnding);
      continue;
    }
    attempts_->ShowError(end.status);
    const std::optional<absl::Duration> delay =
        budget.Next(attempts_->ActionAfter(end.status, phase_), attempts_->soon());
    if (!delay) return OnFailure(end.status);
    parts_.metrics->reconnects.Add();
    parts_.metrics->retries.Add(ErrorReason(end.status));
    const absl::Duration now = parts_.world->clock().Monotonic();
    if (!failing_since) failing_since = now;
    TellRetry(end.status, now - *failing_since, *delay);
    WaitToRetry(*delay);
    if (!parts_.control->interrupted()) continue;
    log::Info(absl::StrCat(Outcome(), " while waiting to retry"));
    return Leave(CleanExit(false));
  }
}

void Lifecycle::WaitToRetry(absl::Duration delay) {
  Clock& clock = parts_.world->clock();
  parts_.board->Show(Activity::kRetrying);
  parts_.board->WaitsFor(WaitReason::kRetry);
  const absl::Duration deadline = clock.Monotonic() + delay;
  while (!parts_.control->interrupted()) {
    parts_.board->Beat();
    const absl::Duration left = deadline - clock.Monotonic();
    if (left <= absl::ZeroDuration()) return;
    parts_.world->poller().WaitReadable({parts_.control->fd()}, std::min(left, kBeat));
    parts_.control->Take();
  }
}

void Lifecycle::OnEnd(const AttemptEnd& end) {
  if (!parts_.control->interrupted()) parts_.control->OnGoalReached();
  // An interruption before the first change leaves nothing undone.
  if (end.status.ok() || absl::IsCancelled(end.status)) {
    log::Info(Outcome(), {{"position", end.position}});
    return Leave(CleanExit(end.goal_reached));
  }
  attempts_->ShowError(end.status);
  // What an operator has to mend would have ended it without the stop as well. A restart finds out
  // whether it is mended.
  const bool rests = parts_.control->stops() || parts_.control->pauses();
  if (rests && attempts_->ActionAfter(end.status, phase_) == Action::kFail)
    return OnFailure(end.status);
  log::Warn(absl::StrCat(Outcome(),
                         " before all positions were stored; the changes after the stored position "
                         "are read again at the next start"),
            {{"error", std::string(end.status.message())}, {"position", end.position}});
  Leave(parts_.goal.set() ? kExitNotCaughtUp : kExitFailure);
}

void Lifecycle::OnFailure(const absl::Status& error) {
  const absl::Status status = parts_.board->Final(error);
  attempts_->ShowError(status);
  const ExitCode exit_code = ExitCodeFor(status);
  log::Error("stopped: " + std::string(status.message()), {{"reason", ErrorReason(status)},
                                                           {"hint", ErrorHint(status)},
                                                           {"exit", static_cast<int>(exit_code)}});
  attempts_->OnFailure(status);
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
