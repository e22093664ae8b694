#include "java/text/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace walduct::java {
namespace {

// Digits and decimal exponent of |value|: 0.d1d2d3… × 10^exponent is not used; the first digit
// stands before the point.
struct Shortest {
  char digits[24];
  int size = 0;
  int exponent = 0;
};

// Reads "d.ddde[+-]nn" as std::to_chars writes it.
Shortest ReadScientific(const char* begin, const char* end) {
  Shortest s;
  const char* p = begin;
  for (; p != end && *p != 'e'; ++p) {
    if (*p != '.') s.digits[s.size++] = *p;
  }
  if (p == end) return s;
  ++p;
  if (*p == '+') ++p;
  std::from_chars(p, end, s.exponent);
  return s;
}

template <typename Float>
Shortest ShortestOf(Float value) {
  char buffer[40];
  auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  Shortest s = ReadScientific(buffer, result.ptr);
  if (s.size == 1 && value < std::numeric_limits<Float>::min()) {
    // Java prints at least two digits and takes the nearest two-digit number: 4.9E-324, not
    // 5.0E-324. Only subnormal numbers are so far apart that its second digit is not zero.
    result =
        std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific, 1);
    s = ReadScientific(buffer, result.ptr);
  }
  while (s.size > 1 && s.digits[s.size - 1] == '0') --s.size;
  return s;
}

char* Put(absl::string_view text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* PutZeros(size_t count, char* to) {
  std::memset(to, '0', count);
  return to + count;
}

char* PutPlain(absl::string_view digits, int exponent, char* to) {
  if (exponent < 0) {
    to = PutZeros(static_cast<size_t>(-exponent - 1), Put("0.", to));
    return Put(digits, to);
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (whole >= digits.size()) return Put(".0", PutZeros(whole - digits.size(), Put(digits, to)));
  to = Put(".", Put(digits.substr(0, whole), to));
  return Put(digits.substr(whole), to);
}

char* PutExponent(absl::string_view digits, int exponent, char* to) {
  constexpr ptrdiff_t kMostDigits = 12;
  *to++ = digits[0];
  *to++ = '.';
  to = Put(digits.size() == 1 ? "0" : digits.substr(1), to);
  *to++ = 'E';
  return std::to_chars(to, to + kMostDigits, exponent).ptr;
}

constexpr int64_t kExactBelow = 10000000;  // 1e7, from where on there is an exponent

template <typename Float>
char* PutFloating(Float value, char* to) {
  constexpr ptrdiff_t kMostWhole = 8;
  if (std::isnan(value)) return Put("NaN", to);
  if (std::signbit(value)) {
    *to++ = '-';
    value = -value;
  }
  if (std::isinf(value)) return Put("Infinity", to);
  if (value == 0) return Put("0.0", to);
  if (value < static_cast<Float>(kExactBelow) && value == std::floor(value))  // as most are
    return Put(".0", std::to_chars(to, to + kMostWhole, static_cast<int64_t>(value)).ptr);
  const Shortest s = ShortestOf(value);
  return PutDigits({false, absl::string_view(s.digits, static_cast<size_t>(s.size)), s.exponent},
                   to);
}

template <typename Float>
void AppendFloating(Float value, std::string* out) {
  char buffer[kMostOfNumber];
  out->append(buffer, static_cast<size_t>(PutFloating(value, buffer) - buffer));
}

}  // namespace

char* PutDouble(double value, char* to) { return PutFloating(value, to); }
char* PutFloat(float value, char* to) { return PutFloating(value, to); }
void AppendDouble(double value, std::string* out) { AppendFloating(value, out); }
void AppendFloat(float value, std::string* out) { AppendFloating(value, out); }

char* PutDigits(const ShortestDigits& number, char* to) {
  if (number.negative) *to++ = '-';
  if (number.digits.empty()) return Put("0.0", to);
  if (number.exponent >= -3 && number.exponent < 7)
    return PutPlain(number.digits, number.exponent, to);
  return PutExponent(number.digits, number.exponent, to);
}

char* PutDecimal(const UnscaledDecimal& decimal, char* to) {
  const absl::string_view digits = decimal.digits;
  const size_t scale = static_cast<size_t>(decimal.scale);
  if (decimal.negative) *to++ = '-';
  if (scale == 0) return Put(digits, to);
  const int64_t exponent = static_cast<int64_t>(digits.size()) - 1 - decimal.scale;
  if (exponent < -6) {
    constexpr ptrdiff_t kMostOfExponent = 20;
    *to++ = digits[0];
    if (digits.size() > 1) *to++ = '.';
    to = Put("E", Put(digits.substr(1), to));
    return std::to_chars(to, to + kMostOfExponent, exponent).ptr;
  }
  if (digits.size() > scale) {
    to = Put(".", Put(digits.substr(0, digits.size() - scale), to));
    return Put(digits.substr(digits.size() - scale), to);
  }
  return Put(digits, PutZeros(scale - digits.size(), Put("0.", to)));
}

void AppendDecimal(absl::string_view plain, std::string* out) {
  constexpr size_t kNeverExponent = 6;  // digits behind the point
  const size_t point = plain.find('.');
  const size_t scale = point == absl::string_view::npos ? 0 : plain.size() - point - 1;
  if (scale <= kNeverExponent) {
    out->append(plain.data(), plain.size());
    return;
  }
  const bool negative = absl::ConsumePrefix(&plain, "-");
  std::string digits =
      absl::StrCat(plain.substr(0, plain.size() - scale - 1), plain.substr(plain.size() - scale));
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  std::string text(digits.size() + kMoreOfDecimal, '\0');
  const char* end = PutDecimal({negative, digits, static_cast<int32_t>(scale)}, text.data());
  out->append(text.data(), static_cast<size_t>(end - text.data()));
}

}  // namespace walduct::java
