#include "metrics/table_metrics.h"

namespace walduct::metrics {

TableCounters* TableMetrics::Of(const std::string& schema, const std::string& table) {
  const MutexLock lock(mutex_);
  std::pair<std::string, std::string> name(schema, table);
  if (const auto found = tables_.find(name); found != tables_.end()) return found->second.get();
  if (tables_.size() >= kMaxTables) name = {};
  std::unique_ptr<TableCounters>& counters = tables_[std::move(name)];
  if (counters == nullptr) counters = std::make_unique<TableCounters>();
  return counters.get();
}

std::vector<TableMetrics::View> TableMetrics::Read() const {
  const MutexLock lock(mutex_);
  std::vector<View> views;
  for (const auto& [name, counters] : tables_)
    views.push_back({.schema = name.first, .table = name.second, .counters = counters.get()});
  return views;
}

}  // namespace walduct::metrics
