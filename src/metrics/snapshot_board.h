// SnapshotBoard: how far the running or last snapshot is, table by table. The data thread writes,
// rows without a lock; any thread reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "metrics/cell.h"
#include "metrics/table_progress.h"

namespace walduct::metrics {

enum class SnapshotOutcome { kNone, kRunning, kCompleted, kAborted };

struct SnapshotTable : TableProgress {
  std::string schema, table;
  size_t chunks = 1, chunks_read = 0;  // statements that read it
  bool begun = false;
  absl::Duration began, ended;  // on the monotonic clock
};

struct SnapshotView {
  SnapshotOutcome outcome = SnapshotOutcome::kNone;
  std::vector<SnapshotTable> tables;  // in the order they are read
  absl::Duration began, ended;        // on the monotonic clock; ended: once it has

  uint64_t rows() const;
  // By the estimates; absent when there are none of what is left.
  std::optional<uint64_t> rows_left() const;
  // Some tables that are left have no estimate: they come on top.
  bool at_least() const;
  // At the rate so far; absent when nothing is known of it, or it does not run.
  std::optional<absl::Duration> TimeLeft(absl::Duration now) const;
  // A second, on the average; while it runs, and then of the whole.
  double Rate(absl::Duration now) const;
};

class SnapshotBoard {
 public:
  // A snapshot of these tables begins.
  void Begin(std::vector<SnapshotTable> tables, absl::Duration now);
  void BeginTable(size_t table, absl::Duration now);
  // Rows of a table that has begun.
  void AddRows(size_t table, uint64_t rows) { rows_[table].Add(rows); }
  // A chunk of so many blocks is read to its end.
  void EndChunk(size_t table, uint64_t blocks);
  void EndTable(size_t table, absl::Duration now);
  void End(SnapshotOutcome outcome, absl::Duration now);

  SnapshotView Read() const;

 private:
  mutable Mutex mutex_;
  SnapshotView view_ ABSL_GUARDED_BY(mutex_);  // without its rows
  std::unique_ptr<Counter[]> rows_;            // replaced under mutex_, by the thread that counts
};

}  // namespace walduct::metrics
