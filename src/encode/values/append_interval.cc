#include <charconv>
#include <iterator>
#include <limits>
#include <string>

#include "encode/values/appenders.h"
#include "encode/values/time_format.h"
#include "encode/values/time_text.h"

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
  return static_cast<double>(micros / kMicrosPerSecond) +
         static_cast<double>(micros % kMicrosPerSecond) / 1000000.0;
}

// The arithmetic of the original, in the same order: doubles lose microseconds of long intervals.
int64_t RoundedMicros(const IntervalText& interval) {
  const double days =
      static_cast<double>(interval.months) * kDaysPerMonth + static_cast<double>(interval.days);
  const auto hours = static_cast<double>(interval.micros / kMicrosPerHour);
  const auto minutes = static_cast<double>(interval.micros / kMicrosPerMinute % 60);
  const double seconds = Seconds(interval.micros % kMicrosPerMinute);
  return JavaLong((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000000.0);
}

int64_t ExactMicros(const IntervalText& interval, ValueContext* context) {
  const Int128 micros = Int128{interval.months} * kMicrosPerMonth +
                        Int128{interval.days} * kMicrosPerDay + interval.micros;
  if (micros <= kMax && micros >= kMin) return static_cast<int64_t>(micros);
  ++context->saturated;
  return micros > 0 ? kMax : kMin;
}

bool AppendInfinity(const IntervalText& interval, ValueContext* context) {
  if (interval.infinity == Infinity::kNone) return false;
  AppendNumber(interval.infinity == Infinity::kPositive ? kMax : kMin, context->out);
  return true;
}

void AppendPart(int64_t number, char unit, std::string* out) {
  AppendNumber(number, out);
  out->push_back(unit);
}

// Seconds with as many digits of the fraction as they need, at most nine, cut and not rounded: to
// the original, 1.36 s are 1 + 0.36 = 1.3599999999999999, and so 1.359999999. `exact`: without
// that.
void AppendSeconds(int64_t micros, bool exact, std::string* out) {
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
  out->append(text.data(), text.size());
  out->push_back('S');
}

// Infinity has no ISO 8601 form: PostgreSQL's word.
Outcome AppendIso(absl::string_view text, bool exact, ValueContext* context) {
  IntervalText interval;
  if (!ParseInterval(text, &interval)) return Outcome::kMalformed;
  if (interval.infinity != Infinity::kNone) {
    AppendText(text, context);
    return Outcome::kOk;
  }
  const bool quoted = context->format != TextFormat::kStruct;
  std::string* out = context->out;
  out->append(quoted ? "\"P" : "P");
  AppendPart(interval.months / 12, 'Y', out);
  AppendPart(interval.months % 12, 'M', out);
  AppendPart(interval.days, 'D', out);
  out->push_back('T');
  AppendPart(interval.micros / kMicrosPerHour, 'H', out);
  AppendPart(interval.micros / kMicrosPerMinute % 60, 'M', out);
  AppendSeconds(interval.micros % kMicrosPerMinute, exact, out);
  if (quoted) out->push_back('"');
  return Outcome::kOk;
}

}  // namespace

Outcome AppendIntervalMicros(absl::string_view text, const ValuePlan&, ValueContext* context) {
  IntervalText interval;
  if (!ParseInterval(text, &interval)) return Outcome::kMalformed;
  if (!AppendInfinity(interval, context)) AppendNumber(RoundedMicros(interval), context->out);
  return Outcome::kOk;
}

Outcome AppendIntervalExact(absl::string_view text, const ValuePlan&, ValueContext* context) {
  IntervalText interval;
  if (!ParseInterval(text, &interval)) return Outcome::kMalformed;
  if (!AppendInfinity(interval, context))
    AppendNumber(ExactMicros(interval, context), context->out);
  return Outcome::kOk;
}

Outcome AppendIntervalString(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendIso(text, false, context);
}

Outcome AppendIntervalStringExact(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendIso(text, true, context);
}

}  // namespace walduct::encode
