#include "metrics/histogram.h"

#include <algorithm>
#include <bit>

namespace walduct::metrics {
namespace {

constexpr int kFractionBits = 3;

// Values below 8 have a cell each; above, the cell is the highest bit and the three below it.
size_t CellOf(uint64_t value) {
  if (value < (1u << kFractionBits)) return value;
  const auto highest = static_cast<int>(std::bit_width(value)) - 1;
  const uint64_t fraction = (value >> (highest - kFractionBits)) & ((1u << kFractionBits) - 1);
  return (static_cast<size_t>(highest - kFractionBits + 1) << kFractionBits) + fraction;
}

// The smallest value of a cell.
uint64_t ValueOf(size_t cell) {
  if (cell < (1u << kFractionBits)) return cell;
  const size_t octave = cell >> kFractionBits;
  const uint64_t fraction = cell & ((1u << kFractionBits) - 1);
  return ((1u << kFractionBits) + fraction) << (octave - 1);
}

uint64_t WholeMilliseconds(absl::Duration duration) {
  return static_cast<uint64_t>(std::max<int64_t>(absl::ToInt64Milliseconds(duration), 0));
}

}  // namespace

void Histogram::Observe(absl::Duration duration, uint64_t count) {
  const int64_t us = std::max<int64_t>(absl::ToInt64Microseconds(duration), 0);
  size_t i = 0;
  while (i < kBoundsMs.size() && us > kBoundsMs[i] * 1000) ++i;
  buckets_[i].Add(count);
  sum_us_.Add(static_cast<uint64_t>(us) * count);
}

void Summary::Observe(absl::Duration duration) {
  const uint64_t ms = WholeMilliseconds(duration);
  min_.Set(count() == 0 ? ms : std::min(min_.value(), ms));
  max_.Set(std::max(max_.value(), ms));
  last_.Set(ms);
  sum_.Add(ms);
  cells_[std::min(CellOf(ms), kCells - 1)].Add();
  count_.Add();
}

std::optional<uint64_t> Summary::Quantile(double share) const {
  const uint64_t all = count();
  if (all == 0) return std::nullopt;
  const auto rank = static_cast<uint64_t>(share * static_cast<double>(all - 1));
  uint64_t below = 0;
  for (size_t i = 0; i < kCells; ++i) {
    below += cells_[i].value();
    if (below > rank) return std::clamp(ValueOf(i), min_.value(), max_.value());
  }
  return max();
}

}  // namespace walduct::metrics
