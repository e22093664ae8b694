// What Debezium makes of an interval. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "encode/values/time_text.h"

namespace walduct::encode {

// The arithmetic of the original, in the same order: doubles lose microseconds of long intervals.
int64_t RoundedMicros(const IntervalText& interval);

// Beyond 64 bits: the limit, and *saturated counts.
int64_t ExactMicros(const IntervalText& interval, uint64_t* saturated);

// ISO 8601, at most kMostOfInterval characters; the end is answered. To the original, 1.36 s are
// 1 + 0.36 = 1.3599999999999999, and so 1.359999999; `exact`: without that. Not of infinity.
inline constexpr size_t kMostOfInterval = 160;
char* PutIsoInterval(const IntervalText& interval, bool exact, char* to);

}  // namespace walduct::encode
