#include "encode/values/time_text.h"

#include <cstring>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/integer.h"
#include "encode/values/digits.h"

namespace walduct::encode {
namespace {

constexpr int64_t kDaysPerEra = 146097;           // 400 years
constexpr int64_t kDaysBeforeUnixEpoch = 719468;  // from 0000-03-01

__extension__ using Int128 = __int128;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

Int128 MicrosSinceEpoch(const TimestampText& time) {
  return Int128{DaysFromCivil(time.date)} * kMicrosPerDay + time.micros;
}

// Two digits; negative: something else.
int TwoDigits(const char* at) {
  const unsigned tens = static_cast<unsigned char>(at[0]) - unsigned{'0'};
  const unsigned ones = static_cast<unsigned char>(at[1]) - unsigned{'0'};
  return tens <= 9 && ones <= 9 ? static_cast<int>(tens * 10 + ones) : -1;
}

// Takes tokens off the front of a text.
class Scanner {
 public:
  explicit Scanner(absl::string_view text) : rest_(text) {}

  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // At least min and at most max digits.
  bool TakeNumber(size_t min, size_t max, int64_t* number) {
    size_t size = 0;
    int64_t value = 0;
    while (size < rest_.size() && size < max &&
           absl::ascii_isdigit(static_cast<unsigned char>(rest_[size]))) {
      value = value * 10 + (rest_[size] - '0');
      ++size;
    }
    if (size < min) return false;
    rest_.remove_prefix(size);
    *number = value;
    return true;
  }

  // NN<sign>NN<sign>NN, the usual layout of dates and times. False: nothing was taken.
  bool TakePairs(char sign, int64_t* a, int64_t* b, int64_t* c) {
    if (rest_.size() < 8 || rest_[2] != sign || rest_[5] != sign) return false;
    const int first = TwoDigits(rest_.data());
    const int second = TwoDigits(rest_.data() + 3);
    const int third = TwoDigits(rest_.data() + 6);
    if ((first | second | third) < 0) return false;
    *a = first;
    *b = second;
    *c = third;
    rest_.remove_prefix(8);
    return true;
  }

  // ".f{1,6}" as microseconds; nothing there is zero.
  bool TakeFraction(int64_t* micros) {
    *micros = 0;
    if (!Take('.')) return true;
    const size_t before = rest_.size();
    if (!TakeNumber(1, 6, micros)) return false;
    for (size_t digits = before - rest_.size(); digits < 6; ++digits) *micros *= 10;
    return true;
  }

  bool TakeWord(absl::string_view word) { return absl::ConsumePrefix(&rest_, word); }
  // +1 or -1; what stands there if it is a sign, else +1.
  int64_t TakeSign() { return Take('-') ? -1 : (Take('+'), 1); }
  bool empty() const { return rest_.empty(); }
  absl::string_view rest() const { return rest_; }

