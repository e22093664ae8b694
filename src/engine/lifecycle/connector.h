// Connector: one slot, one stream, one offset. Runs on the thread that calls Run, from the first
// connection to a clean stop, a reached goal, or an error that needs an operator; reconnects by
// itself after what passes by itself.
//
//   starting ─► snapshotting ─► streaming ─► stopped
//      ▲             │              │
//      └── retrying ◄┴──────────────┘──► failed
#pragma once

#include "base/environment.h"
#include "config/options/options.h"
#include "engine/control/run_goal.h"
#include "engine/control/stop_signal.h"
#include "engine/errors/error_policy.h"
#include "engine/errors/warn_once.h"
#include "metrics/connector_metrics.h"
#include "outbox/tables.h"

namespace walduct::engine {

enum class RunMode {
  kRun,   // to the configured sink
  kTail,  // to the terminal; temporary slot, nothing stored, nothing left behind
};

class Connector {
 public:
  // clock, poller and stop are borrowed and must outlive the connector.
  struct Options {
    config::ConnectorOptions config;
    RunGoal goal;
    RunMode mode = RunMode::kRun;
    Clock* clock = nullptr;
    Poller* poller = nullptr;
    const StopSignal* stop = nullptr;
  };
  explicit Connector(Options options) : options_(std::move(options)) {}

  // Blocks until the end. Logs every change of state.
  ExitCode Run();

  // Readable from any thread while Run runs.
  const metrics::ConnectorMetrics& metrics() const { return metrics_; }

 private:
  void Pause(absl::Duration delay);

  Options options_;
  metrics::ConnectorMetrics metrics_;
  WarnOnce warn_once_;
  outbox::TableMemory outbox_tables_;
};

}  // namespace walduct::engine
