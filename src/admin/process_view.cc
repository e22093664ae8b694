#include "admin/process_view.h"

#include <utility>

#include "engine/configuration/shared_prefixes.h"
#include "engine/configuration/shared_slots.h"
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
  engine::SharedPrefixes prefixes;
  engine::SharedSlots slots;
  for (auto* const all : {&process.connectors, &process.resting}) {
    for (engine::ConnectorView& view :
         all == &process.resting ? connectors.Resting() : connectors.Views()) {
      all->push_back(shown(view));
      if (all->back().names == nullptr) continue;
      prefixes.Add(*all->back().names);
      slots.Add(*all->back().names);
    }
  }
  for (ShownConnector& one : process.connectors) {
    if (one.names == nullptr) continue;
    one.shared_prefix = prefixes.TextOf(*one.names);
    one.shared_slot = slots.TextOf(*one.names);
    one.shared_slot_hint =
        engine::SharedSlotHint(*one.names, one.status.activity == engine::Activity::kStreaming);
  }
  return process;
}

}  // namespace walduct::admin
