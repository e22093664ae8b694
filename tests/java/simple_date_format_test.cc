#include "java/time/simple_date_format.h"

#include <gtest/gtest.h>

namespace walduct::java {
namespace {

TEST(SimpleDateFormat, ReadsAsJavaReads) {
  const auto parse = [](const char* pattern, const char* text) {
    int64_t millis = -1;
    return SimpleDateFormat::Compile(pattern)->Parse(text, &millis) ? millis : -1;
  };
  EXPECT_EQ(parse("yyyy-MM-dd'T'HH:mm:ss.SSSX", "2020-01-02T03:04:05.678+01:00"), 1577930645678);
  EXPECT_EQ(parse("yyyyMMddHHmmss", "20200102030405"), 1577934245000);
  EXPECT_EQ(parse("d MMM yyyy hh:mm a", "2 Jan 2020 03:04 PM"), 1577977440000);
  EXPECT_EQ(parse("yyyy-MM-dd", "2020-13-02 and more"), 1609545600000);
  EXPECT_EQ(parse("yyyy-MM-dd", "x"), -1);
}

}  // namespace
}  // namespace walduct::java
