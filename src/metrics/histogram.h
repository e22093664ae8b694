// Distributions of durations. One thread observes, any thread reads; nothing is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "metrics/cell.h"

namespace walduct::metrics {

// Counts by upper bound, for an exposition. Durations below zero count as zero.
class Histogram {
 public:
  static constexpr std::array<int64_t, 17> kBoundsMs = {
      1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 300000, 1800000};

  void Observe(absl::Duration duration, uint64_t count = 1);

  // Of bucket i alone; the last one has no bound.
  uint64_t bucket(size_t i) const { return buckets_[i].value(); }
  static constexpr size_t kBuckets = kBoundsMs.size() + 1;
  uint64_t sum_us() const { return sum_us_.value(); }

 private:
  std::array<Counter, kBuckets> buckets_;
  Counter sum_us_;
};

// Last value, extremes, mean and quantiles of a duration, in milliseconds; quantiles are right to
// an eighth. Values below zero count as zero.
class Summary {
 public:
  void Observe(absl::Duration duration);

  uint64_t count() const { return count_.value(); }
  // All absent before the first observation.
  std::optional<uint64_t> last() const { return Of(last_.value()); }
  std::optional<uint64_t> min() const { return Of(min_.value()); }
  std::optional<uint64_t> max() const { return Of(max_.value()); }
  std::optional<uint64_t> mean() const { return Of(count() > 0 ? sum_.value() / count() : 0); }
  // share: between 0 and 1.
  std::optional<uint64_t> Quantile(double share) const;

 private:
  std::optional<uint64_t> Of(uint64_t value) const {
    return count() > 0 ? std::optional(value) : std::nullopt;
  }

  // Eight to each power of two.
  static constexpr size_t kCells = size_t{8} * 48;
  std::array<Counter, kCells> cells_;
  Counter count_, sum_;
  Gauge last_, min_, max_;
};

}  // namespace walduct::metrics
