#include "encode/values/time_format.h"

#include <array>
#include <charconv>
#include <cstring>

namespace walduct::encode {
namespace {

constexpr int32_t kMicroDigits = 6;

constexpr std::array<char, 200> kPairs = [] {
  std::array<char, 200> pairs{};
  for (size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = static_cast<char>('0' + (i % 2 == 0 ? i / 20 : i / 2 % 10));
  return pairs;
}();

// Below 100.
char* PutTwo(int64_t number, char* to) {
  std::memcpy(to, kPairs.data() + 2 * number, 2);
  return to + 2;
}

}  // namespace

char* PutIsoDay(const CivilDate& date, char* to) {
  char* const end = to + kMostOfDay;
  if (date.year < 0) *to++ = '-';
  if (date.year > 9999) *to++ = '+';
  const int64_t year = date.year < 0 ? -date.year : date.year;
  if (year > 9999) {
    to = std::to_chars(to, end, year).ptr;
  } else {
    to = PutTwo(year % 100, PutTwo(year / 100, to));
  }
  *to++ = '-';
  to = PutTwo(date.month, to);
  *to++ = '-';
  return PutTwo(date.day, to);
}

char* PutIsoClock(int64_t micros, int32_t digits, char* to) {
  const auto seconds = static_cast<int32_t>(micros / kMicrosPerSecond);
  to = PutTwo(seconds / 3600, to);
  *to++ = ':';
  to = PutTwo(seconds / 60 % 60, to);
  *to++ = ':';
  to = PutTwo(seconds % 60, to);
  if (digits > 0) {
    const auto fraction = static_cast<int32_t>(micros % kMicrosPerSecond);
    *to++ = '.';
    PutTwo(fraction % 100, PutTwo(fraction / 100 % 100, PutTwo(fraction / 10000, to)));
    to += digits < kMicroDigits ? digits : kMicroDigits;
  }
  return to;
}

int32_t FractionDigits(int64_t micros) {
  int64_t fraction = micros % kMicrosPerSecond;
  int32_t digits = fraction == 0 ? 0 : kMicroDigits;
  for (; digits > 0 && fraction % 10 == 0; fraction /= 10) --digits;
  return digits;
}

}  // namespace walduct::encode
