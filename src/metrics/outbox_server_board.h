// OutboxServerBoard: what a server says, once a minute, about outbox tables that are polled: rows
// that are dead and not vacuumed away, who keeps them, how full its queue of notifications is.
// Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/mutex.h"

namespace walduct::metrics {

struct OutboxServerView {
  std::optional<double> queue_used = {};   // of the queue of notifications, 0 to 1
  std::optional<uint64_t> dead_rows = {};  // a claim walks over them
  std::string holder = {}, release = {};   // of the oldest snapshot: who, and what to type
  absl::Duration held = {};                // so long, at least; zero: nobody has one
  absl::Duration looked_at = {};           // monotonic
};

// From there on it is told who keeps dead rows: a vacuum would be of no use.
inline constexpr uint64_t kManyDeadRows = 10000;
inline constexpr absl::Duration kLongHeld = absl::Minutes(1);

inline bool HoldsDeadRows(const OutboxServerView& view) {
  return view.dead_rows.value_or(0) >= kManyDeadRows && !view.holder.empty() &&
         view.held >= kLongHeld;
}

class OutboxServerBoard {
 public:
  void Show(const OutboxServerView& view) {
    const MutexLock lock(mutex_);
    view_ = view;
  }
  // Another process polls, and looks.
  void Forget() {
    const MutexLock lock(mutex_);
    view_.reset();
  }
  // Absent: nobody has looked.
  std::optional<OutboxServerView> Read() const {
    const MutexLock lock(mutex_);
    return view_;
  }

 private:
  mutable Mutex mutex_;
  std::optional<OutboxServerView> view_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
