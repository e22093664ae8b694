// As Java 25 says it.
#include "java/regex/pattern_error.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace walduct::java {
namespace {

TEST(PatternError, SaysWhatJavaSays) {
  const std::pair<const char*, const char*> recorded[] = {
      {"[", "Unclosed character class near index 0\n[\n^"},
      {"a[b", "Unclosed character class near index 2\na[b\n  ^"},
      {"a[b]c[", "Unclosed character class near index 5\na[b]c[\n     ^"},
      {"[]", "Unclosed character class near index 1\n[]\n ^"},
      {"[^", "Unclosed character class near index 1\n[^\n ^"},
      {"[[", "Unclosed character class near index 1\n[[\n ^"},
      {"[a[b]", "Unclosed character class near index 4\n[a[b]\n    ^"},
      {"[\\", "Unclosed character class near index 2\n[\\"},
      {"(", "Unclosed group near index 1\n("},
      {"a(b", "Unclosed group near index 3\na(b"},
      {"public.(orders", "Unclosed group near index 14\npublic.(orders"},
      {"(?:", "Unclosed group near index 3\n(?:"},
      {"a)b", "Unmatched closing ')' near index 0\na)b\n^"},
      {")", "Unmatched closing ')'\n)"},
      {"a|)", "Unmatched closing ')' near index 1\na|)\n ^"},
      {"*", "Dangling meta character '*' near index 0\n*\n^"},
      {"*a", "Dangling meta character '*' near index 0\n*a\n^"},
      {"a|*", "Dangling meta character '*' near index 2\na|*\n  ^"},
      {"a**", "Dangling meta character '*' near index 2\na**\n  ^"},
      {"a*+*", "Dangling meta character '*' near index 3\na*+*\n   ^"},
      {"+", "Dangling meta character '+' near index 0\n+\n^"},
      {"a???", "Dangling meta character '?' near index 3\na???\n   ^"},
      {"a{", "Illegal repetition near index 2\na{"},
      {"{", "Illegal repetition near index 1\n{"},
      {"a{2", "Unclosed counted closure near index 3\na{2"},
      {"a{2,", "Unclosed counted closure near index 4\na{2,"},
      {"a{2}**", "Dangling meta character '*' near index 4\na{2}**\n    ^"},
      {"a\\", "Unescaped trailing backslash near index 2\na\\"},
      {"[a-", "Illegal character range near index 3\n[a-"},
      {"[z-a]", "Illegal character range near index 3\n[z-a]\n   ^"},
      {"(?z)", "Unknown inline modifier near index 2\n(?z)\n  ^"},
  };
  for (const auto& [pattern, error] : recorded) EXPECT_EQ(PatternError(pattern), error);
}

TEST(PatternError, NothingIsSaidOfWhatIsGood) {
  for (const char* pattern : {"", "a??", "a{2}", "a{2}{3}", "^*", "$*", "[]]", "[^]]", "[a[b]]",
                              "(a)*", "()*", "\\\\", "\\[", "(?i)a*", "public\\.(orders|items)"})
    EXPECT_EQ(PatternError(pattern), "") << pattern;
}

TEST(PatternError, WhatItCannotCountItDoesNotSay) {
  EXPECT_EQ(PatternError("\\Q[\\E["), "");
  EXPECT_EQ(PatternError("\u00fc["), "");
}

}  // namespace
}  // namespace walduct::java
