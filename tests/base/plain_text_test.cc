#include "base/plain_text.h"

#include <gtest/gtest.h>

namespace walduct {
namespace {

TEST(PlainTextTest, WhatIsPlainStaysAsItIs) {
  for (const char* text : {"", "a b \"c\" \\d",
                           "Gr\xC3\xB6\xC3\x9F"
                           "e \xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(IsPlainText(text));
    EXPECT_EQ(PlainText(text), text);
  }
}

TEST(PlainTextTest, NothingEndsTheLineOrSteersATerminal) {
  EXPECT_EQ(PlainText("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(PlainText("\x1B[31mred\x7F"), "\\u001B[31mred\\u007F");
  EXPECT_EQ(PlainText("\xC2\x9B"
                      "31m"),
            "\\u009B31m")
      << "C1: a terminal takes it for ESC [";
  EXPECT_EQ(PlainText("\xE2\x80\xAE"
                      "abc\xE2\x80\xA8"),
            "\\u202Eabc\\u2028");
  EXPECT_EQ(PlainText(absl::string_view("a\0b", 3)), "a\\u0000b");
}

TEST(PlainTextTest, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(PlainText("a\xFF"
                      "b\x1B"),
            "a\xEF\xBF\xBD"
            "b\\u001B");
}

}  // namespace
}  // namespace walduct
