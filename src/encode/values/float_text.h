// float4 and float8 as PostgreSQL prints them, and as Java does. Most are not converted at all: a
// text of at most 15 (float: 6) digits is the only one so short that stands for its number, so that
// Java prints the same digits; without an exponent on either side the whole text is Java's.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace walduct::encode {

template <typename Float>
class FloatText {
 public:
  // -?digits[.digits][e[sign]digits], NaN, [-]Infinity. False: another text, or out of range.
  // Borrows the text.
  bool Parse(absl::string_view text);

  bool finite() const { return finite_; }
  Float value() const;
  // As Double.toString or Float.toString; at most java::kMostOfNumber characters. Answers the end.
  char* PutJava(char* to) const;

 private:
  static constexpr int kMostDigits = sizeof(Float) == sizeof(double) ? 15 : 6;
  // Of a short text: far from the limits of the type.
  static constexpr int kMostExponent = sizeof(Float) == sizeof(double) ? 290 : 30;

  // Java prints it so, but for ".0" behind a whole number.
  static bool IsPlain(absl::string_view text);
  // False: longer, or not a number.
  bool ParseShort(absl::string_view text);

  absl::string_view text_;
  Float value_ = 0;  // unless is_plain_ or is_short_
  bool finite_ = true;
  bool is_plain_ = false;
  bool is_short_ = false;
  bool negative_ = false;
  int8_t size_ = 0;
  char digits_[kMostDigits +
               1];  // without leading and trailing zeros; of the number d.ddd × 10^exponent_
  int exponent_ = 0;
};

extern template class FloatText<float>;
extern template class FloatText<double>;

}  // namespace walduct::encode
