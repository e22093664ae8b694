// Backoff: exponential delays between attempts, initial × 2^n up to a maximum, each shortened by up
// to a quarter at random so that many clients do not retry in step. Reset() after success. Not
// thread-safe.
#pragma once

#include <cstdint>

#include "absl/time/time.h"

namespace walduct {

class Backoff {
 public:
  Backoff(absl::Duration initial, absl::Duration maximum, uint64_t seed)
      : initial_(initial), maximum_(maximum), next_(initial), state_(seed | 1) {}

  absl::Duration Next();
  void Reset() { next_ = initial_; }

 private:
  absl::Duration initial_;
  absl::Duration maximum_;
  absl::Duration next_;
  uint64_t state_;
};

}  // namespace walduct
