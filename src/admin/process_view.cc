#include "admin/process_view.h"

#include <utility>

#include "engine/lifecycle/connectors.h"

namespace walduct::admin {

ProcessView ViewOf(const engine::Connectors& connectors, Clock& clock) {
  const auto shown = [](engine::ConnectorView& view) {
    ShownConnector one;
    one.status = std::move(view.status);
    one.metric_name = std::move(view.metric_name);
    one.counts_per_table = view.counts_per_table;
    one.metrics = view.metrics;
    one.names = view.names;
    one.connector = std::move(view.connector);
    return one;
  };
  ProcessView process{.now = clock.Now(), .monotonic = clock.Monotonic(), .connectors = {}};
  for (engine::ConnectorView& view : connectors.Views()) {
    process.connectors.push_back(shown(view));
  }
  for (engine::ConnectorView& view : connectors.Resting()) process.resting.push_back(shown(view));
  return process;
}

}  // namespace walduct::admin
