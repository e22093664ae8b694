// DestinationMetrics: what became of the records of each destination, which is what the sink was
// given as their topic. The data thread counts, without a lock once it knows a destination; any
// thread reads. At most kMaxDestinations have numbers of their own, all others share those of
// kOthers: a topic for each row does not make a series for each row.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "metrics/cell.h"

namespace walduct::metrics {

struct DestinationCounters {
  Counter records, bytes;  // acknowledged; bytes of keys and values
  Counter refused;
  Gauge in_flight;             // records
  Gauge last_acknowledged_us;  // since the Unix epoch; 0: none yet
};

class DestinationMetrics {
 public:
  static constexpr size_t kMaxDestinations = 200;
  static constexpr char kOthers[] = "other";

  struct View {
    std::string destination;
    const DestinationCounters* counters;
  };

  // The data thread. The counters live as long as this.
  DestinationCounters* Of(absl::string_view destination);
  // Any thread; by name.
  std::vector<View> Read() const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<DestinationCounters>, std::less<>> all_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
