#include "admin/scene.h"

#include <utility>

#include "engine/lifecycle/connectors.h"

namespace walduct::admin {

Scene LookAt(const engine::Connectors& connectors, Clock& clock) {
  Scene scene{.now = clock.Now(), .monotonic = clock.Monotonic(), .connectors = {}};
  for (engine::ConnectorView& view : connectors.Look()) {
    ConnectorScene one;
    one.status = std::move(view.status);
    one.metric_name = std::move(view.metric_name);
    one.counts_per_table = view.counts_per_table;
    one.metrics = view.metrics;
    one.connector = std::move(view.connector);
    scene.connectors.push_back(std::move(one));
  }
  return scene;
}

}  // namespace walduct::admin
