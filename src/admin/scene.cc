#include "admin/scene.h"

#include <utility>

#include "engine/lifecycle/connector_set.h"

namespace walduct::admin {

Scene LookAt(const engine::ConnectorSet& connectors, Clock& clock) {
  Scene scene{.now = clock.Now(), .monotonic = clock.Monotonic(), .connectors = {}};
  for (std::shared_ptr<engine::Connector>& connector : connectors.All()) {
    ConnectorScene one;
    one.status = connector->status();
    one.topic_prefix = connector->topic_prefix();
    one.metrics = &connector->metrics();
    one.connector = std::move(connector);
    scene.connectors.push_back(std::move(one));
  }
  return scene;
}

}  // namespace walduct::admin
