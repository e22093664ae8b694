// Reads dates and times as PostgreSQL prints them with DateStyle=ISO and IntervalStyle=postgres.
// Proleptic Gregorian calendar, years before 1 AD with " BC". Pure; false means that PostgreSQL
// cannot have printed the text.
//
//   date       YYYY+-MM-DD
//   time       HH:MM:SS[.f{1,6}]            up to 24:00:00, which no timestamp has
//   zone       (+|-)HH[:MM[:SS]]
//   timestamp  date ' ' time [zone] [" BC"]
//   interval   {[+-]n unit}… [[+-]H+:MM:SS[.f{1,6}]]    units year(s), mon(s), day(s)
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace walduct::encode {

enum class Infinity : uint8_t { kNone, kPositive, kNegative };

struct CivilDate {
  int64_t year = 1970;  // astronomical: 0 is 1 BC
  unsigned month = 1;
  unsigned day = 1;
};

struct TimestampText {
  Infinity infinity = Infinity::kNone;
  CivilDate date;
  int64_t micros = 0;          // of the day
  int64_t offset_seconds = 0;  // east of UTC
};

struct IntervalText {
  Infinity infinity = Infinity::kNone;
  int64_t months = 0;
  int64_t days = 0;
  int64_t micros = 0;
};

inline constexpr int64_t kMicrosPerSecond = 1000000;
inline constexpr int64_t kMicrosPerDay = 86400 * kMicrosPerSecond;

bool ParseDate(absl::string_view text, TimestampText* out);
bool ParseTime(absl::string_view text, TimestampText* out);
bool ParseZonedTime(absl::string_view text, TimestampText* out);
bool ParseTimestamp(absl::string_view text, TimestampText* out);
bool ParseZonedTimestamp(absl::string_view text, TimestampText* out);
bool ParseInterval(absl::string_view text, IntervalText* out);

// Moves time and date to UTC.
void ToUtc(TimestampText* time);

// Of finite times. Beyond 64 bits: the limit, and *saturated counts; false.
int64_t SaturatedMicros(const TimestampText& time, uint64_t* saturated);
bool NanosSinceEpoch(const TimestampText& time, int64_t* nanos);

// Days since 1970-01-01.
int64_t DaysFromCivil(const CivilDate& date);
CivilDate CivilFromDays(int64_t days);

}  // namespace walduct::encode
