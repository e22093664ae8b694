// SlotBoard: what the server has said last of the slot. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/lsn.h"

namespace walduct::metrics {

// A transaction that has written something and has not ended.
struct OpenTransaction {
  std::string who;     // "pid 12 (database shop, …)", "prepared transaction 'x' (…)"
  absl::Duration age;  // when it was looked at
};

struct SlotView {
  std::string wal_status;  // "reserved", "extended", "unreserved", "lost"
  Lsn wal_end;             // of the server
  uint64_t retained_bytes = 0;
  uint64_t growth_per_second = 0;         // of that, in bytes
  std::optional<int64_t> safe_wal_bytes;  // absent: there is no limit
  // The server keeps WAL from its beginning on; absent: none, or none that the role may see.
  std::optional<OpenTransaction> oldest_transaction;
  absl::Duration looked_at;  // on the monotonic clock

  // At the present rate; absent: never, as far as is known.
  std::optional<absl::Duration> TimeUntilLost() const {
    if (!safe_wal_bytes || growth_per_second == 0) return std::nullopt;
    if (*safe_wal_bytes <= 0) return absl::ZeroDuration();
    return absl::Seconds(static_cast<double>(*safe_wal_bytes) /
                         static_cast<double>(growth_per_second));
  }
};

class SlotBoard {
 public:
  void Show(SlotView view) {
    const std::lock_guard<std::mutex> lock(mutex_);
    view_ = std::move(view);
  }
  // Absent until the server was asked.
  std::optional<SlotView> Read() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return view_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<SlotView> view_;  // guarded by mutex_
};

}  // namespace walduct::metrics
