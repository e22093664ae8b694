#include "encode/values/interval_text.h"

#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>

#include "absl/strings/string_view.h"

namespace walduct::encode {
namespace {

__extension__ using Int128 = __int128;

constexpr int64_t kMicrosPerMinute = 60 * kMicrosPerSecond;
constexpr int64_t kMicrosPerHour = 60 * kMicrosPerMinute;
constexpr int64_t kMicrosPerMonth = 2629800 * kMicrosPerSecond;  // 30.4375 days
constexpr double kDaysPerMonth = 30.4375;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// A cast of Java: saturates.
int64_t JavaLong(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value >= kLimit) return kMax;
  if (value < -kLimit) return kMin;
  return static_cast<int64_t>(value);
}

// Whole and fraction added as the original does: the sum may lie just below the number it stands
// for.
double Seconds(int64_t micros) {
  const int64_t whole = micros / kMicrosPerSecond;
  return static_cast<double>(whole) + static_cast<double>(micros % kMicrosPerSecond) / 1000000.0;
}

char* PutPart(int64_t number, char unit, char* to) {
  constexpr ptrdiff_t kMostDigits = 20;
  to = std::to_chars(to, to + kMostDigits, number).ptr;
  *to++ = unit;
  return to;
}

// Seconds with as many digits of the fraction as they need, at most nine, cut and not rounded.
char* PutSeconds(int64_t micros, bool exact, char* to) {
  constexpr size_t kMostDigits = 9;
  char digits[32];
  const double seconds = exact ? static_cast<double>(micros) / 1000000.0 : Seconds(micros);
  const auto end = std::to_chars(digits, std::end(digits), seconds, std::chars_format::fixed);
  absl::string_view text(digits, static_cast<size_t>(end.ptr - digits));
  const size_t point = text.find('.');
  if (point != absl::string_view::npos) {
    text = text.substr(0, point + 1 + kMostDigits);
    text = text.substr(0, text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.remove_suffix(1);
  }
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = 'S';
  return to + text.size() + 1;
}

}  // namespace

int64_t RoundedMicros(const IntervalText& interval) {
  const double days =
      static_cast<double>(interval.months) * kDaysPerMonth + static_cast<double>(interval.days);
  const int64_t hours = interval.micros / kMicrosPerHour;
  const int64_t minutes = interval.micros / kMicrosPerMinute % 60;
  const double seconds = Seconds(interval.micros % kMicrosPerMinute);
  const double all_hours = days * 24 + static_cast<double>(hours);
  const double all_minutes = all_hours * 60 + static_cast<double>(minutes);
  return JavaLong((all_minutes * 60 + seconds) * 1000000.0);
}

int64_t ExactMicros(const IntervalText& interval, uint64_t* saturated) {
  const Int128 micros = Int128{interval.months} * kMicrosPerMonth +
                        Int128{interval.days} * kMicrosPerDay + interval.micros;
  if (micros <= kMax && micros >= kMin) return static_cast<int64_t>(micros);
  ++*saturated;
  return micros > 0 ? kMax : kMin;
}

char* PutIsoInterval(const IntervalText& interval, bool exact, char* to) {
  *to++ = 'P';
  to = PutPart(interval.months / 12, 'Y', to);
  to = PutPart(interval.months % 12, 'M', to);
  to = PutPart(interval.days, 'D', to);
  *to++ = 'T';
  to = PutPart(interval.micros / kMicrosPerHour, 'H', to);
  to = PutPart(interval.micros / kMicrosPerMinute % 60, 'M', to);
  return PutSeconds(interval.micros % kMicrosPerMinute, exact, to);
}

}  // namespace walduct::encode
