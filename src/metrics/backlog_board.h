// BacklogBoard: rows of polled outbox tables that are not published, as they were counted last. A
// row that waited then, and that nobody could count since, waits longer now as far as anybody
// knows: its age goes on, whoever is away. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/mutex.h"

namespace walduct::metrics {

struct BacklogView {
  uint64_t unpublished = 0, parked = 0;
  absl::Duration oldest = {};      // age of the oldest that is not parked, by now
  absl::Duration counted_at = {};  // or, before the first count, when it was begun; monotonic
  bool counted = true;             // false: not once yet, only the age says something
  std::string hint = {};           // what lists those that are parked
};

class BacklogBoard {
 public:
  // Somebody is about to count. What an earlier one counted holds on.
  void Begin(absl::Duration now) {
    const MutexLock lock(mutex_);
    if (view_) return;
    view_ = BacklogView{.counted_at = now, .counted = false};
    due_ = absl::InfiniteDuration();
  }
  // due: the next count is there by then, on the monotonic clock.
  void Show(const BacklogView& view, absl::Duration due) {
    const MutexLock lock(mutex_);
    view_ = view;
    due_ = due;
  }
  // Whether who publishes has found rows that are not known to be published.
  void Comes(bool rows) {
    const MutexLock lock(mutex_);
    comes_ = rows;
  }
  // It cannot be counted, or nobody counts any more.
  void Lapse() {
    const MutexLock lock(mutex_);
    due_ = absl::ZeroDuration();
  }
  // Another process publishes, and counts.
  void Forget() {
    const MutexLock lock(mutex_);
    view_.reset();
    comes_ = false;
  }

  // Absent: nobody has begun to count.
  std::optional<BacklogView> Read(absl::Duration now) const {
    const MutexLock lock(mutex_);
    std::optional<BacklogView> view = view_;
    const bool waits = view && (comes_ || view->unpublished > 0);
    if (waits && now > due_) view->oldest += now - view->counted_at;
    return view;
  }

 private:
  mutable Mutex mutex_;
  std::optional<BacklogView> view_ ABSL_GUARDED_BY(mutex_);
  absl::Duration due_ ABSL_GUARDED_BY(mutex_);
  bool comes_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace walduct::metrics
