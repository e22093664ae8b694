// IncrementalRuns: the running or last incremental snapshot with all tables of the process so far,
// as Debezium's bean tells of them. The data thread writes, chunk by chunk; any thread reads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "metrics/snapshot_board.h"
#include "metrics/table_metrics.h"

namespace walduct::metrics {

class IncrementalRuns {
 public:
  struct View {
    SnapshotOutcome outcome = SnapshotOutcome::kNone;
    absl::Duration began, ended;                 // on the monotonic clock; ended: once it has
    absl::Duration paused;                       // altogether, but for a pause that lasts
    std::optional<absl::Duration> paused_since;  // it lasts
    // Rows of each, of the last time it was read; no more than TableMetrics::kMaxTables.
    std::map<std::string, uint64_t> tables;
    uint64_t remaining = 0;
  };

  // Nobody reads any more.
  void Forget() {
    const MutexLock lock(mutex_);
    view_ = View();
  }
  // How it is now; the first tables begin a run.
  void Show(uint64_t remaining, bool paused, absl::Duration now) {
    const MutexLock lock(mutex_);
    if (remaining > 0 && view_.outcome != SnapshotOutcome::kRunning) Begin(now);
    view_.remaining = remaining;
    if (paused == view_.paused_since.has_value()) return;
    if (view_.paused_since) view_.paused += now - *view_.paused_since;
    view_.paused_since = paused ? std::optional(now) : std::nullopt;
  }
  void Scanned(const std::string& table, uint64_t rows) {
    const MutexLock lock(mutex_);
    if (view_.tables.size() < TableMetrics::kMaxTables || view_.tables.contains(table))
      view_.tables[table] = rows;
  }
  void End(SnapshotOutcome outcome, absl::Duration now) {
    const MutexLock lock(mutex_);
    view_.outcome = outcome;
    view_.ended = now;
  }
  View Read() const {
    const MutexLock lock(mutex_);
    return view_;
  }

 private:
  void Begin(absl::Duration now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    View begun;
    begun.outcome = SnapshotOutcome::kRunning;
    begun.began = now;
    begun.tables = std::move(view_.tables);
    view_ = std::move(begun);
  }

  mutable Mutex mutex_;
  View view_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
