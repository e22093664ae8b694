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
void AppendFloating(Float value, std::string* out) {
  if (std::isnan(value)) {
    out->append("NaN");
    return;
  }
  if (std::signbit(value)) {
    out->push_back('-');
    value = -value;
  }
  if (std::isinf(value)) {
    out->append("Infinity");
    return;
  }
  if (value == 0) {
    out->append("0.0");
    return;
  }
  if (value < static_cast<Float>(kExactBelow) &&
      value == std::floor(value)) {  // the usual case of a whole number
    absl::StrAppend(out, static_cast<int64_t>(value), ".0");
    return;
  }
  const Shortest s = ShortestOf(value);
  AppendDigits({false, absl::string_view(s.digits, static_cast<size_t>(s.size)), s.exponent}, out);
}

}  // namespace

void AppendDouble(double value, std::string* out) { AppendFloating(value, out); }
void AppendFloat(float value, std::string* out) { AppendFloating(value, out); }

void AppendDigits(const ShortestDigits& number, std::string* out) {
  char buffer[48];
  char* to = buffer;
  if (number.negative) *to++ = '-';
  if (number.digits.empty()) {
    to = Put("0.0", to);
  } else if (number.exponent >= -3 && number.exponent < 7) {
    to = PutPlain(number.digits, number.exponent, to);
  } else {
    to = PutExponent(number.digits, number.exponent, to);
  }
  out->append(buffer, static_cast<size_t>(to - buffer));
}

void AppendDecimal(const UnscaledDecimal& decimal, std::string* out) {
  const absl::string_view digits = decimal.digits;
  const size_t scale = static_cast<size_t>(decimal.scale);
  if (decimal.negative) out->push_back('-');
  if (scale == 0) {
    out->append(digits.data(), digits.size());
    return;
  }
  const int64_t exponent = static_cast<int64_t>(digits.size()) - 1 - decimal.scale;
  if (exponent < -6) {
    out->push_back(digits[0]);
    if (digits.size() > 1) out->push_back('.');
    out->append(digits.data() + 1, digits.size() - 1);
    absl::StrAppend(out, "E", exponent);
    return;
  }
  if (digits.size() > scale) {
    const size_t whole = digits.size() - scale;
    out->append(digits.data(), whole);
    out->push_back('.');
    out->append(digits.data() + whole, scale);
    return;
  }
  out->append("0.");
  out->append(scale - digits.size(), '0');
  out->append(digits.data(), digits.size());
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
  AppendDecimal({negative, digits, static_cast<int32_t>(scale)}, out);
}

}  // namespace walduct::java
