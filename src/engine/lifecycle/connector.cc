#include "engine/lifecycle/connector.h"

#include <random>

#include "absl/strings/str_format.h"
#include "base/backoff.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/lifecycle/attempt.h"

namespace walduct::engine {
namespace {

constexpr absl::Duration kFirstRetry = absl::Seconds(1);

// Counts failed attempts against the limits of the configuration.
class RetryBudget {
 public:
  explicit RetryBudget(const config::ConnectorOptions& config)
      : retries_(config.runtime.errors_max_retries),
        soon_(config.replication.max_retries),
        soon_delay_(config.replication.retry_delay),
        backoff_(kFirstRetry, std::max(config.runtime.retry_wait, kFirstRetry),
                 std::random_device{}()) {}

  void Reset() {
    failures_ = 0;
    soon_failures_ = 0;
    backoff_.Reset();
  }

  // Absent: the limit is used up.
  std::optional<absl::Duration> Next(Action action) {
    if (action == Action::kRetrySoon) {
      if (soon_failures_++ >= soon_) return std::nullopt;
      return std::min(soon_delay_, backoff_.Next());
    }
    if (retries_ >= 0 && failures_++ >= retries_) return std::nullopt;
    return backoff_.Next();
  }

 private:
  int retries_;
  int soon_;
  absl::Duration soon_delay_;
  int failures_ = 0;
  int soon_failures_ = 0;
  Backoff backoff_;
};

void LogFailure(const absl::Status& status, ExitCode exit_code) {
  log::Error("stopped: " + std::string(status.message()), {{"reason", ErrorReason(status)},
                                                           {"hint", ErrorHint(status)},
                                                           {"exit", static_cast<int>(exit_code)}});
}

}  // namespace

ExitCode Connector::Run() {
  log::SetConnector(options_.config.name);
  RetryBudget budget(options_.config);
  Phase phase = Phase::kStarting;
  while (true) {
    Attempt attempt({.config = &options_.config,
                     .goal = options_.goal,
                     .mode = options_.mode,
                     .clock = options_.clock,
                     .poller = options_.poller,
                     .stop = options_.stop,
                     .metrics = &metrics_,
                     .warn_once = &warn_once_,
                     .outbox_tables = &outbox_tables_});
    const absl::Status status = attempt.Run();
    // What a stop interrupts before the first change leaves nothing undone.
    if (status.ok() || (absl::IsCancelled(status) && options_.stop->requested())) {
      log::Info("stopped", {{"position", attempt.position_text()}});
      return options_.goal.set() && !attempt.goal_reached() ? kExitNotCaughtUp : kExitClean;
    }
    if (options_.stop->requested()) {
      log::Warn(
          "stopped before everything was stored; what is missing is read again at the next start",
          {{"error", std::string(status.message())}, {"position", attempt.position_text()}});
      return options_.goal.set() ? kExitNotCaughtUp : kExitFailure;
    }
    if (attempt.progressed()) {
      phase = Phase::kRunning;
      budget.Reset();
    }
    const Action action = ActionFor(status, phase);
    const std::optional<absl::Duration> delay =
        action == Action::kFail ? std::nullopt : budget.Next(action);
    if (!delay) {
      LogFailure(status, ExitCodeFor(status));
      return ExitCodeFor(status);
    }
    metrics_.reconnects.Add();
    log::Warn("retrying: " + std::string(status.message()),
              {{"reason", ErrorReason(status)},
               {"hint", ErrorHint(status)},
               {"in", absl::FormatDuration(absl::Trunc(*delay, absl::Milliseconds(1)))}});
    Pause(*delay);
    if (options_.stop->requested()) {
      log::Info("stopped while waiting to retry");
      return options_.goal.set() ? kExitNotCaughtUp : kExitClean;
    }
  }
}

void Connector::Pause(absl::Duration delay) {
  const absl::Duration deadline = options_.clock->Monotonic() + delay;
  while (!options_.stop->requested()) {
    const absl::Duration left = deadline - options_.clock->Monotonic();
    if (left <= absl::ZeroDuration()) return;
    options_.poller->WaitReadable({options_.stop->fd()}, left);
  }
}

}  // namespace walduct::engine
