#include "incremental/stored/interval_fields.h"

#include <cstdlib>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace walduct::incremental {
namespace {

constexpr size_t kMicroDigits = 6;

// [-]H+:MM:SS[.f{1,6}]
bool ParseTime(absl::string_view text, IntervalFields* interval) {
  const int sign = absl::ConsumePrefix(&text, "-") ? -1 : 1;
  absl::ConsumePrefix(&text, "+");
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() != 3) return false;
  const std::pair<absl::string_view, absl::string_view> seconds =
      absl::StrSplit(parts[2], absl::MaxSplits('.', 1));
  std::string fraction(seconds.second);
  if (fraction.size() > kMicroDigits) return false;
  fraction.resize(kMicroDigits, '0');
  if (!absl::SimpleAtoi(parts[0], &interval->hours) ||
      !absl::SimpleAtoi(parts[1], &interval->minutes) ||
      !absl::SimpleAtoi(seconds.first, &interval->seconds) ||
      !absl::SimpleAtoi(fraction, &interval->microseconds))
    return false;
  for (int32_t* part :
       {&interval->hours, &interval->minutes, &interval->seconds, &interval->microseconds})
    *part *= sign;
  return true;
}

int32_t* UnitOf(absl::string_view word, IntervalFields* interval) {
  if (word == "year" || word == "years") return &interval->years;
  if (word == "mon" || word == "mons") return &interval->months;
  if (word == "day" || word == "days") return &interval->days;
  return nullptr;
}

}  // namespace

std::optional<IntervalFields> ParseInterval(absl::string_view text) {
  IntervalFields interval;
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (words.empty()) return std::nullopt;
  for (size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) {
      if (!ParseTime(words[i], &interval)) return std::nullopt;
      break;
    }
    int32_t* unit = UnitOf(words[i + 1], &interval);
    absl::string_view number = words[i];
    absl::ConsumePrefix(&number, "+");
    if (unit == nullptr || !absl::SimpleAtoi(number, unit)) return std::nullopt;
  }
  return interval;
}

std::string PrintInterval(const IntervalFields& interval) {
  std::string text;
  const auto add = [&text](absl::string_view number, absl::string_view unit) {
    absl::StrAppend(&text, text.empty() ? "" : " ", number, " ", unit);
  };
  for (const auto& [number, unit] :
       {std::pair(interval.years, "years"), std::pair(interval.months, "mons"),
        std::pair(interval.days, "days"), std::pair(interval.hours, "hours"),
        std::pair(interval.minutes, "mins")}) {
    if (number != 0) add(absl::StrCat(number), unit);
  }
  if (interval.seconds == 0 && interval.microseconds == 0) return text.empty() ? "0 secs" : text;
  const bool negative = interval.seconds < 0 || interval.microseconds < 0;
  std::string seconds =
      absl::StrFormat("%s%d.%06d", negative ? "-" : "", std::abs(interval.seconds),
                      std::abs(interval.microseconds));
  seconds.resize(seconds.find_last_not_of('0') + 1);
  if (seconds.back() == '.') seconds.pop_back();
  add(seconds, "secs");
  return text;
}

}  // namespace walduct::incremental
