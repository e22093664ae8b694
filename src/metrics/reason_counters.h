// ReasonCounters: how often something happened, by the stable id of its reason. For what is rare:
// takes a lock. Thread-safe. At most kMaxReasons are told apart, the rest is "other".
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/mutex.h"

namespace walduct::metrics {

class ReasonCounters {
 public:
  static constexpr size_t kMaxReasons = 64;

  // An empty reason is "unknown".
  void Add(const std::string& reason);
  std::map<std::string, uint64_t> Read() const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, uint64_t> counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
