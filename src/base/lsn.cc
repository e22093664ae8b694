#include "base/lsn.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace walduct {
namespace {

// Digits only: SimpleHexAtoi alone would also take spaces, a sign or 0x.
bool ParseHalf(absl::string_view digits, uint32_t* half) {
  const bool hexadecimal = std::all_of(digits.begin(), digits.end(), [](char c) {
    return absl::ascii_isxdigit(static_cast<unsigned char>(c));
  });
  return hexadecimal && digits.size() <= 8 && absl::SimpleHexAtoi(digits, half);
}

}  // namespace

absl::StatusOr<Lsn> Lsn::Parse(absl::string_view text) {
  const size_t slash = text.find('/');
  uint32_t high = 0;
  uint32_t low = 0;
  if (slash == absl::string_view::npos || !ParseHalf(text.substr(0, slash), &high) ||
      !ParseHalf(text.substr(slash + 1), &low)) {
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
