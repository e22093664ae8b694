// StopRequest: what a signal means that comes after another one. GNU timeout sends two at once, and
// process managers send to a group and to its leader: the same signal soon after the first is the
// same wish. A later one, or a different one, is impatience.
//
// Async-signal-safe.
#pragma once

#include <atomic>

#include "absl/time/time.h"

namespace walduct::cli {

class StopRequest {
 public:
  static constexpr absl::Duration kSameWish = absl::Seconds(2);

  // now: on a monotonic clock. True: end at once.
  bool Insists(int signal, absl::Duration now) {
    int first = 0;
    if (first_.compare_exchange_strong(first, signal)) {
      at_ns_.store(absl::ToInt64Nanoseconds(now));
      return false;
    }
    const int64_t at = at_ns_.load();
    return signal != first || (at != 0 && now - absl::Nanoseconds(at) > kSameWish);
  }

 private:
  std::atomic<int> first_{0};
  std::atomic<int64_t> at_ns_{0};  // zero: the first one is just being taken
};

}  // namespace walduct::cli
