// Pace: when the next chunk may be read: not faster than a rate, and not while the stream is late
// or the slot keeps much WAL. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace walduct::incremental {

class Pace {
 public:
  // 0: no limit.
  struct Limits {
    uint64_t rows_per_second = 0;
    uint64_t retained_bytes = 0;  // of WAL, by the slot
    absl::Duration lag = absl::ZeroDuration();
  };
  // Absent: not known; it holds nothing up.
  struct Seen {
    std::optional<uint64_t> retained_bytes = {};
    std::optional<absl::Duration> lag = {};
  };
  explicit Pace(const Limits& limits) : limits_(limits) {}

  // So many rows were read.
  void Took(uint64_t rows, absl::Duration now);
  // On the monotonic clock: the rate lets nothing be read before.
  absl::Duration due() const { return due_; }

  // Why nothing is read now, in words that stay the same while it lasts; empty: nothing is in the
  // way. What has passed its limit holds until it has fallen well below.
  std::string Judge(const Seen& seen);

 private:
  const Limits limits_;
  absl::Duration due_ = -absl::InfiniteDuration();
  bool much_wal_ = false, late_ = false;
};

}  // namespace walduct::incremental
