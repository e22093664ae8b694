#include "metrics/reason_counters.h"

namespace walduct::metrics {

void ReasonCounters::Add(const std::string& reason) {
  const MutexLock lock(mutex_);
  const std::string name = reason.empty() ? "unknown" : reason;
  const bool known = counts_.contains(name);
  ++counts_[known || counts_.size() < kMaxReasons ? name : "other"];
}

std::map<std::string, uint64_t> ReasonCounters::Read() const {
  const MutexLock lock(mutex_);
  return counts_;
}

}  // namespace walduct::metrics
