#include "base/utf8.h"

#include <gtest/gtest.h>

namespace walduct {
namespace {

TEST(Utf8, OnlyWellFormedBytesAreValid) {
  for (const char* good :
       {"", "plain ascii text of some length", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
        "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF", "12345678\xC3\xA9"}) {
    EXPECT_TRUE(IsValidUtf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xE2\x82", "\xE2\x82z", "12345678\xFF"}) {
    EXPECT_FALSE(IsValidUtf8(bad));
  }
  EXPECT_TRUE(IsValidUtf8(absl::string_view("a\0b", 3)));
}

TEST(Utf8, CountsAsJavaDoes) {
  EXPECT_EQ(FirstCharacter("\xF0\x9D\x84\x9E").utf16_units(), 2u);
  EXPECT_EQ(Utf16Prefix("a\xF0\x9D\x84\x9Ez", 2), "a") << "a pair is never split";
  const std::string text = "a\u00f1\u20ac\U0001F600b";
  EXPECT_EQ(Utf16Length(text), 6u);
  EXPECT_EQ(Utf16Prefix(text, 0), "");
  EXPECT_EQ(Utf16Prefix(text, 3), "a\u00f1\u20ac");
  EXPECT_EQ(Utf16Prefix(text, 4), "a\u00f1\u20ac");
  EXPECT_EQ(Utf16Prefix(text, 5), "a\u00f1\u20ac\U0001F600");
  EXPECT_EQ(Utf16Prefix(text, 9), text);
  EXPECT_EQ(JoinSurrogates(0xD83D, 0xDE00), 0x1F600u);
}

TEST(Utf8, BytesAreCutBetweenCharacters) {
  EXPECT_EQ(Utf8Prefix("a\u20acz", 1), "a");
  EXPECT_EQ(Utf8Prefix("a\u20acz", 3), "a");
  EXPECT_EQ(Utf8Prefix("a\u20acz", 4), "a\u20ac");
  EXPECT_EQ(Utf8Prefix("a\u20acz", 9), "a\u20acz");
}

}  // namespace
}  // namespace walduct
