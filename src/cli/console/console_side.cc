#include "cli/console/console_side.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log_tail.h"
#include "config/properties/masking.h"

namespace walduct::cli {

admin::ConsolePages::Parts ConsoleSide::With(admin::History* history,
                                             admin::ConsolePages::Parts parts) {
  parts.history = history;
  return parts;
}

ConsoleSide::ConsoleSide(const console::ConsoleOptions& options,
                         const admin::ConsolePages::Parts& parts)
    : history_(*parts.connectors, *parts.clock), pages_(With(&history_, parts)) {
  if (!options.enabled) return;
  log::KeepLines(*parts.clock);
  history_.Start();
}

admin::ShownConfig Masked(const serve::ConfigMap& config,
                          const std::vector<config::PropertyReport>& report) {
  admin::ShownConfig shown;
  for (const auto& [key, value] : config) {
    if (!value) continue;
    const std::string name = config::Masking::ShownName(key);
    const auto found = std::find_if(report.begin(), report.end(),
                                    [&name](const auto& one) { return one.name == name; });
    shown.emplace_back(name, found == report.end() ? "******" : found->value);
  }
  return shown;
}

std::vector<admin::KnownConnector> KnownTo(const serve::Worker& worker) {
  std::vector<admin::KnownConnector> all;
  for (const std::string& name : worker.Names()) {
    const std::optional<serve::StatusView> view = worker.StatusOf(name);
    if (!view) continue;  // deleted meanwhile
    // Those of other classes have no version.
    admin::KnownConnector one{.name = name,
                              .state = view->state,
                              .task = {},
                              .trace = view->trace,
                              .other = view->version.empty()};
    if (view->task) {
      one.task = view->task->state;
      if (one.trace.empty()) one.trace = view->task->trace;
    }
    if (const auto where = worker.assignment().WhereIs(name); where && where->runs) {
      one.on = where->worker;
      one.url = where->url;
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace walduct::cli
