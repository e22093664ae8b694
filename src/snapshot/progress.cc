#include "snapshot/progress.h"

namespace walduct::snapshot {

uint64_t RowsPerSecond(uint64_t rows, absl::Duration elapsed) {
  const double seconds = absl::ToDoubleSeconds(elapsed);
  return seconds <= 0 ? 0 : static_cast<uint64_t>(static_cast<double>(rows) / seconds);
}

std::optional<absl::Duration> EstimatedTimeLeft(const SnapshotProgress& progress) {
  if (!progress.estimated_remaining_rows || progress.rows == 0) return std::nullopt;
  const double share =
      static_cast<double>(*progress.estimated_remaining_rows) / static_cast<double>(progress.rows);
  return progress.elapsed * share;
}

}  // namespace walduct::snapshot
