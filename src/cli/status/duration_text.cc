#include "cli/status/duration_text.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace walduct::cli {

std::string DurationText(absl::Duration duration) {
  duration = std::max(duration, absl::ZeroDuration());
  const int64_t seconds = absl::ToInt64Seconds(duration);
  if (seconds < 10) return absl::StrFormat("%.1f s", absl::ToDoubleSeconds(duration));
  if (seconds < 120) return absl::StrCat(seconds, " s");
  if (seconds < 7200) return absl::StrFormat("%dm %02ds", seconds / 60, seconds % 60);
  if (seconds < 172800) return absl::StrFormat("%dh %02dm", seconds / 3600, seconds / 60 % 60);
  return absl::StrFormat("%dd %02dh", seconds / 86400, seconds / 3600 % 24);
}

}  // namespace walduct::cli
