// The usual layout has a way of its own. With a zero before its year a text goes the general way,
// and must say the same.
#include "encode/values/time_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"

namespace walduct::encode {
namespace {

using Parse = bool (*)(absl::string_view, TimestampText*);

// Ends with its block, so that a read behind it shows.
auto Read(Parse parse, const std::string& text) {
  const std::vector<char> block(text.begin(), text.end());
  TimestampText time;
  const bool ok = parse({block.data(), block.size()}, &time);
  if (!ok) time = {};
  return std::make_tuple(ok, time.infinity, time.date.year, time.date.month, time.date.day,
                         time.micros, time.offset_seconds);
}

class RandomTexts {
 public:
  // Nearly a timestamp, a zoned one or a date.
  std::string Next() {
    std::string text = absl::StrFormat("%04d-%02d-%02d", Below(10000), Below(14), Below(33));
    if (Below(4) == 0) return Changed(text);
    absl::StrAppendFormat(&text, " %02d:%02d:%02d", Below(26), Below(61), Below(61));
    if (Below(2) == 0) {
      text.push_back('.');
      const int digits = Below(8);
      for (int i = 0; i < (Below(2) == 0 ? 6 : digits); ++i)
        text.push_back(static_cast<char>('0' + Below(10)));
    }
    if (Below(2) == 0) absl::StrAppendFormat(&text, "%c%02d", Below(2) == 0 ? '-' : '+', Below(25));
    if (Below(8) == 0) absl::StrAppendFormat(&text, ":%02d", Below(61));
    if (Below(16) == 0) absl::StrAppendFormat(&text, ":%02d", Below(61));
    if (Below(8) == 0) text += " BC";
    return Changed(text);
  }

 private:
  int Below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::string Changed(std::string text) {
    if (Below(4) == 0) text[static_cast<size_t>(Below(static_cast<int>(text.size())))] = Byte();
    return text;
  }
  char Byte() { return "0129/:-+. BT\xFF"[Below(13)]; }

  std::mt19937 random_{1};
};

TEST(TimeTextTest, TheUsualLayoutSaysWhatTheGeneralOneSays) {
  RandomTexts texts;
  int taken = 0;
  for (int i = 0; i < 300000; ++i) {
    const std::string text = texts.Next();
    for (const Parse parse : {&ParseTimestamp, &ParseZonedTimestamp, &ParseDate}) {
      const auto read = Read(parse, text);
      ASSERT_EQ(read, Read(parse, "0" + text)) << text;
      taken += std::get<0>(read) ? 1 : 0;
    }
  }
  EXPECT_GT(taken, 50000);
}

TEST(TimeTextTest, TheEndsOfTheUsualLayout) {
  for (const char* text : {"0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"}) {
    EXPECT_TRUE(std::get<0>(Read(&ParseTimestamp, text))) << text;
    EXPECT_TRUE(std::get<0>(Read(&ParseZonedTimestamp, absl::StrCat(text, "-23")))) << text;
  }
  for (const char* text : {"0000-01-01 00:00:00", "2023-02-29 00:00:00", "2024-01-01 24:00:00",
                           "2024-01-01 00:60:00", "2024-01-01 00:00:60", "2024-00-01 00:00:00",
                           "2024-01-00 00:00:00", "2024-01-01T00:00:00", "2024-01-01 00:00:00."}) {
    EXPECT_FALSE(std::get<0>(Read(&ParseTimestamp, text))) << text;
  }
}

TEST(TimeTextTest, DaysAreThoseOfTheCalendar) {
  std::mt19937 random(2);
  for (int i = 0; i < 300000; ++i) {
    const CivilDate date{.year = static_cast<int64_t>(random() % 600000) - 5000,
                         .month = static_cast<unsigned>(1 + random() % 12),
                         .day = static_cast<unsigned>(1 + random() % 28)};
    const int64_t days =
        absl::CivilDay(date.year, date.month, date.day) - absl::CivilDay(1970, 1, 1);
    ASSERT_EQ(DaysFromCivil(date), days) << date.year << "-" << date.month << "-" << date.day;
    const CivilDate back = CivilFromDays(days);
    ASSERT_EQ(std::tie(back.year, back.month, back.day), std::tie(date.year, date.month, date.day));
  }
}

}  // namespace
}  // namespace walduct::encode