 private:
  absl::string_view rest_;
};

int64_t DaysInMonth(int64_t year, unsigned month) {
  constexpr uint8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

// After the year 1 BC.
bool IsDay(const CivilDate& date) {
  return date.year > 0 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= DaysInMonth(date.year, date.month);
}

bool TakeDate(Scanner* scan, CivilDate* date) {
  int64_t month = 0, day = 0;
  if (!scan->TakeNumber(4, 7, &date->year) || !scan->Take('-') || !scan->TakeNumber(2, 2, &month) ||
      !scan->Take('-') || !scan->TakeNumber(2, 2, &day)) {
    return false;
  }
  date->month = static_cast<unsigned>(month);
  date->day = static_cast<unsigned>(day);
  return date->year > 0 && month >= 1 && month <= 12 && day >= 1;
}

// The sign is applied to the parts: the most negative interval has no positive counterpart.
bool TakeClock(Scanner* scan, size_t max_hour_digits, int64_t sign, int64_t* micros) {
  int64_t hours = 0, minutes = 0, seconds = 0, fraction = 0;
  const bool taken =
      scan->TakePairs(':', &hours, &minutes, &seconds) ||
      (scan->TakeNumber(2, max_hour_digits, &hours) && scan->Take(':') &&
       scan->TakeNumber(2, 2, &minutes) && scan->Take(':') && scan->TakeNumber(2, 2, &seconds));
  if (!taken || !scan->TakeFraction(&fraction)) return false;
  const int64_t whole = sign * ((hours * 60 + minutes) * 60 + seconds);
  return minutes < 60 && seconds < 60 && !__builtin_mul_overflow(whole, kMicrosPerSecond, micros) &&
         !__builtin_add_overflow(*micros, sign * fraction, micros);
}

bool TakeTimeOfDay(Scanner* scan, int64_t* micros) {
  return TakeClock(scan, 2, 1, micros) && *micros <= kMicrosPerDay;
}

bool TakeZone(Scanner* scan, int64_t* seconds) {
  const bool west = scan->Take('-');
  if (!west && !scan->Take('+')) return false;
  int64_t hours = 0, minutes = 0, rest = 0;
  if (!scan->TakeNumber(2, 2, &hours)) return false;
  if (scan->Take(':') && !scan->TakeNumber(2, 2, &minutes)) return false;
  if (scan->Take(':') && !scan->TakeNumber(2, 2, &rest)) return false;
  *seconds = (hours * 3600 + minutes * 60 + rest) * (west ? -1 : 1);
  return hours < 24 && minutes < 60 && rest < 60;
}

// The date is complete only once the era at the end of the text is known.
bool FinishDate(Scanner* scan, CivilDate* date) {
  if (scan->TakeWord(" BC")) date->year = 1 - date->year;
  return scan->empty() && date->day <= DaysInMonth(date->year, date->month);
}

bool ParseInfinity(absl::string_view text, Infinity* infinity) {
  if (text == "infinity") *infinity = Infinity::kPositive;
  if (text == "-infinity") *infinity = Infinity::kNegative;
  return *infinity != Infinity::kNone;
}

// Dates and times of the usual layout, eight characters at a time. A character is worth what it is
// more than the layout's, in which digits are 0.
constexpr uint64_t Layout(const char (&text)[9]) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) word |= uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  return word;
}

// False: not of that layout. Else the pair of digits at a place is the byte there of *pairs.
template <uint64_t kLayout>
bool ReadPairs(const char* at, uint64_t* pairs) {
  // What takes a byte beyond 15: more than 9 where digits are, more than 0 where there are none.
  constexpr uint64_t kBeyond = [] {
    uint64_t word = 0;
    for (size_t i = 0; i < 64; i += 8)
      word |= uint64_t{(kLayout >> i & 0xFF) == '0' ? 6u : 15u} << i;
    return word;
  }();
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  word ^= kLayout;
  *pairs = word * 10 + (word >> 8);
  return ((word | (word + kBeyond)) & 0xF0F0F0F0F0F0F0F0) == 0;
}

unsigned PairAt(uint64_t pairs, size_t place) {
  return static_cast<unsigned>(pairs >> (8 * place) & 0xFF);
}

// YYYY-MM-DD, as nearly every date is. False: it may be one all the same.
bool ReadUsualDate(absl::string_view text, CivilDate* date) {
  constexpr size_t kDateSize = 10;
  if (text.size() != kDateSize) return false;
  uint64_t year, day;
  if (!ReadPairs<Layout("0000-00-")>(text.data(), &year) ||
      !ReadPairs<Layout("00-00-00")>(text.data() + 2, &day))
    return false;
  date->year = PairAt(year, 0) * 100 + PairAt(year, 2);
  date->month = PairAt(year, 5);
  date->day = PairAt(day, 6);
  return IsDay(*date);
}

// YYYY-MM-DD HH:MM:SS[.ffffff][+HH], the zone where one is expected, as nearly every timestamp is.
// False: it may be one all the same.
bool ReadUsualTimestamp(absl::string_view text, bool zoned, TimestampText* out) {
  constexpr size_t kSeconds = 19, kMicros = 26, kZone = 3;
  constexpr int64_t kHour = 3600;
  const size_t size = text.size() - (zoned ? kZone : 0);
  if (size != kSeconds && size != kMicros) return false;
  const char* const at = text.data();
  uint64_t month, minute, second;
  const bool laid_out = ReadPairs<Layout("0000-00-")>(at, &month) &&
                        ReadPairs<Layout("00 00:00")>(at + 8, &minute) &&
                        ReadPairs<Layout("00:00:00")>(at + 11, &second);
  if (!laid_out) return false;
  const unsigned hours = PairAt(minute, 3), minutes = PairAt(minute, 6),
                 seconds = PairAt(second, 6);
  out->date.year = PairAt(month, 0) * 100 + PairAt(month, 2);
  out->date.month = PairAt(month, 5);
  out->date.day = PairAt(minute, 0);
  uint64_t fraction = 0;
  if (size == kMicros &&
      (at[kSeconds] != '.' || !ReadDigits(text.substr(kSeconds + 1, 6), &fraction)))
    return false;
  if (zoned) {
    const int zone = TwoDigits(at + size + 1);
    if (zone < 0 || zone > 23 || (at[size] != '+' && at[size] != '-')) return false;
    out->offset_seconds = (at[size] == '-' ? -kHour : kHour) * zone;
  }
  out->micros =
      ((hours * 60 + minutes) * 60 + seconds) * kMicrosPerSecond + static_cast<int64_t>(fraction);
  return hours < 24 && minutes < 60 && seconds < 60 && IsDay(out->date);
}

bool ParseDateAndTime(absl::string_view text, bool zoned, TimestampText* out) {
  *out = {};
  if (ReadUsualTimestamp(text, zoned, out)) return true;
  *out = {};
  if (ParseInfinity(text, &out->infinity)) return true;
  Scanner scan(text);
  if (!TakeDate(&scan, &out->date) || !scan.Take(' ') || !TakeTimeOfDay(&scan, &out->micros))
    return false;
  if (out->micros == kMicrosPerDay) return false;  // would be the next day
  if (zoned && !TakeZone(&scan, &out->offset_seconds)) return false;
  return FinishDate(&scan, &out->date);
}

// Adds "n unit", the sign and number already taken.
bool TakeUnit(Scanner* scan, int64_t number, IntervalText* out) {
  if (scan->TakeWord(" year")) {
    out->months += number * 12;
  } else if (scan->TakeWord(" mon")) {
    out->months += number;
  } else if (scan->TakeWord(" day")) {
    out->days += number;
  } else {
    return false;
  }
  scan->Take('s');
  return true;
}

bool IsClock(absl::string_view text) {
  const size_t end = text.find_first_not_of("0123456789");
  return end != absl::string_view::npos && text[end] == ':';
}

}  // namespace

