#include <charconv>
#include <limits>

#include "encode/appenders.h"
#include "encode/time_text.h"

namespace walduct::encode {
namespace {

__extension__ using Int128 = __int128;

constexpr int64_t kMicrosPerMilli = 1000;
constexpr int64_t kMicrosPerMonth = 2629800 * kMicrosPerSecond;  // 30.4375 days
// PostgreSQL's infinities as pgjdbc knows them, in milliseconds, taken for microseconds by Debezium; consumers test for them.
constexpr int64_t kPositiveInfinityMicros = 9223372036825200000;
constexpr int64_t kNegativeInfinityMicros = -9223372036832400000;

void AppendNumber(int64_t number, std::string* out) {
  char buffer[24];
  out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
}

int64_t Saturate(Int128 value, ValueContext* context) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  if (value <= kMax && value >= kMin) return static_cast<int64_t>(value);
  ++context->saturated;
  return value > 0 ? kMax : kMin;
}

int64_t FloorDivide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

void AppendPadded(int64_t number, size_t width, std::string* out) {
  char digits[24];
  const char* end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  const size_t size = static_cast<size_t>(end - digits);
  if (size < width) out->append(width - size, '0');
  out->append(digits, size);
}

// Year as ISO 8601 in Java: four digits, more with a plus sign, negative before year 0.
void AppendYear(int64_t year, std::string* out) {
  if (year < 0) out->push_back('-');
  if (year > 9999) out->push_back('+');
  AppendPadded(year < 0 ? -year : year, 4, out);
}

void AppendClock(int64_t micros, std::string* out) {
  const int64_t seconds = micros / kMicrosPerSecond;
  AppendPadded(seconds / 3600, 2, out);
  out->push_back(':');
  AppendPadded(seconds / 60 % 60, 2, out);
  out->push_back(':');
  AppendPadded(seconds % 60, 2, out);
}

// The first `digits` digits of the fraction of a second.
void AppendFraction(int64_t micros, int32_t digits, std::string* out) {
  if (digits <= 0) return;
  int64_t fraction = micros % kMicrosPerSecond;
  for (int32_t i = digits; i < 6; ++i) fraction /= 10;
  out->push_back('.');
  AppendPadded(fraction, static_cast<size_t>(digits), out);
}

int32_t DigitsNeeded(int64_t micros) {
  int64_t fraction = micros % kMicrosPerSecond;
  int32_t digits = fraction == 0 ? 0 : 6;
  for (; digits > 0 && fraction % 10 == 0; fraction /= 10) --digits;
  return digits;
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

}  // namespace

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
  TimestampText time;
  if (!ParseTime(text, &time)) return Outcome::kMalformed;
  AppendNumber(time.micros / kMicrosPerMilli, context->out);
  return Outcome::kOk;
}

Outcome AppendTimeMicros(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText time;
  if (!ParseTime(text, &time)) return Outcome::kMalformed;
  AppendNumber(time.micros, context->out);
  return Outcome::kOk;
}

Outcome AppendZonedTime(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText time;
  if (!ParseZonedTime(text, &time)) return Outcome::kMalformed;
  const bool end_of_day = time.micros == kMicrosPerDay && time.offset_seconds == 0;
  if (!end_of_day) ToUtc(&time);
  AppendQuote(*context);
  AppendClock(time.micros, context->out);
  AppendFraction(time.micros, DigitsNeeded(time.micros), context->out);
  context->out->push_back('Z');
  AppendQuote(*context);
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
  int64_t micros = Saturate(Int128{time.days} * kMicrosPerDay + time.micros, context);
  if (time.infinity == Infinity::kPositive) micros = kPositiveInfinityMicros;
  if (time.infinity == Infinity::kNegative) micros = kNegativeInfinityMicros;
  AppendNumber(micros, context->out);
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
  const CivilDate date = CivilFromDays(time.days);
  std::string* out = context->out;
  AppendQuote(*context);
  AppendYear(date.year, out);
  out->push_back('-');
  AppendPadded(date.month, 2, out);
  out->push_back('-');
  AppendPadded(date.day, 2, out);
  out->push_back('T');
  AppendClock(time.micros, out);
  AppendFraction(time.micros, plan.precision, out);
  out->push_back('Z');
  AppendQuote(*context);
  return Outcome::kOk;
}

// A month counts 365.25 / 12 days. Exact in integers where Debezium rounds through a double.
Outcome AppendIntervalMicros(absl::string_view text, const ValuePlan&, ValueContext* context) {
  IntervalText interval;
  if (!ParseInterval(text, &interval)) return Outcome::kMalformed;
  Int128 micros = Int128{interval.months} * kMicrosPerMonth +
                  Int128{interval.days} * kMicrosPerDay + interval.micros;
  if (interval.infinity == Infinity::kPositive) micros = std::numeric_limits<int64_t>::max();
  if (interval.infinity == Infinity::kNegative) micros = std::numeric_limits<int64_t>::min();
  AppendNumber(Saturate(micros, context), context->out);
  return Outcome::kOk;
}

}  // namespace walduct::encode
