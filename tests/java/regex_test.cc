#include "java/regex/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace walduct::java {
namespace {

using testing::HasSubstr;

bool Matches(const std::string& pattern, const std::string& text, bool case_insensitive = false) {
  const auto regex = Regex::Compile(pattern, {.case_insensitive = case_insensitive});
  EXPECT_TRUE(regex.ok()) << pattern << ": " << regex.status();
  return regex.ok() && (*regex)->FullMatch(text);
}

std::string Refusal(const std::string& pattern) {
  const auto regex = Regex::Compile(pattern, {});
  return regex.ok() ? "" : std::string(regex.status().message());
}

TEST(Regex, MatchesTheWholeText) {
  EXPECT_TRUE(Matches("public.orders", "public.orders"));
  EXPECT_FALSE(Matches("orders", "public.orders"));
  EXPECT_FALSE(Matches("a|ab", "abc"));
  EXPECT_TRUE(Matches("a|ab", "ab")) << "alternatives are tried until one reaches the end";
}

TEST(Regex, DotIsAnyCharacterButNotALineEnd) {
  EXPECT_TRUE(Matches("public.orders", "publicXorders"));
  EXPECT_FALSE(Matches("a.b", "a\nb"));
  EXPECT_TRUE(Matches("(?s)a.b", "a\nb"));
}

TEST(Regex, IgnoresCaseWhenAsked) {
  EXPECT_TRUE(Matches("Public\\.ORDERS", "public.orders", true));
  EXPECT_FALSE(Matches("Public\\.ORDERS", "public.orders"));
}

TEST(Regex, CharactersAreUnicode) {
  EXPECT_TRUE(Matches("s.t", "sät"));
  EXPECT_TRUE(Matches("\\u00e4", "ä"));
  EXPECT_TRUE(Matches("\\uD83D\\uDE00", "😀")) << "a surrogate pair is one character";
  EXPECT_TRUE(Matches("[\\u00e4-\\u00fc]+", "äöü"));
}

TEST(Regex, ReadsEscapesAsJavaDoes) {
  EXPECT_TRUE(Matches("\\x41\\0101\\cA", "AA\x01"));
  EXPECT_TRUE(Matches("\\ca", "!")) << "Java flips bit 6 of the letter as written";
  EXPECT_TRUE(Matches("\\Qa.b*\\Ec", "a.b*c"));
  EXPECT_TRUE(Matches("[\\Q]\\E]", "]"));
  EXPECT_TRUE(Matches("\\_\\-", "_-"));
}

TEST(Regex, PropertiesAreAsciiUnlessTheyNameUnicode) {
  EXPECT_TRUE(Matches("\\p{Alpha}+", "abc"));
  EXPECT_FALSE(Matches("\\p{Alpha}", "ä"));
  EXPECT_TRUE(Matches("\\p{L}\\pL", "äb"));
  EXPECT_TRUE(Matches("\\p{IsLatin}\\p{sc=Greek}", "aα"));
  EXPECT_FALSE(Matches("\\P{Digit}", "7"));
  EXPECT_TRUE(Matches("[\\p{Punct}x]+", "!]x^"));
}

TEST(Regex, LetterCasePropertiesWidenWhenCaseIsIgnored) {
  EXPECT_TRUE(Matches("\\p{Lower}", "A", true));
  EXPECT_TRUE(Matches("\\p{Lu}", "a", true));
  EXPECT_FALSE(Matches("\\p{Lower}", "A"));
}

TEST(Regex, BackReferenceTakesOnlyDigitsOfExistingGroups) {
  EXPECT_TRUE(Matches("(a)\\11", "aa1"));
  EXPECT_TRUE(Matches("(?<x>a)b\\k<x>", "aba"));
}

TEST(Regex, FirstBracketOfAClassIsLiteral) {
  EXPECT_TRUE(Matches("[]a]+", "]a"));
  EXPECT_FALSE(Matches("[^]a]", "]"));
}

TEST(Regex, LookAheadDoesNotConsumeTheFirstCharacter) {
  EXPECT_TRUE(Matches("(?=a)#*?a", "a"));
  EXPECT_TRUE(Matches("(?!public\\.secret).*", "public.open"));
}

TEST(Regex, RefusesClassArithmetic) {
  EXPECT_THAT(Refusal("[a-z&&[^x]]"), HasSubstr("'&&' is not supported"));
  EXPECT_THAT(Refusal("[a-d[m-p]]"), HasSubstr("(union) is not supported"));
  EXPECT_THAT(Refusal("[[:alpha:]]"), HasSubstr("(union) is not supported"));
}

TEST(Regex, RefusesLookBehindOfVariableLength) { EXPECT_NE(Refusal("(?<=a+)b"), ""); }

TEST(Regex, RefusesWhatOnlyPcreKnows) {
  for (const char* pattern :
       {"(?|a|b)", "(?R)", "(*FAIL)", "\\Ka", "(?#c)a", "(?P<n>a)", "a\\g{1}", "\\N", "\\C"}) {
    EXPECT_NE(Refusal(pattern), "") << pattern;
  }
}

TEST(Regex, RefusesWhatJavaRefuses) {
  for (const char* pattern : {"[a", "(a", "a)", "*a", "a|*", "a{,3}", "{", "a\\", "\\y", "[z-a]",
                              "[]", "\\x4", "\\0", "(?<n_1>a)", "[\\b]", "\\p{", "\\u12", "(?"}) {
    EXPECT_NE(Refusal(pattern), "") << pattern;
  }
}

TEST(Regex, RefusalNamesThePatternAndThePlace) {
  EXPECT_THAT(Refusal("public.[a"), HasSubstr("'public.[a'"));
  EXPECT_THAT(Refusal("public.[a"), HasSubstr("unclosed character class at offset 7"));
}

TEST(Regex, TextBeyondTheMatchLimitDoesNotMatch) {
  EXPECT_FALSE(Matches("(a+)+b", std::string(64, 'a')));
}

std::string Replace(const std::string& pattern, const std::string& replacement,
                    const std::string& text) {
  const auto regex = Regex::Compile(pattern, {});
  EXPECT_TRUE(regex.ok()) << regex.status();
  EXPECT_EQ((*regex)->CheckReplacement(replacement), "");
  return (*regex)->ReplaceFirst(text, replacement);
}

std::string ReplacementProblem(const std::string& pattern, const std::string& replacement) {
  return (*Regex::Compile(pattern, {}))->CheckReplacement(replacement);
}

TEST(Regex, ReplacesTheFirstMatchWithGroups) {
  EXPECT_EQ(Replace("srv.(.*)", "all_$1", "srv.orders"), "all_orders");
  EXPECT_EQ(Replace("(?<part>[a-z]+)", "<${part}>", "1 ab cd"), "1 <ab> cd");
  EXPECT_EQ(Replace("(a)(b)?", "[$2$1]", "xab"), "x[ba]");
  EXPECT_EQ(Replace("(a)(b)?", "[$2]", "xa"), "x[]") << "a group without a match is empty";
  EXPECT_EQ(Replace("(a)", "$12", "a"), "a2") << "group 1 and a 2: there is no group 12";
  EXPECT_EQ(Replace("a", "\\$1\\\\", "a"), "$1\\");
  EXPECT_EQ(Replace("a", "b", "xyz"), "xyz");
  EXPECT_EQ(Replace("srv.(a|ab)", "$1", "srv.ab"), "ab") << "the first alternative, then the rest";
}

TEST(Regex, RefusesReplacementsThatJavaRefuses) {
  EXPECT_THAT(ReplacementProblem("(a)", "$2"), HasSubstr("no group 2"));
  EXPECT_THAT(ReplacementProblem("(a)", "${b}"), HasSubstr("no group 'b'"));
  EXPECT_THAT(ReplacementProblem("(a)", "$"), HasSubstr("'$'"));
  EXPECT_THAT(ReplacementProblem("(a)", "$x"), HasSubstr("'$'"));
  EXPECT_THAT(ReplacementProblem("(a)", "${"), HasSubstr("'}'"));
  EXPECT_THAT(ReplacementProblem("(a)", "a\\"), HasSubstr("backslash"));
}

}  // namespace
}  // namespace walduct::java
