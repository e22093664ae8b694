// ProcessView: what the pages are about, read once for each request: the connectors of the process,
// the clocks, the process itself.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "admin/worker_board.h"
#include "base/clock.h"
#include "engine/control/status_board.h"
#include "metrics/connector_metrics.h"

namespace walduct::engine {
class Connectors;
}  // namespace walduct::engine

namespace walduct::admin {

struct ShownConnector {
  std::shared_ptr<const void> connector;  // keeps what follows alive
  engine::ConnectorStatus status;
  std::string metric_name;  // of Debezium's series
  bool counts_per_table = false;
  const metrics::ConnectorMetrics* metrics = nullptr;
  const engine::ConnectorNames* names = nullptr;  // null: hints go without
  std::string shared_prefix = {};  // with whom it shares its topics; empty: with nobody
  std::string shared_slot = {};    // the same of its slot
  std::string shared_slot_hint = {};

  // Debezium's task is there: running, retrying or paused, but neither stopped nor failed.
  bool has_task() const { return !status.ended(); }
};

// A connector that a worker knows and that does not run: stopped, or paused ever since, or its
// configuration was refused.
struct IdleConnector {
  std::string name;
  std::string state;  // "STOPPED"
  std::optional<engine::ConnectorError> refused = {};
  std::vector<size_t> lanes = {};  // its own in ProcessView::resting
};

// What is wrong with the process itself, and harms no connector.
struct ProcessNotice {
  std::string message, hint;
};

struct ProcessView {
  absl::Time now;
  absl::Duration monotonic;
  std::vector<ShownConnector> connectors;  // by name
  std::vector<IdleConnector> idle = {};    // not among those
  std::optional<WorkerView> worker = {};   // absent: the process is no worker
  // Of the idle ones, those whose slot is looked at: that, their state and their lag are known.
  std::vector<ShownConnector> resting = {};
  std::optional<ProcessNotice> notice = {};
};

ProcessView ViewOf(const engine::Connectors& connectors, Clock& clock);

}  // namespace walduct::admin
