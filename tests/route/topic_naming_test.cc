#include "route/topic_naming.h"

#include <gtest/gtest.h>

#include <string>

#include "java/regex/regex.h"
#include "route/options.h"

namespace walduct::route {
namespace {

RouteOptions Options(const std::string& delimiter = ".") {
  RouteOptions options;
  options.topic_prefix = "srv";
  options.topic_delimiter = delimiter;
  return options;
}

std::string Topic(const std::string& schema, const std::string& table,
                  const std::string& delimiter = ".") {
  const RouteOptions options = Options(delimiter);
  return TopicNaming(options).TableTopic(schema, table);
}

TopicRewrite Rewrite(const std::string& regex, const std::string& replacement) {
  return {*java::Regex::Compile(regex, {}), replacement};
}

TEST(TopicNaming, JoinsPrefixSchemaAndTable) {
  EXPECT_EQ(Topic("public", "orders"), "srv.public.orders");
}

TEST(TopicNaming, UsesTheDelimiter) {
  EXPECT_EQ(Topic("public", "orders", "_"), "srv_public_orders");
}

TEST(TopicNaming, LeavesOutBlankParts) { EXPECT_EQ(Topic("  ", "orders"), "srv.orders"); }

TEST(TopicNaming, TPN01ReplacesWhatKafkaRefuses) {
  EXPECT_EQ(Topic("public", "dbz_878_some|test@data"), "srv.public.dbz_878_some_test_data");
  EXPECT_EQ(Topic("public", "back\\slash"), "srv.public.back_slash");
  EXPECT_EQ(Topic("public", "sp-ecial$chars"), "srv.public.sp-ecial_chars");
}

TEST(TopicNaming, TPN05ReplacesQuotesAndSpaces) {
  EXPECT_EQ(Topic("Quoted_\" . Schema", "Mixed Case"), "srv.Quoted___._Schema.Mixed_Case");
}

TEST(TopicNaming, ReplacesOneCharacterPerUtf16Unit) {
  EXPECT_EQ(SanitizeTopic("S\xC3\xA9lect"), "S_lect");     // U+00E9
  EXPECT_EQ(SanitizeTopic("\xE4\xB8\xAD"), "_");           // U+4E2D
  EXPECT_EQ(SanitizeTopic("a\xF0\x9F\x98\x80z"), "a__z");  // U+1F600, two units
}

TEST(TopicNaming, TPN03CutsAt249) {
  EXPECT_EQ(SanitizeTopic(std::string(300, 'a')), std::string(249, 'a'));
  EXPECT_EQ(SanitizeTopic(std::string(249, 'b')).size(), 249u);
}

TEST(TopicNaming, TPN03DotNamesAreNotTopics) {
  EXPECT_EQ(SanitizeTopic("."), "_");
  EXPECT_EQ(SanitizeTopic(".."), "__");
  EXPECT_EQ(SanitizeTopic("..."), "...");
}

// Names of the real strategies for the table "Mixed_Case é😀".
constexpr char kOdd[] = "Mixed_Case \xC3\xA9\xF0\x9F\x98\x80";

TEST(TopicNaming, TPN03UnicodeStrategyEscapesUnderscoresToo) {
  RouteOptions options = Options();
  options.naming.unicode = true;
  EXPECT_EQ(TopicNaming(options).TableTopic("public", kOdd),
            "srv.public.Mixed_u005fCase_u0020_u00e9_ud83d_ude00");
  EXPECT_EQ(SanitizeTopic("..", true), "_u002e_u002e");
  EXPECT_EQ(SanitizeTopic("\xC5\x82", true), "_u142");
}

TEST(TopicNaming, TPN03DefaultStrategyLeavesTheSchemaOut) {
  RouteOptions options = Options();
  options.naming.with_schema = false;
  EXPECT_EQ(TopicNaming(options).TableTopic("public", kOdd), "srv.Mixed_Case____");
}

TEST(TopicNaming, TPN03RegexStrategyRewritesWholeMatches) {
  RouteOptions options = Options();
  options.naming.rewrite = Rewrite("srv.public.(.*)", "srv.all_$1");
  const TopicNaming naming(options);
  EXPECT_TRUE(naming.joins_tables());
  EXPECT_EQ(naming.TableTopic("public", kOdd), "srv.all_Mixed_Case____");
  EXPECT_EQ(naming.TableTopic("other", "t"), "srv.other.t");
  EXPECT_EQ(naming.KeyFieldValue("public", kOdd), std::string("srv.public.") + kOdd);
}

TEST(TopicNaming, TPN03RegexStrategyKeepsTheTopicWhereNothingIsLeft) {
  RouteOptions options = Options();
  options.naming.rewrite = Rewrite("(x?).*", "$1");
  EXPECT_EQ(TopicNaming(options).TableTopic("public", "orders"), "srv.public.orders");
}

TEST(TopicNaming, KeyFieldValueComesFromTheOriginalName) {
  RouteOptions options = Options();
  options.naming.key_field_rewrite = Rewrite("srv\\.(.*)", "<$1>");
  EXPECT_EQ(TopicNaming(options).KeyFieldValue("public", "plain t"), "<public.plain t>");
}

TEST(TopicNaming, TPN04MessageTopicKeepsTheDot) { EXPECT_EQ(MessageTopic("srv"), "srv.message"); }

}  // namespace
}  // namespace walduct::route
