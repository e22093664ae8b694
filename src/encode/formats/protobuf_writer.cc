#include "encode/formats/protobuf_writer.h"

#include "base/integer.h"
#include "encode/values/time_text.h"

namespace walduct::encode {
namespace {

constexpr int64_t kMillisPerSecond = 1000, kNanosPerMilli = 1'000'000;
constexpr int64_t kSecondsPerMinute = 60, kSecondsPerHour = 3600, kHoursPerDay = 24;
// 1582-10-15, the first day of Java's Gregorian calendar.
constexpr int64_t kFirstGregorianDay = -141427;
// google.protobuf.Timestamp ends with the year 9999.
constexpr int64_t kFirstSecond = -62135596800, kLastSecond = 253402300799;

struct Day {
  int64_t year, month, day;
};

Day JulianDay(int64_t days) {
  // Counted from the first of March of -4800.
  const int64_t count = days + 2440588 + 32082;
  const int64_t year = FloorDivide(4 * count + 3, 1461);
  const int64_t of_year = count - FloorDivide(1461 * year, 4);
  const int64_t month = (5 * of_year + 2) / 153;
  return {year - 4800 + month / 10, month + 3 - 12 * (month / 10),
          of_year - (153 * month + 2) / 5 + 1};
}

// As java.util.Calendar has it: years before the first are counted backwards.
Day CalendarDay(int64_t days) {
  Day day;
  if (days < kFirstGregorianDay) {
    day = JulianDay(days);
  } else {
    const auto civil = CivilFromDays(days);
    day = {civil.year, civil.month, civil.day};
  }
  if (day.year < 1) day.year = 1 - day.year;
  return day;
}

// How many digits a number has without its point and sign.
int64_t PrecisionOf(const DecimalText& decimal, int32_t scale) {
  const size_t all = decimal.whole.size() + static_cast<size_t>(scale);
  const size_t whole = decimal.whole.find_first_not_of('0');
  if (whole != absl::string_view::npos) return static_cast<int64_t>(all - whole);
  const size_t fraction = decimal.fraction.find_first_not_of('0');
  if (fraction == absl::string_view::npos) return 1;
  return static_cast<int64_t>(static_cast<size_t>(scale) - fraction);
}

}  // namespace

// confluent.type.Decimal {bytes value = 1; uint32 precision = 2; int32 scale = 3}
void ProtobufWriter::Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
  BeginStruct();
  place_ = {1, Presence::kImplicit};
  Bytes(UnscaledBytes(decimal, scale, scratch));
  Part(2, PrecisionOf(decimal, scale));
  Part(3, scale);
  EndStruct();
}

// google.type.Date {int32 year = 1, month = 2, day = 3}
void ProtobufWriter::ConnectDate(int64_t days) {
  const Day day = CalendarDay(days);
  BeginStruct();
  Part(1, day.year);
  Part(2, day.month);
  Part(3, day.day);
  EndStruct();
}

// google.type.TimeOfDay {int32 hours = 1, minutes = 2, seconds = 3, nanos = 4}
void ProtobufWriter::ConnectTime(int64_t millis) {
  const int64_t seconds = millis / kMillisPerSecond;
  BeginStruct();
  Part(1, seconds / kSecondsPerHour % kHoursPerDay);
  Part(2, seconds % kSecondsPerHour / kSecondsPerMinute);
  Part(3, seconds % kSecondsPerMinute);
  Part(4, millis % kMillisPerSecond * kNanosPerMilli);
  EndStruct();
}

// google.protobuf.Timestamp {int64 seconds = 1; int32 nanos = 2}
void ProtobufWriter::ConnectTimestamp(int64_t millis) {
  const int64_t seconds = FloorDivide(millis, kMillisPerSecond);
  if (seconds < kFirstSecond || seconds > kLastSecond)
    return Fail(ProtobufProblem::Kind::kTimestamp);
  BeginStruct();
  Part(1, seconds);
  Part(2, (millis - seconds * kMillisPerSecond) * kNanosPerMilli);
  EndStruct();
}

void ProtobufWriter::Fail(ProtobufProblem::Kind kind) {
  if (problem_.kind != ProtobufProblem::Kind::kNone) return;
  problem_.kind = kind;
  for (const Frame& frame : open_) {
    if (!frame.array) problem_.path.push_back(frame.outer.number);
  }
  problem_.path.push_back(place_.number);
}

}  // namespace walduct::encode
