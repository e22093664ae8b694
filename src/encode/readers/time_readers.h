// Dates and times: numbers since the Unix epoch or midnight, Connect's own types, ISO 8601 texts.
#pragma once

#include <cstdint>
#include <limits>

#include "absl/strings/string_view.h"
#include "base/integer.h"
#include "encode/values/read_context.h"
#include "encode/values/time_format.h"
#include "encode/values/time_text.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

inline constexpr int64_t kMicrosPerMilli = 1000;
inline constexpr int64_t kNanosPerMicro = 1000;
// PostgreSQL's infinities as pgjdbc knows them, in milliseconds, taken for microseconds by
// Debezium; consumers test for them.
inline constexpr int64_t kPositiveInfinityMicros = 9223372036825200000;
inline constexpr int64_t kNegativeInfinityMicros = -9223372036832400000;
// The same as texts.
inline constexpr absl::string_view kPositiveInfinityText = "+294247-01-10T04:00:25.2Z";
inline constexpr absl::string_view kNegativeInfinityText = "-290308-12-21T19:59:27.6Z";

// An infinite date becomes the limit of its type: there is no other value that no date has.
inline bool ParseDays(absl::string_view text, int64_t* days) {
  TimestampText date;
  if (!ParseDate(text, &date)) return false;
  using Limits = std::numeric_limits<int32_t>;
  *days = date.infinity == Infinity::kPositive   ? Limits::max()
          : date.infinity == Infinity::kNegative ? Limits::min()
                                                 : DaysFromCivil(date.date);
  return true;
}

template <typename Writer>
Outcome ReadDate(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  int64_t days = 0;
  if (!ParseDays(text, &days)) return Outcome::kMalformed;
  out->Integer(days);
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadConnectDate(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  int64_t days = 0;
  if (!ParseDays(text, &days)) return Outcome::kMalformed;
  out->ConnectDate(days);
  return Outcome::kOk;
}

// The day of the number that the other modes write.
template <typename Writer>
Outcome ReadIsoDate(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  int64_t days = 0;
  if (!ParseDays(text, &days)) return Outcome::kMalformed;
  out->Ascii(kMostOfDay + 1, [&](char* to) {
    to = PutIsoDay(CivilFromDays(days), to);
    *to++ = 'Z';
    return to;
  });
  return Outcome::kOk;
}

template <int64_t kMultiplier, int64_t kDivisor, typename Writer>
Outcome ReadTime(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  TimestampText time;
  if (!ParseTime(text, &time)) return Outcome::kMalformed;
  out->Integer(time.micros * kMultiplier / kDivisor);
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadConnectTime(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  TimestampText time;
  if (!ParseTime(text, &time)) return Outcome::kMalformed;
  out->ConnectTime(time.micros / kMicrosPerMilli);
  return Outcome::kOk;
}

// HH:MM:SS[.f]Z
template <typename Writer>
void WriteClock(int64_t micros, Writer* out) {
  out->Ascii(kMostOfClock + 1, [&](char* to) {
    to = PutIsoClock(micros, FractionDigits(micros), to);
    *to++ = 'Z';
    return to;
  });
}

template <bool kKeepEndOfDay, typename Writer>
Outcome ReadIsoTime(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  TimestampText time;
  if (!ParseTime(text, &time)) return Outcome::kMalformed;
  WriteClock(kKeepEndOfDay ? time.micros : time.micros % kMicrosPerDay, out);
  return Outcome::kOk;
}

template <bool kKeepEndOfDay, typename Writer>
Outcome ReadZonedTime(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  TimestampText time;
  if (!ParseZonedTime(text, &time)) return Outcome::kMalformed;
  const bool kept = kKeepEndOfDay && time.micros == kMicrosPerDay && time.offset_seconds == 0;
  const int64_t micros = time.micros - time.offset_seconds * kMicrosPerSecond;
  WriteClock(kept ? micros : micros - FloorDivide(micros, kMicrosPerDay) * kMicrosPerDay, out);
  return Outcome::kOk;
}

inline int64_t MillisOf(const TimestampText& time) {
  if (time.infinity == Infinity::kPositive) return kPositiveInfinityMicros / kMicrosPerMilli;
  if (time.infinity == Infinity::kNegative) return kNegativeInfinityMicros / kMicrosPerMilli;
  return DaysFromCivil(time.date) * (kMicrosPerDay / kMicrosPerMilli) +
         time.micros / kMicrosPerMilli;
}

template <typename Writer>
Outcome ReadTimestampMillis(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  TimestampText time;
  if (!ParseTimestamp(text, &time)) return Outcome::kMalformed;
  out->Integer(MillisOf(time));
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadConnectTimestamp(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  TimestampText time;
  if (!ParseTimestamp(text, &time)) return Outcome::kMalformed;
  out->ConnectTimestamp(MillisOf(time));
  return Outcome::kOk;
}

// Saturates at 64 bits.
template <typename Writer>
Outcome ReadTimestampMicros(absl::string_view text, const ValuePlan&, ReadContext* context,
                            Writer* out) {
  TimestampText time;
  if (!ParseTimestamp(text, &time)) return Outcome::kMalformed;
  if (time.infinity == Infinity::kPositive) {
    out->Integer(kPositiveInfinityMicros);
  } else if (time.infinity == Infinity::kNegative) {
    out->Integer(kNegativeInfinityMicros);
  } else {
    out->Integer(SaturatedMicros(time, &context->saturated));
  }
  return Outcome::kOk;
}

// 64 bits of nanoseconds reach from 1677 to 2262.
template <typename Writer>
Outcome ReadTimestampNanos(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  using Limits = std::numeric_limits<int64_t>;
  TimestampText time;
  if (!ParseTimestamp(text, &time)) return Outcome::kMalformed;
  int64_t nanos = time.infinity == Infinity::kPositive ? Limits::max() : Limits::min();
  if (time.infinity == Infinity::kNone && !NanosSinceEpoch(time, &nanos)) return Outcome::kNull;
  out->Integer(nanos);
  return Outcome::kOk;
}

// YYYY-MM-DDTHH:MM:SS[.f]Z
template <typename Writer>
void WriteInstant(const TimestampText& time, int32_t digits, Writer* out) {
  out->Ascii(kMostOfDay + kMostOfClock + 2, [&](char* to) {
    to = PutIsoDay(time.date, to);
    *to++ = 'T';
    to = PutIsoClock(time.micros, digits, to);
    *to++ = 'Z';
    return to;
  });
}

template <typename Writer>
Outcome ReadIsoTimestamp(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  TimestampText time;
  if (!ParseTimestamp(text, &time)) return Outcome::kMalformed;
  if (time.infinity != Infinity::kNone) {
    out->String(time.infinity == Infinity::kPositive ? kPositiveInfinityText
                                                     : kNegativeInfinityText);
  } else {
    WriteInstant(time, FractionDigits(time.micros), out);
  }
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadZonedTimestamp(absl::string_view text, const ValuePlan& plan, ReadContext*,
                           Writer* out) {
  TimestampText time;
  if (!ParseZonedTimestamp(text, &time)) return Outcome::kMalformed;
  if (time.infinity != Infinity::kNone) {
    out->String(text);
    return Outcome::kOk;
  }
  ToUtc(&time);
  // A default may have digits that the column has not: without any of the column's, all of them.
  WriteInstant(time, plan.precision == 0 ? FractionDigits(time.micros) : plan.precision, out);
  return Outcome::kOk;
}

}  // namespace walduct::encode
