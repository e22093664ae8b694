// How far a snapshot is, for the log. Pure values; times come from the caller's Clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "metrics/table_progress.h"

namespace walduct::snapshot {

struct SnapshotProgress {
  size_t tables_done = 0;
  size_t tables_total = 0;
  uint64_t rows = 0;  // of all tables
  absl::Duration elapsed;
  std::string table;  // being read, or next, or the last: "schema.table"
  uint64_t table_rows = 0;
  absl::Duration table_elapsed;
  std::optional<metrics::ReadShare> table_share;
  size_t table_chunks = 1, table_chunks_read = 0;
  // Rows still to come by what is known of the tables; absent when it is nothing.
  std::optional<uint64_t> estimated_remaining_rows;
  bool at_least = false;  // of some tables that are left nothing is known: they come on top
};

// 0 before any time has passed.
uint64_t RowsPerSecond(uint64_t rows, absl::Duration elapsed);

// At the rate of the whole snapshot so far. Absent when the rest or the rate is not known.
std::optional<absl::Duration> EstimatedTimeLeft(const SnapshotProgress& progress);

// Says once per interval that it is time.
class Interval {
 public:
  Interval(absl::Duration length, absl::Duration now) : length_(length), next_(now + length) {}
  bool Due(absl::Duration now) {
    if (now < next_) return false;
    next_ = now + length_;
    return true;
  }

 private:
  absl::Duration length_;
  absl::Duration next_;
};

}  // namespace walduct::snapshot
