#include "java/regex/regex_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::java {
namespace {

RegexList Parse(absl::string_view list) {
  absl::StatusOr<RegexList> parsed = RegexList::Parse(list);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return *parsed;
}

TEST(RegexList, Cfg05TrimsEntriesAndDropsEmptyOnes) {
  const RegexList list = Parse(" s1.a, s1.b ,,");
  EXPECT_TRUE(list.Matches("s1.a"));
  EXPECT_TRUE(list.Matches("s1.b"));
  EXPECT_FALSE(list.Matches(""));
}

TEST(RegexList, IgnoresCase) { EXPECT_TRUE(Parse("Public.Orders").Matches("public.orders")); }

TEST(RegexList, EscapedCommaIsPartOfAnEntry) {
  EXPECT_TRUE(Parse("s\\.a{1\\,2},x").Matches("s.aa"));
  EXPECT_TRUE(Parse("a\\\\,b").Matches("b")) << "an escaped backslash does not escape the comma";
}

TEST(RegexList, FirstMatchGivesTheOrderOfEntries) {
  const RegexList list = Parse("s.b,s.a,s.*");
  EXPECT_EQ(list.FirstMatch("s.a"), 1u);
  EXPECT_EQ(list.FirstMatch("s.zzz"), 2u);
  EXPECT_EQ(list.FirstMatch("t.a"), std::nullopt);
}

TEST(RegexList, EntriesThatMatchNothingAreFound) {
  const RegexList list = Parse("Public.Orders, public\\.itmes,public.ev_.*,public.x,s.(a|b)");
  const auto idle = list.FindIdle({"public.orders", "public.items", "s.b"}, 20);
  ASSERT_EQ(idle.size(), 3u);
  EXPECT_EQ(idle[0].entry, "public\\.itmes");
  EXPECT_EQ(idle[0].name, "public.itmes");
  EXPECT_EQ(idle[1].entry, "public.ev_.*");
  EXPECT_EQ(idle[1].name, "") << "a pattern";
  EXPECT_EQ(idle[2].name, "public.x");
  EXPECT_EQ(list.FindIdle({}, 2).size(), 2u) << "no more than are wanted";
  // A dot is any character.
  EXPECT_TRUE(Parse("public.a.b").FindIdle({"public.a_b"}, 20).empty());
}

TEST(RegexList, BadEntryIsNamed) {
  const auto parsed = RegexList::Parse("s.a,s.(b");
  ASSERT_FALSE(parsed.ok());
  EXPECT_THAT(std::string(parsed.status().message()), testing::HasSubstr("'s.(b'"));
}

}  // namespace
}  // namespace walduct::java
