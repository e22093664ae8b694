// How far a snapshot is, for the log and for status pages. Pure values; times come from the
// caller's Clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace walduct::snapshot {

struct SnapshotProgress {
  size_t tables_done = 0;
  size_t tables_total = 0;
  uint64_t rows = 0;  // of all tables
  absl::Duration elapsed;
  std::string table;  // being read, or next, or the last: "schema.table"
  uint64_t table_rows = 0;
  absl::Duration table_elapsed;
  // Rows still to come by the server's statistics; absent when it has none of what is left.
  std::optional<uint64_t> estimated_remaining_rows;
  bool at_least = false;  // it has none of some tables that are left: they come on top
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
