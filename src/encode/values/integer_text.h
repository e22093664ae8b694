// Integers as PostgreSQL prints them: -?(0|[1-9][0-9]*). Pure.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace walduct::encode {

// False: no such text, or beyond 64 bits.
inline bool ParseInteger(absl::string_view text, int64_t* value) {
  constexpr size_t kAlwaysFits = 18;
  const bool negative = !text.empty() && text[0] == '-';
  const absl::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || (digits[0] == '0' && text.size() > 1)) return false;
  if (digits.size() > kAlwaysFits) {
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, *value);
    return result.ec == std::errc() && result.ptr == end;
  }
  int64_t number = 0;
  for (const char c : digits) {
    const unsigned digit = static_cast<unsigned>(c) - '0';
    if (digit > 9) return false;
    number = number * 10 + digit;
  }
  *value = negative ? -number : number;
  return true;
}

}  // namespace walduct::encode
