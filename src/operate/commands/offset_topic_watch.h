// OffsetTopicWatch: looks from time to time whether the topics that connectors store their
// positions in still keep them. A start refuses a topic that is not compacted; what somebody
// changes afterwards would only be known when the position is gone.
//
// Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/worker_thread.h"

namespace walduct::operate {

// A topic of offsets, and a look at it (doctor/doctor_report.h), which blocks for some seconds.
struct OffsetTopic {
  std::string place;  // brokers and name; empty: the positions are elsewhere
  std::function<absl::Status()> look;
};

class OffsetTopicWatch {
 public:
  // Before Start. One of each place is enough.
  void Add(const OffsetTopic& topic);
  // The first look is one interval away: the start has looked.
  void Start(absl::Duration interval = absl::Minutes(1));

  // What the last look found of the first topic that is not as it has to be. OK: of none.
  absl::Status trouble() const;

 private:
  void Look();

  std::map<std::string, std::function<absl::Status()>> topics_;
  mutable Mutex mutex_;
  absl::Status trouble_ ABSL_GUARDED_BY(mutex_);
  WorkerThread thread_{mutex_};  // last: uses all of the above
};

}  // namespace walduct::operate
