#include "metrics/table_progress.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace walduct::metrics {
namespace {

// An estimate does not tell that all is read.
constexpr double kNearlyAll = 0.99;

double Ratio(uint64_t part, uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1));
}

uint64_t Less(uint64_t whole, uint64_t part) { return whole > part ? whole - part : 0; }

}  // namespace

std::string ShareText(const std::optional<ReadShare>& share) {
  if (!share) return "unknown";
  return absl::StrFormat("%.1f by %s", 100 * share->value, BasisText(*share));
}

std::optional<ReadShare> TableProgress::share() const {
  if (done) return ReadShare{.value = 1, .by_blocks = blocks.has_value()};
  if (blocks) {
    const double read = Ratio(blocks_before + blocks_read, *blocks);
    return ReadShare{.value = std::min(read, 1.0), .by_blocks = true};
  }
  if (!estimated_rows) return std::nullopt;
  const double read = Ratio(rows_before + rows, *estimated_rows);
  return ReadShare{.value = std::min(read, kNearlyAll), .by_blocks = false};
}

std::optional<uint64_t> TableProgress::rows_left() const {
  if (done) return 0;
  if (!blocks) {
    if (!estimated_rows) return std::nullopt;
    return Less(*estimated_rows, rows_before + rows);
  }
  const uint64_t left = Less(*blocks, blocks_before + blocks_read);
  if (blocks_read > 0)
    return static_cast<uint64_t>(static_cast<double>(rows) * Ratio(left, blocks_read));
  if (!estimated_rows) return std::nullopt;
  return static_cast<uint64_t>(static_cast<double>(*estimated_rows) * Ratio(left, *blocks));
}

}  // namespace walduct::metrics