bool ParseDate(absl::string_view text, TimestampText* out) {
  *out = {};
  if (ReadUsualDate(text, &out->date)) return true;
  *out = {};
  if (ParseInfinity(text, &out->infinity)) return true;
  Scanner scan(text);
  return TakeDate(&scan, &out->date) && FinishDate(&scan, &out->date);
}

bool ParseTime(absl::string_view text, TimestampText* out) {
  *out = {};
  Scanner scan(text);
  return TakeTimeOfDay(&scan, &out->micros) && scan.empty();
}

bool ParseZonedTime(absl::string_view text, TimestampText* out) {
  *out = {};
  Scanner scan(text);
  return TakeTimeOfDay(&scan, &out->micros) && TakeZone(&scan, &out->offset_seconds) &&
         scan.empty();
}

bool ParseTimestamp(absl::string_view text, TimestampText* out) {
  return ParseDateAndTime(text, false, out);
}
bool ParseZonedTimestamp(absl::string_view text, TimestampText* out) {
  return ParseDateAndTime(text, true, out);
}

bool ParseInterval(absl::string_view text, IntervalText* out) {
  *out = {};
  if (ParseInfinity(text, &out->infinity)) return true;
  Scanner scan(text);
  do {
    const int64_t sign = scan.TakeSign();
    if (IsClock(scan.rest())) {
      return TakeClock(&scan, 10, sign, &out->micros) && scan.empty();
    }
    int64_t number = 0;
    if (!scan.TakeNumber(1, 10, &number) || !TakeUnit(&scan, sign * number, out)) return false;
  } while (scan.Take(' '));
  return scan.empty();
}

int64_t SaturatedMicros(const TimestampText& time, uint64_t* saturated) {
  const Int128 micros = MicrosSinceEpoch(time);
  if (micros <= kMax && micros >= kMin) return static_cast<int64_t>(micros);
  ++*saturated;
  return micros > 0 ? kMax : kMin;
}

bool NanosSinceEpoch(const TimestampText& time, int64_t* nanos) {
  constexpr int64_t kNanosPerMicro = 1000;
  const Int128 exact = MicrosSinceEpoch(time) * kNanosPerMicro;
  *nanos = static_cast<int64_t>(exact);
  return exact <= kMax && exact >= kMin;
}

void ToUtc(TimestampText* time) {
  if (time->offset_seconds == 0) return;
  const int64_t micros = time->micros - time->offset_seconds * kMicrosPerSecond;
  const int64_t days = FloorDivide(micros, kMicrosPerDay);
  time->micros = micros - days * kMicrosPerDay;
  time->offset_seconds = 0;
  time->date = CivilFromDays(DaysFromCivil(time->date) + days);
}

// The usual civil calendar arithmetic: days since 0000-03-01 count leap days at the end of each
// year. absl::CivilDay takes several times as long.
int64_t DaysFromCivil(const CivilDate& date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = FloorDivide(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t month_from_march = int64_t{date.month} + (date.month > 2 ? -3 : 9);
  const int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kDaysBeforeUnixEpoch;
}

CivilDate CivilFromDays(int64_t days) {
  const int64_t from_march = days + kDaysBeforeUnixEpoch;
  const int64_t era = (from_march >= 0 ? from_march : from_march - (kDaysPerEra - 1)) / kDaysPerEra;
  const int64_t day_of_era = from_march - era * kDaysPerEra;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / (kDaysPerEra - 1)) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<unsigned>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  date.month =
      static_cast<unsigned>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

}  // namespace walduct::encode
