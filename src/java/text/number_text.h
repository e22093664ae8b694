// Numbers as Java prints them. Pure; no allocation besides out's growth. Put… write to a place with
// room for what they say, and answer the end.
//   Double.toString / Float.toString (JDK 19 and later): the fewest digits that read back as the
//     same number, at least two; plain when 1e-3 <= |v| < 1e7, else d.dddE[-]n; NaN, Infinity,
//     -Infinity
//   BigDecimal.toString: plain unless the exponent of its first digit is below -6, else d.dddE-n
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::java {

inline constexpr size_t kMostOfNumber = 48;  // characters of PutDouble, PutFloat and PutDigits
char* PutDouble(double value, char* to);
char* PutFloat(float value, char* to);
void AppendDouble(double value, std::string* out);
void AppendFloat(float value, std::string* out);

// A number whose fewest digits are known: d.ddd… × 10^exponent, without trailing zeros; empty for
// zero.
struct ShortestDigits {
  bool negative = false;
  absl::string_view digits;
  int exponent = 0;
};
// As PutDouble and PutFloat print it.
char* PutDigits(const ShortestDigits& number, char* to);

// digits: the unscaled value without sign and leading zeros, "0" for zero. scale >= 0.
struct UnscaledDecimal {
  bool negative = false;
  absl::string_view digits;
  int32_t scale = 0;
};
inline constexpr size_t kMoreOfDecimal = 24;  // characters, besides digits
char* PutDecimal(const UnscaledDecimal& decimal, char* to);
// The same of a number's digits with a point and no exponent: "0.0000000320" is 3.20E-8.
void AppendDecimal(absl::string_view plain, std::string* out);

}  // namespace walduct::java
