#include "java/time/simple_date_format.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "base/integer.h"

namespace walduct::java {
namespace {

constexpr absl::string_view kLetters = "GyMLdDEuaHkKhmsSzZX";
constexpr absl::string_view kNumberLetters = "yMLdDuHkKhmsS";
constexpr std::array<absl::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<absl::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                    "Friday", "Saturday", "Sunday"};

struct Fields {
  int64_t year = 1970, month = 1, day = 1, day_of_year = 0;
  int64_t hour = 0, minute = 0, second = 0, millis = 0;
  int64_t offset_minutes = 0;
  bool pm = false, before_christ = false, half_day = false;
};

void AppendNumber(int64_t value, size_t width, std::string* out) {
  absl::StrAppendFormat(out, "%0*d", static_cast<int>(width), value);
}

void AppendYear(int64_t year, size_t count, std::string* out) {
  if (count == 2) {
    AppendNumber(year % 100, 2, out);
  } else {
    AppendNumber(year, count, out);
  }
}

void AppendName(absl::string_view name, size_t count, std::string* out) {
  absl::StrAppend(out, count >= 4 ? name : name.substr(0, 3));
}

void AppendZone(char letter, size_t count, std::string* out) {
  if (letter == 'z') {
    absl::StrAppend(out, count >= 4 ? "Coordinated Universal Time" : "UTC");
  } else {
    absl::StrAppend(out, letter == 'Z' ? "+0000" : "Z");
  }
}

// The number behind a letter.
int64_t NumberOf(char letter, const absl::CivilSecond& time, int64_t millis) {
  const int hour = time.hour();
  switch (letter) {
    case 'd':
      return time.day();
    case 'D':
      return absl::GetYearDay(absl::CivilDay(time));
    case 'u':
      return static_cast<int>(absl::GetWeekday(absl::CivilDay(time))) + 1;
    case 'H':
      return hour;
    case 'k':
      return hour == 0 ? 24 : hour;
    case 'K':
      return hour % 12;
    case 'h':
      return hour % 12 == 0 ? 12 : hour % 12;
    case 'm':
      return time.minute();
    case 's':
      return time.second();
    default:
      return millis;
  }
}

absl::string_view Digits(absl::string_view text, size_t limit) {
  size_t size = 0;
  while (size < text.size() && size < limit &&
         absl::ascii_isdigit(static_cast<unsigned char>(text[size])))
    ++size;
  return text.substr(0, size);
}

bool ReadNumber(absl::string_view* text, size_t limit, int64_t* value, size_t* size) {
  while (absl::StartsWith(*text, " ")) text->remove_prefix(1);
  const bool negative = absl::StartsWith(*text, "-");
  const absl::string_view digits =
      Digits(text->substr(negative ? 1 : 0), std::min<size_t>(limit, 18));
  if (digits.empty()) return false;
  *value = 0;
  for (char c : digits) *value = *value * 10 + (c - '0');
  if (negative) *value = -*value;
  *size = digits.size();
  text->remove_prefix(digits.size() + (negative ? 1 : 0));
  return true;
}

// The longest name that text starts with, whole or its first three letters; its number from 0.
template <size_t kSize>
bool ReadName(const std::array<absl::string_view, kSize>& names, absl::string_view* text,
              int64_t* index) {
  size_t longest = 0;
  for (size_t i = 0; i < kSize; ++i) {
    for (const absl::string_view form : {names[i], names[i].substr(0, 3)}) {
      if (form.size() <= longest || !absl::StartsWithIgnoreCase(*text, form)) continue;
      longest = form.size();
      *index = static_cast<int64_t>(i);
    }
  }
  text->remove_prefix(longest);
  return longest > 0;
}

// Z, UTC, GMT, +hhmm, +hh:mm, +hh.
bool ReadZone(absl::string_view* text, int64_t* offset_minutes) {
  for (const absl::string_view name : {"UTC", "GMT", "Z"}) {
    if (absl::ConsumePrefix(text, name)) return true;
  }
  if (text->empty() || ((*text)[0] != '+' && (*text)[0] != '-')) return false;
  const int64_t sign = (*text)[0] == '-' ? -1 : 1;
  text->remove_prefix(1);
  int64_t hours = 0, minutes = 0;
  size_t size = 0;
  if (!ReadNumber(text, 2, &hours, &size)) return false;
  absl::ConsumePrefix(text, ":");
  if (!Digits(*text, 2).empty()) ReadNumber(text, 2, &minutes, &size);
  *offset_minutes = sign * (hours * 60 + minutes);
  return true;
}

// A year of two digits lies within 80 years before and 20 after now.
int64_t FullYear(int64_t two_digits, absl::Time now) {
  const int64_t start = absl::ToCivilYear(now, absl::UTCTimeZone()).year() - 80;
  int64_t year = start - start % 100 + two_digits;
  return year < start ? year + 100 : year;
}

void Store(char letter, size_t count, size_t size, int64_t value, Clock& clock, Fields* fields) {
  switch (letter) {
    case 'y':
      fields->year = count <= 2 && size == 2 ? FullYear(value, clock.Now()) : value;
      return;
    case 'M':
    case 'L':
      fields->month = value;
      return;
    case 'd':
      fields->day = value;
      return;
    case 'D':
      fields->day_of_year = value;
      return;
    case 'H':
      fields->hour = value;
      return;
    case 'k':
      fields->hour = value == 24 ? 0 : value;
      return;
    case 'K':
    case 'h':
      fields->hour = value == 12 ? 0 : value;
      fields->half_day = true;
      return;
    case 'm':
      fields->minute = value;
      return;
    case 's':
      fields->second = value;
      return;
    case 'S':
      fields->millis = value;
      return;
    default:
      return;  // 'u' says nothing new
  }
}

int64_t Millis(const Fields& fields) {
  const int64_t year = fields.before_christ ? 1 - fields.year : fields.year;
  const int64_t months = fields.month - 1;
  const absl::CivilDay first(year + FloorDivide(months, 12),
                             months - FloorDivide(months, 12) * 12 + 1, 1);
  const absl::CivilDay day = fields.day_of_year > 0
                                 ? absl::CivilDay(year, 1, 1) + (fields.day_of_year - 1)
                                 : first + (fields.day - 1);
  const int64_t days = day - absl::CivilDay(1970, 1, 1);
  const int64_t hour = fields.hour + (fields.half_day && fields.pm ? 12 : 0);
  const int64_t minutes = (days * 24 + hour) * 60 + fields.minute - fields.offset_minutes;
  return (minutes * 60 + fields.second) * 1000 + fields.millis;
}

bool ReadText(char letter, absl::string_view* text, Fields* fields) {
  int64_t index = 0;
  switch (letter) {
    case 'E':
      return ReadName(kDays, text, &index);
    case 'a':
      fields->pm = absl::StartsWithIgnoreCase(*text, "PM");
      if (!fields->pm && !absl::StartsWithIgnoreCase(*text, "AM")) return false;
      text->remove_prefix(2);
      return true;
    case 'G':
      fields->before_christ = absl::StartsWithIgnoreCase(*text, "BC");
      if (!fields->before_christ && !absl::StartsWithIgnoreCase(*text, "AD")) return false;
      text->remove_prefix(2);
      return true;
    case 'M':
    case 'L':
      if (!ReadName(kMonths, text, &index)) return false;
      fields->month = index + 1;
      return true;
    default:
      return ReadZone(text, &fields->offset_minutes);
  }
}

}  // namespace

