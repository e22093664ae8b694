// Patience: how long to wait before a target is asked again that does not take a record now. The
// first pauses are the same, then they double, up to the longest; each is shortened by up to a
// quarter at random, but for the first. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"
#include "base/backoff.h"

namespace walduct::sink {

class Patience {
 public:
  Patience(absl::Duration pause, absl::Duration longest, int steady_attempts, uint64_t seed)
      : pause_(pause),
        steady_attempts_(steady_attempts),
        backoff_(2 * pause, std::max(longest, pause), seed) {}

  // After so many attempts.
  absl::Duration After(int attempts) {
    return attempts < steady_attempts_ ? pause_ : backoff_.Next();
  }
  void Reset() { backoff_.Reset(); }

 private:
  const absl::Duration pause_;
  const int steady_attempts_;
  Backoff backoff_;
};

}  // namespace walduct::sink
