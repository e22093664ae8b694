// Dates and times as ISO 8601 texts, time.precision.mode=isostring.
#include <limits>

#include "encode/values/appenders.h"
#include "encode/values/time_format.h"
#include "encode/values/time_text.h"

namespace walduct::encode {
namespace {

// What pgjdbc's infinite timestamps are, read as microseconds: see append_time.cc.
constexpr absl::string_view kPositiveInfinity = "+294247-01-10T04:00:25.2Z";
constexpr absl::string_view kNegativeInfinity = "-290308-12-21T19:59:27.6Z";

void AppendQuote(const ValueContext& context) {
  if (context.format != TextFormat::kStruct) context.out->push_back('"');
}

Outcome AppendClock(absl::string_view text, bool keep_end_of_day, ValueContext* context) {
  TimestampText time;
  if (!ParseTime(text, &time)) return Outcome::kMalformed;
  if (time.micros == kMicrosPerDay && !keep_end_of_day) time.micros = 0;
  AppendQuote(*context);
  AppendIsoClock(time.micros, FractionDigits(time.micros), context->out);
  context->out->push_back('Z');
  AppendQuote(*context);
  return Outcome::kOk;
}

}  // namespace

// An infinite date is the day of the number that the other modes write.
Outcome AppendIsoDate(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText date;
  if (!ParseDate(text, &date)) return Outcome::kMalformed;
  if (date.infinity == Infinity::kPositive) date.days = std::numeric_limits<int32_t>::max();
  if (date.infinity == Infinity::kNegative) date.days = std::numeric_limits<int32_t>::min();
  AppendQuote(*context);
  AppendIsoDay(CivilFromDays(date.days), context->out);
  context->out->push_back('Z');
  AppendQuote(*context);
  return Outcome::kOk;
}

Outcome AppendIsoTime(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendClock(text, false, context);
}

Outcome AppendIsoTimeKept(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendClock(text, true, context);
}

Outcome AppendIsoTimestamp(absl::string_view text, const ValuePlan&, ValueContext* context) {
  TimestampText time;
  if (!ParseTimestamp(text, &time)) return Outcome::kMalformed;
  if (time.infinity != Infinity::kNone) {
    AppendText(time.infinity == Infinity::kPositive ? kPositiveInfinity : kNegativeInfinity,
               context);
    return Outcome::kOk;
  }
  AppendQuote(*context);
  AppendIsoDay(CivilFromDays(time.days), context->out);
  context->out->push_back('T');
  AppendIsoClock(time.micros, FractionDigits(time.micros), context->out);
  context->out->push_back('Z');
  AppendQuote(*context);
  return Outcome::kOk;
}

}  // namespace walduct::encode