absl::StatusOr<SimpleDateFormat> SimpleDateFormat::Compile(absl::string_view pattern,
                                                           Clock& clock) {
  SimpleDateFormat format;
  format.clock_ = &clock;
  bool quoted = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    std::vector<Part>& parts = format.parts_;
    if (c == '\'' && i + 1 < pattern.size() && pattern[i + 1] == '\'') {
      parts.push_back({0, 0, "'"});
      ++i;
    } else if (c == '\'') {
      quoted = !quoted;
    } else if (quoted || !absl::ascii_isalpha(static_cast<unsigned char>(c))) {
      parts.push_back({0, 0, std::string(1, c)});
    } else if (!parts.empty() && parts.back().letter == c && i > 0 && pattern[i - 1] == c) {
      ++parts.back().count;
    } else if (absl::StrContains(kLetters, c)) {
      parts.push_back({c, 1, ""});
    } else {
      return Error(absl::StatusCode::kInvalidArgument, "bad_date_format",
                   absl::StrCat("'", std::string(1, c), "' in '", pattern,
                                "' is not supported; supported are ", kLetters));
    }
  }
  if (quoted)
    return Error(absl::StatusCode::kInvalidArgument, "bad_date_format",
                 absl::StrCat("'", pattern, "' has an unterminated quote"));
  const auto is_number = [](const Part& part) {
    const bool name = (part.letter == 'M' || part.letter == 'L') && part.count >= 3;
    return part.letter != 0 && absl::StrContains(kNumberLetters, part.letter) && !name;
  };
  for (size_t i = 0; i + 1 < format.parts_.size(); ++i)
    format.parts_[i].adjacent = is_number(format.parts_[i]) && is_number(format.parts_[i + 1]);
  return format;
}

void SimpleDateFormat::Append(int64_t millis, std::string* out) const {
  const int64_t seconds = FloorDivide(millis, 1000);
  const absl::CivilSecond time = absl::CivilSecond(1970, 1, 1) + seconds;
  const bool before_christ = time.year() < 1;
  for (const Part& part : parts_) {
    switch (part.letter) {
      case 0:
        *out += part.text;
        break;
      case 'G':
        *out += before_christ ? "BC" : "AD";
        break;
      case 'y':
        AppendYear(before_christ ? 1 - time.year() : time.year(), part.count, out);
        break;
      case 'M':
      case 'L':
        if (part.count < 3) {
          AppendNumber(time.month(), part.count, out);
        } else {
          AppendName(kMonths[static_cast<size_t>(time.month() - 1)], part.count, out);
        }
        break;
      case 'E':
        AppendName(kDays[static_cast<size_t>(absl::GetWeekday(absl::CivilDay(time)))], part.count,
                   out);
        break;
      case 'a':
        *out += time.hour() < 12 ? "AM" : "PM";
        break;
      case 'z':
      case 'Z':
      case 'X':
        AppendZone(part.letter, part.count, out);
        break;
      default:
        AppendNumber(NumberOf(part.letter, time, millis - seconds * 1000), part.count, out);
    }
  }
}

bool SimpleDateFormat::Parse(absl::string_view text, int64_t* millis) const {
  Fields fields;
  for (const Part& part : parts_) {
    if (part.letter == 0) {
      if (!absl::ConsumePrefix(&text, part.text)) return false;
      continue;
    }
    const bool number = absl::StrContains(kNumberLetters, part.letter);
    const bool month_name =
        (part.letter == 'M' || part.letter == 'L') && part.count >= 3 && Digits(text, 1).empty();
    if (!number || month_name) {
      if (!ReadText(part.letter, &text, &fields)) return false;
      continue;
    }
    int64_t value = 0;
    size_t size = 0;
    if (!ReadNumber(&text, part.adjacent ? part.count : 18, &value, &size)) return false;
    Store(part.letter, part.count, size, value, *clock_, &fields);
  }
  *millis = Millis(fields);
  return true;
}

}  // namespace walduct::java
