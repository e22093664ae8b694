#include "metrics/reason_counters.h"

namespace walduct::metrics {

void ReasonCounters::Add(const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::string name = reason.empty() ? "unknown" : reason;
  const bool known = counts_.contains(name);
  ++counts_[known || counts_.size() < kMaxReasons ? name : "other"];
}

std::map<std::string, uint64_t> ReasonCounters::Read() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

}  // namespace walduct::metrics
