// ConnectorSet: the connectors of a process. Each runs on its own thread and fails alone: the
// others go on, and whoever looks sees which one failed and why. Connectors come and go at run
// time. One that several threads read is run as so many lanes (Host::LanesOf), which are commanded
// together and shown one by one.
//
// Thread-safety: all methods from any thread. A connector that was found stays usable after it was
// removed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "base/wake.h"
#include "engine/control/stop_signal.h"
#include "engine/errors/error_policy.h"
#include "engine/lifecycle/connectors.h"
#include "engine/lifecycle/host.h"
#include "engine/lifecycle/monitor.h"

namespace walduct::engine {

class Connector;
struct ConnectorRun;  // connector.h
class RestingConnector;

class ConnectorSet final : public Connectors {
 public:
  // world is borrowed and outlives the set.
  explicit ConnectorSet(Host& world) : world_(world), monitor_(world.MakeMonitor()) {}

  // Starts it. AlreadyExists connector_exists: one has its name.
  absl::Status Add(ConnectorRun options);
  absl::Status Begin(const ConnectorOptions& config) override;
  absl::Status Remove(const std::string& name) override;
  bool Post(const std::string& name, Command command) override;
  // Its first lane. Null: there is none of that name.
  std::shared_ptr<Connector> Find(const std::string& name) const;

  // By name, and by number of the lane.
  std::vector<std::shared_ptr<Connector>> All() const;
  std::optional<ConnectorStatus> StatusOf(const std::string& name) const override;
  std::vector<ConnectorView> Views() const override;
  std::vector<ConnectorStatus> Statuses() const override;
  std::vector<ConnectorView> Resting() const override;
  // Not beside AwaitEnd.
  int changes_fd() const override { return changed_.fd(); }
  bool TakeChanges() override;

  void Rest(const ConnectorOptions& config, ConnectorState state) override;
  void KeepResting(const std::set<std::string>& names) override;

  // Asks all to stop; does not wait.
  void StopAll();
  // Until all have stopped or failed; stop asks them to. Says in the log when one has failed and
  // others go on. The worst exit code. One caller.
  ExitCode AwaitEnd(const StopSignal& stop);

 private:
  // Of one connector, by number; of most there is one.
  using Lanes = std::vector<std::shared_ptr<Connector>>;

  // Empty: there is none of that name.
  Lanes LanesOf(const std::string& name) const;
  void ReportFailures(const std::vector<ConnectorStatus>& statuses);

  Host& world_;
  Wake changed_;
  mutable Mutex mutex_;
  std::map<std::string, Lanes> connectors_ ABSL_GUARDED_BY(mutex_);
  using RestingLanes = std::vector<std::shared_ptr<RestingConnector>>;
  std::map<std::string, RestingLanes> resting_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> failed_;      // already logged; used by AwaitEnd only
  std::unique_ptr<Monitor> monitor_;  // last: its thread uses the connectors
};

}  // namespace walduct::engine
