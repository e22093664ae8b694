#include "transform/topic_naming.h"

#include <gtest/gtest.h>

namespace walduct::transform {
namespace {

TEST(TopicNaming, JoinsPrefixSchemaAndTable) {
  EXPECT_EQ(TableTopic({"srv", ".", "public", "orders"}), "srv.public.orders");
}

TEST(TopicNaming, UsesTheDelimiter) {
  EXPECT_EQ(TableTopic({"srv", "_", "public", "orders"}), "srv_public_orders");
}

TEST(TopicNaming, LeavesOutBlankParts) {
  EXPECT_EQ(TableTopic({"srv", ".", "  ", "orders"}), "srv.orders");
}

TEST(TopicNaming, TPN01ReplacesWhatKafkaRefuses) {
  EXPECT_EQ(TableTopic({"srv", ".", "public", "dbz_878_some|test@data"}),
            "srv.public.dbz_878_some_test_data");
  EXPECT_EQ(TableTopic({"srv", ".", "public", "back\\slash"}), "srv.public.back_slash");
  EXPECT_EQ(TableTopic({"srv", ".", "public", "sp-ecial$chars"}), "srv.public.sp-ecial_chars");
}

TEST(TopicNaming, TPN05ReplacesQuotesAndSpaces) {
  EXPECT_EQ(TableTopic({"srv", ".", "Quoted_\" . Schema", "Mixed Case"}),
            "srv.Quoted___._Schema.Mixed_Case");
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

TEST(TopicNaming, TPN04MessageTopicKeepsTheDot) { EXPECT_EQ(MessageTopic("srv"), "srv.message"); }

}  // namespace
}  // namespace walduct::transform
