#include "metrics/destination_metrics.h"

namespace walduct::metrics {

DestinationCounters* DestinationMetrics::Of(absl::string_view destination) {
  const MutexLock lock(mutex_);
  if (const auto found = all_.find(destination); found != all_.end()) return found->second.get();
  if (all_.size() >= kMaxDestinations) destination = kOthers;
  std::unique_ptr<DestinationCounters>& counters = all_[std::string(destination)];
  if (counters == nullptr) counters = std::make_unique<DestinationCounters>();
  return counters.get();
}

std::vector<DestinationMetrics::View> DestinationMetrics::Read() const {
  const MutexLock lock(mutex_);
  std::vector<View> views;
  for (const auto& [destination, counters] : all_)
    views.push_back({.destination = destination, .counters = counters.get()});
  return views;
}

}  // namespace walduct::metrics
