#include "incremental/stored/java_date.h"

#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"

namespace walduct::incremental {
namespace {

constexpr absl::CivilDay kFirstGregorian(1582, 10, 15);
constexpr int64_t kEpoch = 2440588;  // its Julian day number

// Richards' algorithm; right from 4800 BC on, PostgreSQL's dates begin in 4713 BC.
int64_t JulianDay(int64_t year, int64_t month, int64_t day) {
  const int64_t early = (14 - month) / 12;
  const int64_t years = year + 4800 - early;
  const int64_t months = month + 12 * early - 3;
  return day + (153 * months + 2) / 5 + 365 * years + years / 4 - 32083;
}

std::string Text(int64_t year, int month, int day) {
  const bool before = year <= 0;
  return absl::StrFormat("%04d-%02d-%02d%s", before ? 1 - year : year, month, day,
                         before ? " BC" : "");
}

}  // namespace

std::optional<int64_t> DaysOfDate(absl::string_view text) {
  const bool before = absl::ConsumeSuffix(&text, " BC");
  // The year as it is written may be no leap year, and 29 February none of its days.
  absl::CivilMonth month;
  int day = 0;
  if (text.size() < 10 || !absl::ParseCivilTime(text.substr(0, text.size() - 3), &month))
    return std::nullopt;
  for (const char c : text.substr(text.size() - 2)) {
    if (c < '0' || c > '9') return std::nullopt;
    day = 10 * day + (c - '0');
  }
  const int64_t year = before ? 1 - month.year() : month.year();
  const absl::CivilDay gregorian(year, month.month(), day);
  if (gregorian >= kFirstGregorian) return gregorian - absl::CivilDay();
  return JulianDay(year, month.month(), day) - kEpoch;
}

std::string DateOfDays(int64_t days) {
  const absl::CivilDay gregorian = absl::CivilDay() + days;
  if (gregorian >= kFirstGregorian)
    return Text(gregorian.year(), gregorian.month(), gregorian.day());
  const int64_t count = days + kEpoch + 32082;
  const int64_t year = (4 * count + 3) / 1461;
  const int64_t rest = count - 1461 * year / 4;
  const int64_t month = (5 * rest + 2) / 153;
  return Text(year - 4800 + month / 10, static_cast<int>(month + 3 - 12 * (month / 10)),
              static_cast<int>(rest - (153 * month + 2) / 5 + 1));
}

}  // namespace walduct::incremental
