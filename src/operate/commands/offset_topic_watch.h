// OffsetTopicWatch: looks from time to time whether the topics that connectors store their
// positions in still keep them. A start refuses a topic that is not compacted; what somebody
// changes afterwards would only be known when the position is gone.
//
// Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/worker_thread.h"

namespace walduct::operate {

// A topic of offsets, and a look at several that the same clients reach (doctor/doctor_report.h).
struct OffsetTopic {
  // Who asks: brokers, and properties with secrets inside. What is the same is asked together.
  std::pair<std::string, std::map<std::string, std::string>> clients;
  std::string topic;  // empty: the positions are elsewhere
  // An answer for each, or one for all. Blocks for some seconds.
  std::function<std::vector<absl::Status>(const std::vector<std::string>& topics)> look;
};

class OffsetTopicWatch {
 public:
  // Before Start.
  void Add(const OffsetTopic& topic);
  // The first look is one interval away: the start has looked.
  void Start(absl::Duration interval = absl::Minutes(1));

  // What the last look found of the first topic that is not as it has to be. OK: of none.
  absl::Status trouble() const;

 private:
  void Look();

  struct Asked {
    decltype(OffsetTopic::look) look;
    std::set<std::string> topics;
  };
  std::map<decltype(OffsetTopic::clients), Asked> asked_;  // in one request each
  mutable Mutex mutex_;
  absl::Status trouble_ ABSL_GUARDED_BY(mutex_);
  WorkerThread thread_{mutex_};  // last: uses all of the above
};

}  // namespace walduct::operate
