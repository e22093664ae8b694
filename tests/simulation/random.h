// Random: the dice of one simulation. The same seed gives the same throws on every machine, which
// the standard distributions do not promise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "base/check.h"

namespace walduct::simulation {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // SplitMix64.
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 … n − 1.
  size_t Below(size_t n) {
    CHECK(n > 0);
    return static_cast<size_t>(Next() % n);
  }
  size_t Between(size_t least, size_t most) { return least + Below(most - least + 1); }
  bool OneIn(size_t n) { return Below(n) == 0; }
  // Zero up to most; small ones as likely as large ones.
  absl::Duration UpTo(absl::Duration most) {
    const auto us = static_cast<size_t>(absl::ToInt64Microseconds(most));
    return absl::Microseconds(static_cast<int64_t>(Below(us / (size_t{1} << Below(8)) + 1)));
  }

 private:
  uint64_t state_;
};

}  // namespace walduct::simulation
