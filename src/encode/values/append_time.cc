#include <charconv>
#include <limits>

#include "base/integer.h"
#include "encode/values/appenders.h"
#include "encode/values/time_format.h"
#include "encode/values/time_text.h"

namespace walduct::encode {
namespace {

__extension__ using Int128 = __int128;

constexpr int64_t kMicrosPerMilli = 1000;
constexpr int64_t kNanosPerMicro = 1000;
// PostgreSQL's infinities as pgjdbc knows them, in milliseconds, taken for microseconds by
// Debezium; consumers test for them.
constexpr int64_t kPositiveInfinityMicros = 9223372036825200000;
constexpr int64_t kNegativeInfinityMicros = -9223372036832400000;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

int64_t Saturate(Int128 value, ValueContext* context) {
  if (value <= kMax && value >= kMin) return static_cast<int64_t>(value);
  ++context->saturated;
  return value > 0 ? kMax : kMin;
}

Int128 MicrosSinceEpoch(const TimestampText& time) {
  return Int128{time.days} * kMicrosPerDay + time.micros;
}

void AppendQuote(const ValueContext& context) {
  if (context.format != TextFormat::kStruct) context.out->push_back('"');
}

// Moves to UTC and keeps micros within the day.
void ToUtc(TimestampText* time) {
  time->micros -= time->offset_seconds * kMicrosPerSecond;
  const int64_t days = FloorDivide(time->micros, kMicrosPerDay);
  time->micros -= days * kMicrosPerDay;
  time->days += days;
}

Outcome AppendTimeOfDay(absl::string_view text, int64_t multiplier, int64_t divisor,
                        ValueContext* context) {
  TimestampText time;
  if (!ParseTime(text, &time)) return Outcome::kMalformed;
  AppendNumber(time.micros * multiplier / divisor, context->out);
  return Outcome::kOk;
}

void AppendZonedClock(const TimestampText& time, ValueContext* context) {
  AppendQuote(*context);
  AppendIsoClock(time.micros, FractionDigits(time.micros), context->out);
  context->out->push_back('Z');
  AppendQuote(*context);
}

// As Connect's Values prints a java.util.Date: what lies before the second day is taken for a time,
// midnight for a date.
void AppendJavaDate(int64_t millis, std::string* out) {
  constexpr int64_t kMillisPerDay = kMicrosPerDay / kMicrosPerMilli;
  const int64_t day = FloorDivide(millis, kMillisPerDay);
  const int64_t rest = millis - day * kMillisPerDay;
  if (millis >= kMillisPerDay) {
    const size_t begin = out->size();
    AppendIsoDay(CivilFromDays(day), out);
    if ((*out)[begin] == '+') out->erase(begin, 1);
    if (rest == 0) return;
    out->push_back('T');
  }
  AppendIsoClock(rest * kMicrosPerMilli, 3, out);
  out->push_back('Z');
}

// The number that `append` writes, in units of so many milliseconds; in a header the text of the
// Date that it stands for.
Outcome AppendConnectTime(AppendFn append, int64_t unit, absl::string_view text,
                          const ValuePlan& plan, ValueContext* context) {
  const size_t begin = context->out->size();
  const Outcome outcome = append(text, plan, context);
  if (outcome != Outcome::kOk || context->format != TextFormat::kHeader) return outcome;
  int64_t number = 0;
  const char* end = context->out->data() + context->out->size();
  std::from_chars(context->out->data() + begin, end, number);
  context->out->resize(begin);
  AppendJavaDate(number * unit, context->out);
  return Outcome::kOk;
}

}  // namespace

Outcome AppendConnectDate(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  return AppendConnectTime(AppendDate, kMicrosPerDay / kMicrosPerMilli, text, plan, context);
}

Outcome AppendConnectTimeOfDay(absl::string_view text, const ValuePlan& plan,
                               ValueContext* context) {
  return AppendConnectTime(AppendTimeMillis, 1, text, plan, context);
}

Outcome AppendConnectTimestamp(absl::string_view text, const ValuePlan& plan,
                               ValueContext* context) {
  return AppendConnectTime(AppendTimestampMillis, 1, text, plan, context);
}

// An infinite date becomes the limit of its type: there is no other value that no date has.
Outcome AppendDate(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText date;
  if (!ParseDate(text, &date)) return Outcome::kMalformed;
  if (date.infinity == Infinity::kPositive) date.days = std::numeric_limits<int32_t>::max();
  if (date.infinity == Infinity::kNegative) date.days = std::numeric_limits<int32_t>::min();
  AppendNumber(date.days, context->out);
  return Outcome::kOk;
}

Outcome AppendTimeMillis(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendTimeOfDay(text, 1, kMicrosPerMilli, context);
}

Outcome AppendTimeMicros(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendTimeOfDay(text, 1, 1, context);
}

Outcome AppendTimeNanos(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendTimeOfDay(text, kNanosPerMicro, 1, context);
}

Outcome AppendZonedTime(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText time;
  if (!ParseZonedTime(text, &time)) return Outcome::kMalformed;
  ToUtc(&time);
  AppendZonedClock(time, context);
  return Outcome::kOk;
}

Outcome AppendZonedTimeKept(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText time;
  if (!ParseZonedTime(text, &time)) return Outcome::kMalformed;
  const bool end_of_day = time.micros == kMicrosPerDay && time.offset_seconds == 0;
  if (!end_of_day) ToUtc(&time);
  AppendZonedClock(time, context);
  return Outcome::kOk;
}

Outcome AppendTimestampMillis(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText time;
  if (!ParseTimestamp(text, &time)) return Outcome::kMalformed;
  int64_t millis = time.days * (kMicrosPerDay / kMicrosPerMilli) + time.micros / kMicrosPerMilli;
  if (time.infinity == Infinity::kPositive) millis = kPositiveInfinityMicros / kMicrosPerMilli;
  if (time.infinity == Infinity::kNegative) millis = kNegativeInfinityMicros / kMicrosPerMilli;
  AppendNumber(millis, context->out);
  return Outcome::kOk;
}

Outcome AppendTimestampMicros(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText time;
  if (!ParseTimestamp(text, &time)) return Outcome::kMalformed;
  int64_t micros = Saturate(MicrosSinceEpoch(time), context);
  if (time.infinity == Infinity::kPositive) micros = kPositiveInfinityMicros;
  if (time.infinity == Infinity::kNegative) micros = kNegativeInfinityMicros;
  AppendNumber(micros, context->out);
  return Outcome::kOk;
}

// 64 bits of nanoseconds reach from 1677 to 2262.
Outcome AppendTimestampNanos(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText time;
  if (!ParseTimestamp(text, &time)) return Outcome::kMalformed;
  Int128 nanos = MicrosSinceEpoch(time) * kNanosPerMicro;
  if (time.infinity == Infinity::kPositive) nanos = kMax;
  if (time.infinity == Infinity::kNegative) nanos = kMin;
  if (nanos > kMax || nanos < kMin) return Outcome::kNull;
  AppendNumber(static_cast<int64_t>(nanos), context->out);
  return Outcome::kOk;
}

Outcome AppendZonedTimestamp(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  TimestampText time;
  if (!ParseZonedTimestamp(text, &time)) return Outcome::kMalformed;
  if (time.infinity != Infinity::kNone) {
    AppendText(text, context);
    return Outcome::kOk;
  }
  ToUtc(&time);
  AppendQuote(*context);
  AppendIsoDay(CivilFromDays(time.days), context->out);
  context->out->push_back('T');
  // A default may have digits that the column has not: without any of the column's, all of them.
  const int32_t digits = plan.precision == 0 ? FractionDigits(time.micros) : plan.precision;
  AppendIsoClock(time.micros, digits, context->out);
  context->out->push_back('Z');
  AppendQuote(*context);
  return Outcome::kOk;
}

}  // namespace walduct::encode
