#include "encode/values/float_text.h"

#include <charconv>
#include <cmath>

#include "absl/strings/match.h"
#include "base/out_buffer.h"
#include "encode/values/digits.h"
#include "java/text/number_text.h"

namespace walduct::encode {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// e[sign]digits at the end of a number, or nothing.
bool ReadExponent(const char* at, const char* end, int* exponent) {
  constexpr int kBeyond = 10000;
  if (at == end) return true;
  if (*at != 'e' && *at != 'E') return false;
  ++at;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  if (at == end) return false;
  int value = 0;
  for (; at != end; ++at) {
    if (!IsDigit(*at)) return false;
    if (value < kBeyond) value = value * 10 + (*at - '0');
  }
  *exponent = negative ? -value : value;
  return true;
}

// from_chars takes "inf", "nan(1)", "1." and ".5", too, which PostgreSQL does not write.
bool LooksLikeFloat(absl::string_view text) {
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") return true;
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  if (text.empty() || !IsDigit(text.front()) || !IsDigit(text.back())) return false;
  const size_t point = text.find('.');
  return point == absl::string_view::npos || IsDigit(text[point + 1]);
}

char* PutJavaNumber(double value, char* to) { return java::PutDouble(value, to); }
char* PutJavaNumber(float value, char* to) { return java::PutFloat(value, to); }

}  // namespace

template <typename Float>
bool FloatText<Float>::Parse(absl::string_view text) {
  constexpr size_t kSigns = 7;  // a sign, a point, an exponent
  text_ = text;
  is_plain_ = IsPlain(text);
  if (is_plain_) return true;
  is_short_ = text.size() <= kMostDigits + kSigns && ParseShort(text);
  if (is_short_) return true;
  if (!LooksLikeFloat(text)) return false;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value_);
  finite_ = std::isfinite(value_);
  return result.ec == std::errc() && result.ptr == end;
}

template <typename Float>
bool FloatText<Float>::IsPlain(absl::string_view text) {
  constexpr size_t kMostWhole = 7;  // Java has an exponent from 1e7 on
  constexpr size_t kMostZeros = 3;  // and below 1e-3
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  if (text.size() > kMostDigits + 1) return false;
  size_t point = 0;
  while (point < text.size() && text[point] != '.') ++point;
  const absl::string_view whole = text.substr(0, point);
  if (whole.size() > kMostWhole || !AllDigits(whole)) return false;
  const bool below_one = whole[0] == '0';
  if (below_one && whole.size() > 1) return false;
  if (point == text.size()) return whole.size() <= kMostDigits;
  const absl::string_view fraction = text.substr(point + 1);
  return AllDigits(fraction) && fraction.back() != '0' &&
         !(below_one && fraction.substr(0, kMostZeros) == absl::string_view("000", kMostZeros));
}

template <typename Float>
bool FloatText<Float>::ParseShort(absl::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  negative_ = at != end && *at == '-';
  if (negative_) ++at;
  if (at == end || !IsDigit(*at)) return false;
  int size = 0;    // of the digits from the first that is not zero, trailing zeros included
  int last = 0;    // how many of them end with one that is not zero
  int before = 0;  // of them, how many stand before the point
  int zeros = 0;   // behind the point, before them
  bool point = false;
  for (; at != end; ++at) {
    if (*at == '.') {
      if (point || at + 1 == end || !IsDigit(at[1])) return false;
      point = true;
    } else if (!IsDigit(*at)) {
      break;
    } else if (size == 0 && *at == '0') {
      if (point) ++zeros;
    } else {
      if (*at != '0') last = size + 1;
      if (last > kMostDigits) return false;
      if (size < kMostDigits) digits_[size] = *at;
      ++size;
      if (!point) ++before;
    }
  }
  int exponent = 0;
  if (!ReadExponent(at, end, &exponent)) return false;
  exponent_ = exponent + (before > 0 ? before - 1 : -zeros - 1);
  size_ = static_cast<int8_t>(last);
  return exponent_ <= kMostExponent && exponent_ >= -kMostExponent;
}

template <typename Float>
Float FloatText<Float>::value() const {
  if (!is_plain_ && !is_short_) return value_;
  Float value = 0;
  std::from_chars(text_.data(), text_.data() + text_.size(), value);
  return value;
}

template <typename Float>
char* FloatText<Float>::PutJava(char* to) const {
  if (is_plain_) {
    to = PutBytes(text_, to);
    return absl::StrContains(text_, '.') ? to : PutBytes(".0", to);
  }
  if (!is_short_) return PutJavaNumber(value_, to);
  return java::PutDigits(
      {negative_, absl::string_view(digits_, static_cast<size_t>(size_)), exponent_}, to);
}

template class FloatText<float>;
template class FloatText<double>;

}  // namespace walduct::encode
