#include "incremental/options/pace.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::incremental {
namespace {

// What holds goes on below this part of its limit.
constexpr double kWellBelow = 0.8;

template <typename T>
bool Passes(const std::optional<T>& seen, const T& limit, const T& well_below, bool held) {
  if (limit <= T() || !seen) return false;
  return *seen > (held ? well_below : limit);
}

}  // namespace

void Pace::Took(uint64_t rows, absl::Duration now) {
  if (limits_.rows_per_second == 0) return;
  due_ = std::max(due_, now) +
         absl::Seconds(static_cast<double>(rows) / static_cast<double>(limits_.rows_per_second));
}

std::string Pace::Judge(const Seen& seen) {
  const auto most = static_cast<double>(limits_.retained_bytes);
  much_wal_ = Passes(seen.retained_bytes, limits_.retained_bytes,
                     static_cast<uint64_t>(most * kWellBelow), much_wal_);
  late_ = Passes(seen.lag, limits_.lag, limits_.lag * kWellBelow, late_);
  if (much_wal_) {
    return absl::StrCat("the slot keeps more than ", limits_.retained_bytes,
                        " bytes of WAL (walduct.snapshot.pause.retained.wal.bytes)");
  }
  if (late_) {
    return absl::StrCat("the stream is late by more than ", absl::FormatDuration(limits_.lag),
                        " (walduct.snapshot.pause.lag.ms)");
  }
  return "";
}

}  // namespace walduct::incremental
