// ConnectorSet: the connectors of a process. Each runs on its own thread and fails alone: the
// others go on, and whoever looks sees which one failed and why. Connectors come and go at run
// time.
//
// Thread-safety: all methods from any thread. A connector that was found stays usable after it was
// removed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/control/stop_signal.h"
#include "engine/control/wake_signal.h"
#include "engine/errors/error_policy.h"
#include "engine/lifecycle/connector.h"
#include "engine/world/world.h"

namespace walduct::engine {

class ConnectorSet {
 public:
  // world is borrowed and outlives the set.
  explicit ConnectorSet(World& world) : world_(world) {}

  // Starts it. AlreadyExists connector_exists: one has its name.
  absl::Status Add(Connector::Options options);
  // Stops it and waits for its end. NotFound connector_unknown.
  absl::Status Remove(const std::string& name);
  // Null: there is none of that name.
  std::shared_ptr<Connector> Find(const std::string& name) const;

  // Both by name.
  std::vector<std::shared_ptr<Connector>> All() const;
  std::vector<ConnectorStatus> Statuses() const;

  // Asks all to stop; does not wait.
  void StopAll();
  // Until all have stopped or failed; stop asks them to. Says in the log when one has failed and
  // others go on. The worst exit code. One caller.
  ExitCode AwaitEnd(const StopSignal& stop);

 private:
  void ReportFailures(const std::vector<ConnectorStatus>& statuses);

  World& world_;
  WakeSignal changed_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Connector>> connectors_;  // guarded by mutex_
  std::set<std::string> failed_;                                  // told of; AwaitEnd's
};

}  // namespace walduct::engine
