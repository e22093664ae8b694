#include "config/files/connect_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

KeyValues Parse(absl::string_view text) {
  absl::StatusOr<ParsedFile> file = ParseConnectJson(text);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? file->values : KeyValues{};
}

std::string Refusal(absl::string_view text) {
  const auto file = ParseConnectJson(text);
  return file.ok() ? "" : std::string(file.status().message());
}

TEST(ConnectJson, FlatMapKeepsItsOrder) {
  EXPECT_THAT(Parse(R"({"b":"1","a":"2"})"), ElementsAre(Pair("b", "1"), Pair("a", "2")));
}

TEST(ConnectJson, CreateRequestTakesTheOuterName) {
  EXPECT_THAT(Parse(R"({"name":"orders","config":{"a":"1"}})"),
              ElementsAre(Pair("name", "orders"), Pair("a", "1")));
}

// A copy of which one name alone was changed would go on as what it is a copy of.
TEST(ConnectJson, TwoNamesAreOne) {
  EXPECT_THAT(Parse(R"({"name":"x","config":{"name":"x"}})"), ElementsAre(Pair("name", "x")));
  EXPECT_THAT(Parse(R"({"config":{"name":"x"}})"), ElementsAre(Pair("name", "x")));
  EXPECT_THAT(Parse(R"({"name":"x","config":{"name":"${env:N}"}})"),
              ElementsAre(Pair("name", "${env:N}")));
  EXPECT_THAT(Refusal(R"({"name":"x","config":{"name":"y"}})"),
              AllOf(HasSubstr("the connector is 'x'"), HasSubstr("in its config is 'y'")));
}

TEST(ConnectJson, NumbersAndBooleansBecomeTheirText) {
  EXPECT_THAT(Parse(R"({"a":5432,"b":true,"c":1.50,"d":12345678901234567890123,"e":false})"),
              ElementsAre(Pair("a", "5432"), Pair("b", "true"), Pair("c", "1.50"),
                          Pair("d", "12345678901234567890123"), Pair("e", "false")));
}

TEST(ConnectJson, NestedValuesAreRefusedByName) {
  EXPECT_THAT(Refusal(R"({"a":{"b":1}})"), AllOf(HasSubstr("'a'"), HasSubstr("an object")));
  EXPECT_THAT(Refusal(R"({"name":"n","config":{"a":[1]}})"),
              AllOf(HasSubstr("'a'"), HasSubstr("an array")));
}

TEST(ConnectJson, NullIsNotSet) {
  const auto file = ParseConnectJson(R"({"a":null,"b":"1"})");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->values, ElementsAre(Pair("b", "1")));
  EXPECT_THAT(file->warnings, ElementsAre(AllOf(HasSubstr("'a'"), HasSubstr("null"))));
}

TEST(ConnectJson, CommentsAreLeftOut) {
  const auto file = ParseConnectJson(
      R"({"name":"n","_comment":"x","config":{"_comment_slot":"y","//":"z","#a":"b","c":"1"}})");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->values, ElementsAre(Pair("name", "n"), Pair("c", "1")));
  EXPECT_THAT(file->warnings, testing::IsEmpty());
}

TEST(ConnectJson, ACommaTooManyIsNamedWithItsPlace) {
  EXPECT_THAT(Refusal("{\n  \"a\": \"1\",\n}"),
              AllOf(HasSubstr("line 2, column 11"), HasSubstr("a comma before '}'")));
  EXPECT_THAT(Refusal("{\"name\":\"n\",\r\n\"config\":{\"a\":\"1\" , \r\n }}"),
              AllOf(HasSubstr("line 2, column 19"), HasSubstr("a comma before '}'")));
  EXPECT_THAT(Refusal("{\n\"a\": \"1\", // one\n\"b\": \"2\"}"),
              AllOf(HasSubstr("line 2, column 11"), HasSubstr("no comments")));
}

TEST(ConnectJson, LinesMayEndAsOnWindows) {
  EXPECT_THAT(Parse("\xEF\xBB\xBF{\r\n\"a\": \"1\",\r\n\"b\": 2\r\n}\r\n"),
              ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST(ConnectJson, SyntaxErrorGivesLineAndColumn) {
  EXPECT_THAT(Refusal("{\n  \"a\": \"1\"\n  \"b\": \"2\"\n}"), HasSubstr("line 3, column 3"));
  EXPECT_THAT(Refusal("{\"a\": \"1\""), HasSubstr("line 1, column"));
}

TEST(ConnectJson, TruncatedTextIsRefusedAtEveryByte) {
  const std::string text = R"({"name":"o","config":{"a":"1","b":2}})";
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(Refusal(text.substr(0, size)), "") << size;
}

TEST(ConnectJson, SomethingElseThanAnObjectIsRefused) {
  EXPECT_THAT(Refusal("[1]"), HasSubstr("not an object"));
}

TEST(ConnectJson, InvalidUtf8IsRefused) { EXPECT_NE(Refusal("{\"a\":\"\xE9\"}"), ""); }

TEST(ConnectJson, DeepNestingDoesNotExhaustTheStack) {
  EXPECT_NE(Refusal("{\"a\":" + std::string(200'000, '[')), "");
}

TEST(ConnectJson, MembersBesideConfigAreWarnedAbout) {
  const auto file = ParseConnectJson(R"({"name":"n","slot.name":"s","config":{}})");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->warnings, ElementsAre(HasSubstr("'slot.name'")));
}

}  // namespace
}  // namespace walduct::config
