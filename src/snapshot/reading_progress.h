// ReadingProgress: which tables of a snapshot have begun and ended, how many rows and chunks they
// gave and how much of each that is, for the metrics and the log: a line every 10 s, at each
// table's end and at the end of all.
//
// Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/lsn.h"
#include "metrics/connector_metrics.h"
#include "snapshot/parts.h"
#include "snapshot/plan.h"
#include "snapshot/progress.h"

namespace walduct::snapshot {

class ReadingProgress {
 public:
  // All are borrowed.
  ReadingProgress(const std::vector<PlannedTable>& tables, const std::vector<TablePart>& parts,
                  Clock& clock, metrics::ConnectorMetrics& metrics);
  // Unless it was finished, it was aborted.
  ~ReadingProgress();
  ReadingProgress(const ReadingProgress&) = delete;
  ReadingProgress& operator=(const ReadingProgress&) = delete;

  void BeginTable(size_t table);
  void AddRows(size_t table, uint64_t rows);
  // blocks: of the chunk; 0: they are not counted.
  void EndChunk(size_t table, uint64_t blocks);
  void EndTable(size_t table);
  void Finish(Lsn consistent_point);
  void LogWhenDue();

  size_t tables_done() const { return done_; }
  uint64_t rows_of(size_t table) const { return tables_[table].rows; }
  uint64_t retained_wal_bytes() const { return metrics_.retained_wal_bytes.value(); }
  SnapshotProgress Look() const;

 private:
  void Log(const char* message, size_t table) const;
  SnapshotProgress Look(size_t table) const;
  size_t Current() const;

  Clock& clock_;
  metrics::ConnectorMetrics& metrics_;
  std::vector<metrics::SnapshotTable> tables_;  // as the board has them
  size_t current_ = 0;                          // began last
  size_t done_ = 0;
  uint64_t rows_ = 0;
  bool finished_ = false;
  absl::Duration started_;
  Interval log_interval_;
};

}  // namespace walduct::snapshot
