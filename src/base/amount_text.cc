#include "base/amount_text.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace walduct {

std::string AmountText(double bytes) {
  static constexpr std::array<absl::string_view, 6> kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  const bool whole = unit == 0 || bytes >= 100;
  return absl::StrCat(whole ? absl::StrFormat("%.0f ", bytes) : absl::StrFormat("%.1f ", bytes),
                      kUnits[unit]);
}

}  // namespace walduct
