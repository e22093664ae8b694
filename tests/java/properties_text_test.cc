#include "java/text/properties_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::java {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

decltype(Properties::values) ParsedValues(absl::string_view text) {
  absl::StatusOr<Properties> file = ParseProperties(text);
  EXPECT_TRUE(file.ok()) << file.status();
  return file->values;
}

TEST(PropertiesFile, SeparatorsAreEqualsColonOrBlanks) {
  EXPECT_THAT(
      ParsedValues("a=1\nb:2\nc 3\nd = 4\ne\t:\t5"),
      ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3"), Pair("d", "4"), Pair("e", "5")));
}

TEST(PropertiesFile, OnlyTheFirstSeparatorCounts) {
  EXPECT_THAT(ParsedValues("g==x\nh=a=b:c\ni = : y"),
              ElementsAre(Pair("g", "=x"), Pair("h", "a=b:c"), Pair("i", ": y")));
}

TEST(PropertiesFile, CommentsAndBlankLinesAreSkipped) {
  EXPECT_THAT(ParsedValues("# a=1\n  ! b=2\n\n   \nc=#3\r\n"), ElementsAre(Pair("c", "#3")));
}

TEST(PropertiesFile, BackslashAtTheEndJoinsLinesWithoutLeadingBlanks) {
  EXPECT_THAT(ParsedValues("a=1,\\\n    2,\\\r\n\t3\nb=x\\\\\nc=y"),
              ElementsAre(Pair("a", "1,2,3"), Pair("b", "x\\"), Pair("c", "y")));
}

TEST(PropertiesFile, TrailingBlanksOfAValueAreKept) {
  EXPECT_THAT(ParsedValues("a = b  "), ElementsAre(Pair("a", "b  ")));
}

TEST(PropertiesFile, KeyAloneHasTheEmptyValue) {
  EXPECT_THAT(ParsedValues("a\nb=\n"), ElementsAre(Pair("a", ""), Pair("b", "")));
}

TEST(PropertiesFile, EscapesInKeysAndValues) {
  EXPECT_THAT(ParsedValues("h\\ i=\\t\\u00e9\\z\nk\\:l\\==\\uD83D\\uDE00"),
              ElementsAre(Pair("h i",
                               "\té"
                               "z"),
                          Pair("k:l=", "😀")));
}

TEST(PropertiesFile, LastOfEqualKeysWins) {
  EXPECT_THAT(ParsedValues("a=1\nb=2\na=3"), ElementsAre(Pair("a", "3"), Pair("b", "2")));
}

TEST(PropertiesFile, MalformedUnicodeEscapeNamesTheLine) {
  const auto file = ParseProperties("a=1\nb=\\u12x4");
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("line 2"));
}

TEST(PropertiesFile, BytesAreUtf8) {
  const auto file = ParseProperties(
      "\xEF\xBB\xBF"
      "a=é");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->values, ElementsAre(Pair("a", "é")));
  EXPECT_THAT(file->warnings, IsEmpty());
}

TEST(PropertiesFile, BytesThatAreNotUtf8AreLatin1WithAWarning) {
  for (const char* text :
       {"a=\xE9", "a=\xC3", "a=\xC0\xAF", "a=\xED\xA0\x80", "a=\xF5\x80\x80\x80"}) {
    const auto file = ParseProperties(text);
    ASSERT_TRUE(file.ok());
    EXPECT_THAT(file->warnings, ElementsAre(HasSubstr("ISO-8859-1"))) << text;
  }
  EXPECT_THAT(ParsedValues("a=\xE9"), ElementsAre(Pair("a", "é")));
}

TEST(PropertiesFile, EmptyTextHasNoProperties) { EXPECT_THAT(ParsedValues(""), IsEmpty()); }

}  // namespace
}  // namespace walduct::java
