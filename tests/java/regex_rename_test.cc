#include "java/regex/regex_rename.h"

#include <gtest/gtest.h>

namespace walduct::java {
namespace {

TEST(RegexRename, ReplacesTheFirstMatchOfATextThatMatchesWhole) {
  const auto replace = [](const char* pattern, const char* replacement, const char* text) {
    return RegexRename::Compile(pattern, replacement)->Replace(text).value_or("<none>");
  };
  EXPECT_EQ(replace(R"(srv\.public\.(.*))", "cdc-$1", "srv.public.orders"), "cdc-orders");
  EXPECT_EQ(replace(R"((?<s>\w+)\.(?<t>\w+))", "${t}_${s}", "a.b"), "b_a");
  EXPECT_EQ(replace("(a)(b)?", "$1-$2", "a"), "a-");
  EXPECT_EQ(replace("(.*)", "$12", "a"), "a2");
  EXPECT_EQ(replace("(.*)", R"(\$1\\)", "a"), R"($1\)");
  EXPECT_EQ(replace("a|ab", "x", "ab"), "xb");
  EXPECT_EQ(replace("b", "x", "abc"), "<none>");
}

TEST(RegexRename, GroupsThatDoNotExistAreErrors) {
  EXPECT_FALSE(RegexRename::Compile("(a)", "$2").ok());
  EXPECT_FALSE(RegexRename::Compile("(a)", "${n}").ok());
  EXPECT_FALSE(RegexRename::Compile("(a)", "$x").ok());
  EXPECT_FALSE(RegexRename::Compile("(a)", "\\").ok());
}

}  // namespace
}  // namespace walduct::java
