#include "incremental/stored/decimal_bytes.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace walduct::incremental {

std::optional<DecimalBytes> ParseDecimal(absl::string_view text) {
  DecimalBytes decimal;
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  bool fraction = false;
  std::string low_first;  // bytes, the lowest first
  bool digits = false;
  for (const char c : text) {
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return std::nullopt;
    digits = true;
    if (fraction) ++decimal.scale;
    int carry = c - '0';
    for (char& byte : low_first) {
      carry += 10 * static_cast<unsigned char>(byte);
      byte = static_cast<char>(carry & 0xFF);
      carry >>= 8;
    }
    if (carry != 0) low_first.push_back(static_cast<char>(carry));
  }
  if (!digits) return std::nullopt;
  decimal.magnitude.assign(low_first.rbegin(), low_first.rend());
  decimal.sign = decimal.magnitude.empty() ? 0 : (negative ? -1 : 1);
  return decimal;
}

std::string PrintDecimal(const DecimalBytes& decimal) {
  std::string low_first(1, '0');  // digits, the lowest first
  for (const char byte : decimal.magnitude) {
    int carry = static_cast<unsigned char>(byte);
    for (char& digit : low_first) {
      carry += 256 * (digit - '0');
      digit = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    for (; carry != 0; carry /= 10) low_first.push_back(static_cast<char>('0' + carry % 10));
  }
  if (decimal.scale < 0) low_first.insert(0, static_cast<size_t>(-decimal.scale), '0');
  const size_t scale = static_cast<size_t>(std::max(decimal.scale, 0));
  if (low_first.size() <= scale) low_first.append(scale + 1 - low_first.size(), '0');
  std::string text(low_first.rbegin(), low_first.rend());
  if (scale > 0) text.insert(text.size() - scale, ".");
  return absl::StrCat(decimal.sign < 0 ? "-" : "", text);
}

}  // namespace walduct::incremental
