// Connector: one source, one stream, one offset, on a thread of its own, driven by commands. It
// reconnects by itself after what passes by itself; what does not leaves it FAILED until somebody
// restarts it.
//
// Thread-safety: all methods from any thread. A command returns at once; status() tells what has
// become of it.
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "engine/configuration/connector_options.h"
#include "engine/control/control.h"
#include "engine/control/mailbox.h"
#include "engine/control/run_goal.h"
#include "engine/control/status_board.h"
#include "engine/lifecycle/host.h"
#include "engine/lifecycle/lifecycle.h"
#include "engine/lifecycle/monitor.h"
#include "metrics/connector_metrics.h"

namespace walduct::engine {

struct ConnectorRun {
  ConnectorOptions config;
  RunGoal goal = {};
  RunMode mode = RunMode::kRun;
  bool served = false;      // walduct serve takes commands for it
  Wake* changed = nullptr;  // borrowed; signalled when the status changes
};

class Connector final : public Monitored {
 public:
  using Options = ConnectorRun;
  // world is borrowed.
  Connector(Options options, Host& world);
  ~Connector() override { Quit(); }
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  // Runs it, also after it was stopped or has failed.
  void Start();
  // Stops reading until it is resumed; what was read is delivered and stored. While it streams, the
  // stream is closed and its source released; a snapshot under way is kept and waits.
  void Pause() { mailbox_.Post(Command::kPause); }
  // Goes on from the stored position.
  void Resume() { mailbox_.Post(Command::kResume); }
  // Ends the session and begins a new one, also after a failure. Paused or stopped it stays so.
  void Restart() { mailbox_.Post(Command::kRestart); }
  // Delivers and stores what was read, then ends.
  void Stop() { mailbox_.Post(Command::kStop); }
  // One of these by its name.
  void Post(Command command) { mailbox_.Post(command); }
  // The same, and waits for it. No command has an effect any more.
  void Quit();

  ConnectorStatus status() const override { return board_.Read(); }
  const std::string& name() const { return options_.config.name; }
  std::string metric_name() const;
  bool counts_per_table() const;
  const ConnectorNames& names() const override { return names_; }
  const ConnectorOptions& config() const override { return options_.config; }
  metrics::ConnectorMetrics& metrics() override { return metrics_; }
  const metrics::ConnectorMetrics& metrics() const { return metrics_; }

 private:
  const Options options_;
  const ConnectorNames names_;
  metrics::ConnectorMetrics metrics_;
  StatusBoard board_;
  Mailbox mailbox_;
  Control control_;      // the thread's own
  Lifecycle lifecycle_;  // the same
  Mutex mutex_;
  bool started_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);
};

// One that a worker knows and that has no thread: stopped, or paused since before the worker was
// started. It is monitored all the same. Immutable but for its metrics.
class RestingConnector final : public Monitored {
 public:
  RestingConnector(ConnectorOptions config, ConnectorState state, Clock& clock);

  const ConnectorOptions& config() const override { return config_; }
  ConnectorStatus status() const override { return status_; }
  metrics::ConnectorMetrics& metrics() override { return metrics_; }
  const metrics::ConnectorMetrics& metrics() const { return metrics_; }
  const ConnectorNames& names() const override { return names_; }

 private:
  const ConnectorOptions config_;
  const ConnectorNames names_;
  ConnectorStatus status_;
  metrics::ConnectorMetrics metrics_;
};

}  // namespace walduct::engine
