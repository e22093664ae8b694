// IncrementalBoard: how far an incremental snapshot is. The data thread writes, chunk by chunk; any
// thread reads.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace walduct::metrics {

struct IncrementalView {
  static constexpr size_t kMostNamed = 100;

  bool running = false;  // false: the rest says nothing
  std::string id;        // of the signal that came last
  // The table that is read.
  std::string schema, table;
  uint64_t chunks = 0, rows = 0;           // of it, since `began`
  std::optional<uint64_t> estimated_rows;  // of the table; absent: not known, or a filter is used
  absl::Duration began;                    // on the monotonic clock
  // Behind it; of `named` the first ones.
  uint64_t tables_waiting = 0;
  std::vector<std::string> named;  // "schema.table"
  // What it stands still for: "paused", or what is in the way; empty: it does not.
  std::string held_by;
  absl::Duration held_since;  // on the monotonic clock

  // Of the table, at the rate so far.
  std::optional<absl::Duration> TimeLeft(absl::Duration now) const {
    if (!running || !estimated_rows || rows == 0 || !held_by.empty()) return std::nullopt;
    const uint64_t left = *estimated_rows > rows ? *estimated_rows - rows : 0;
    return (now - began) * (static_cast<double>(left) / static_cast<double>(rows));
  }
};

class IncrementalBoard {
 public:
  void Show(IncrementalView view) {
    const std::lock_guard<std::mutex> lock(mutex_);
    view_ = std::move(view);
  }
  IncrementalView Read() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return view_;
  }

 private:
  mutable std::mutex mutex_;
  IncrementalView view_;  // guarded by mutex_
};

}  // namespace walduct::metrics
