// Writes dates and times as java.time does in UTC. Pure; out only grows.
#pragma once

#include <cstdint>
#include <string>

#include "encode/values/time_text.h"

namespace walduct::encode {

// YYYY-MM-DD: four digits of the year, more with a plus sign, negative before year 0.
void AppendIsoDay(const CivilDate& date, std::string* out);

// HH:MM:SS of the microseconds of a day, then `digits` (0 to 6) digits of the fraction after a
// point, cut, not rounded.
void AppendIsoClock(int64_t micros, int32_t digits, std::string* out);

// Digits that the fraction of a second needs: 0 to 6.
int32_t FractionDigits(int64_t micros);

// Decimal digits of a number, with a minus sign.
void AppendNumber(int64_t number, std::string* out);

}  // namespace walduct::encode
