// Integers as PostgreSQL prints them: -?(0|[1-9][0-9]*). Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "encode/values/digits.h"

namespace walduct::encode {

// False: no such text, or beyond 64 bits.
inline bool ParseInteger(absl::string_view text, int64_t* value) {
  constexpr size_t kMostDigits = 19;  // which 64 bits without a sign hold
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  const bool negative = !text.empty() && text[0] == '-';
  const size_t sign = negative ? 1 : 0;
  const size_t size = text.size() - sign;
  if (size == 0 || size > kMostDigits || (text[sign] == '0' && text.size() > 1)) return false;
  uint64_t number = 0;
  if (!ReadDigits(text.substr(sign), &number)) return false;
  *value = static_cast<int64_t>(negative ? 0 - number : number);
  return number < kLimit || (negative && number == kLimit);
}

}  // namespace walduct::encode
