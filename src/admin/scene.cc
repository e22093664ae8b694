#include "admin/scene.h"

#include <utility>

#include "engine/lifecycle/connectors.h"

namespace walduct::admin {

Scene LookAt(const engine::Connectors& connectors, Clock& clock) {
  const auto scene_of = [](engine::ConnectorView& view) {
    ConnectorScene one;
    one.status = std::move(view.status);
    one.metric_name = std::move(view.metric_name);
    one.counts_per_table = view.counts_per_table;
    one.metrics = view.metrics;
    one.names = view.names;
    one.connector = std::move(view.connector);
    return one;
  };
  Scene scene{.now = clock.Now(), .monotonic = clock.Monotonic(), .connectors = {}};
  for (engine::ConnectorView& view : connectors.Look()) {
    scene.connectors.push_back(scene_of(view));
  }
  for (engine::ConnectorView& view : connectors.Resting()) scene.resting.push_back(scene_of(view));
  return scene;
}

}  // namespace walduct::admin
