// Writes dates and times as java.time does in UTC. Pure; the end of what was written is answered.
#pragma once

#include <cstddef>
#include <cstdint>

#include "encode/values/time_text.h"

namespace walduct::encode {

inline constexpr size_t kMostOfDay = 24;    // characters of PutIsoDay
inline constexpr size_t kMostOfClock = 16;  // PutIsoClock may write up to this many bytes

// YYYY-MM-DD: four digits of the year, more with a plus sign, negative before year 0.
char* PutIsoDay(const CivilDate& date, char* to);

// HH:MM:SS of the microseconds of a day, then `digits` (0 to 6) digits of the fraction after a
// point, cut, not rounded.
char* PutIsoClock(int64_t micros, int32_t digits, char* to);

// Digits that the fraction of a second needs: 0 to 6.
int32_t FractionDigits(int64_t micros);

}  // namespace walduct::encode
