// Connectors: the connectors of a process, as managers and pages see them.
//
// Thread-safety: all methods from any thread.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/control/mailbox.h"
#include "engine/control/status_board.h"

namespace walduct::metrics {
struct ConnectorMetrics;
}  // namespace walduct::metrics

namespace walduct::engine {

struct ConnectorOptions;

struct ConnectorView {
  std::shared_ptr<const void> connector;  // keeps what follows alive
  ConnectorStatus status;
  std::string metric_name;  // of Debezium's series: the topics' prefix, and tags
  bool counts_per_table = false;
  const metrics::ConnectorMetrics* metrics = nullptr;
  const ConnectorNames* names = nullptr;
  const ConnectorOptions* config = nullptr;
};

class Connectors {
 public:
  virtual ~Connectors() = default;

  // Starts one. AlreadyExists connector_exists: one has its name.
  virtual absl::Status Begin(const ConnectorOptions& config) = 0;
  // Stops it and waits for its end. NotFound connector_unknown.
  virtual absl::Status Remove(const std::string& name) = 0;
  // Returns at once. False: there is none of that name.
  virtual bool Post(const std::string& name, Command command) = 0;

  // Absent: there is none of that name.
  virtual std::optional<ConnectorStatus> StatusOf(const std::string& name) const = 0;
  // Both by name; of a connector with several lanes one for each.
  virtual std::vector<ConnectorView> Views() const = 0;
  virtual std::vector<ConnectorStatus> Statuses() const = 0;
  // One is known and does not run: its slot is looked at until it is begun, or rested anew.
  virtual void Rest(const ConnectorOptions&, ConnectorState) {}
  // All other resting ones are forgotten.
  virtual void KeepResting(const std::set<std::string>&) {}
  // By name: of each only the slot and the lag are known.
  virtual std::vector<ConnectorView> Resting() const { return {}; }

  // Readable when the state or activity of one has changed, until TakeChanges, which says whether
  // one has; of the one thread that waits. Negative: nobody tells, and one may have at any time.
  virtual int changes_fd() const { return -1; }
  virtual bool TakeChanges() { return true; }
};

}  // namespace walduct::engine
