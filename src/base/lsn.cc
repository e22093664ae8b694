#include "base/lsn.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace walduct {

absl::StatusOr<Lsn> Lsn::Parse(absl::string_view text) {
  const size_t slash = text.find('/');
  uint32_t high = 0;
  uint32_t low = 0;
  if (slash == absl::string_view::npos || slash > 8 || text.size() - slash - 1 > 8 ||
      !absl::SimpleHexAtoi(text.substr(0, slash), &high) ||
      !absl::SimpleHexAtoi(text.substr(slash + 1), &low)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "' is not an LSN; expected two hexadecimal halves like 16/B374D848"));
  }
  return Lsn((uint64_t{high} << 32) | low);
}

std::string Lsn::ToString() const {
  return absl::StrFormat("%X/%X", static_cast<uint32_t>(value_ >> 32),
                         static_cast<uint32_t>(value_));
}

}  // namespace walduct
