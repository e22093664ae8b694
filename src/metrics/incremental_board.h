// IncrementalBoard: how far an incremental snapshot is. The data thread writes, chunk by chunk; any
// thread reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "metrics/table_progress.h"

namespace walduct::metrics {

// Rows before are those that an earlier process read of the table.
struct IncrementalView : TableProgress {
  static constexpr size_t kMostNamed = 100;

  bool running = false;  // false: the rest says nothing
  std::string id;        // of the signal that came last
  // The table that is read.
  std::string schema, table;
  uint64_t chunks = 0;   // of it, since `began`
  absl::Duration began;  // on the monotonic clock
  absl::Duration held;   // since then it stood still so long, but for what holds it now
  // Behind it; of `named` the first ones.
  uint64_t tables_waiting = 0;
  std::vector<std::string> named;  // "schema.table"
  // What it stands still for: "paused", or what is in the way; empty: it does not.
  std::string held_by;
  absl::Duration held_since;  // on the monotonic clock

  // Until now, or until it came to stand still.
  absl::Duration Reading(absl::Duration now) const {
    return (held_by.empty() ? now : std::max(held_since, began)) - began - held;
  }
  // Rows a second, on the average.
  double Rate(absl::Duration now) const {
    const double seconds = absl::ToDoubleSeconds(Reading(now));
    return seconds > 0 ? static_cast<double>(rows) / seconds : 0;
  }
  // Of the table, at the rate so far.
  std::optional<absl::Duration> TimeLeft(absl::Duration now) const {
    const std::optional<uint64_t> left = rows_left();
    if (!running || !left || rows == 0 || !held_by.empty()) return std::nullopt;
    return Reading(now) * (static_cast<double>(*left) / static_cast<double>(rows));
  }
};

class IncrementalBoard {
 public:
  void Show(IncrementalView view) {
    const MutexLock lock(mutex_);
    view_ = std::move(view);
  }
  IncrementalView Read() const {
    const MutexLock lock(mutex_);
    return view_;
  }

 private:
  mutable Mutex mutex_;
  IncrementalView view_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
