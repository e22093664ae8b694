// HandoverNews: what the first lane of a connector tells the others of the hand-over to another
// number of slots that it leads. A hint that spares them looking at the offset store: what is
// stored there counts.
//
// Thread-safety: any thread.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "base/mutex.h"

namespace walduct::slot {

class HandoverNews {
 public:
  struct Now {
    bool leads = false;  // is at it
    bool led = false;    // it has ended well since the process began
    absl::Status refused;
    uint64_t refusals = 0;  // so far
  };

  void Begin() {
    const MutexLock lock(mutex_);
    now_.leads = true;
    now_.refused = absl::OkStatus();
  }
  // It will be tried again.
  void Rest() {
    const MutexLock lock(mutex_);
    now_.leads = false;
  }
  // OK: tables are where they belong. Otherwise the lane has failed.
  void End(const absl::Status& status) {
    const MutexLock lock(mutex_);
    now_.leads = false;
    now_.led = status.ok();
    now_.refused = status;
    if (!status.ok()) ++now_.refusals;
  }
  Now Read() const {
    const MutexLock lock(mutex_);
    return now_;
  }

 private:
  mutable Mutex mutex_;
  Now now_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::slot
