// Schemas of JSON payloads where the original depends on the order of a hash set; the rest is in
// vectors_test.cc.
#include "transform/outbox/json_schema.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/transform/json_values.h"

namespace walduct::transform {
namespace {

// The value as it would be published, or what is wrong.
std::string Expand(absl::string_view json, const JsonRules& rules = {}) {
  const auto tree = ParseJsonTree(json);
  if (!tree.ok()) return std::string(tree.status().message());
  const auto schema = InferJsonSchema("payload", *tree, rules);
  if (!schema.ok()) return std::string(schema.status().message());
  std::string text, value;
  AppendSchemaText(**schema, &text);
  const event::ConnectSchemaPtr read = SchemaFromText(text);
  event::TreeBuilder built(&value);
  const absl::Status status = AddJsonAs(*tree, *read, &built);
  return status.ok() ? JsonOf(built.value(), *read) : std::string(status.message());
}

TEST(JsonSchema, OBX11_ObjectsInArraysAreUnited) {
  EXPECT_EQ(Expand(R"({"a":[{"x":1},{"y":"z"}]})"),
            R"({"a":[{"x":1,"y":null},{"x":null,"y":"z"}]})");
  EXPECT_EQ(Expand(R"({"a":[{"x":{"y":1}},{"x":{"z":1}}]})"),
            R"({"a":[{"x":{"y":1}},{"x":{"y":null}}]})");
  EXPECT_EQ(Expand(R"({"a":[{"x":null},{"x":1}]})", {.keep_nulls = true}),
            R"({"a":[{"x":null},{"x":1}]})");
}

TEST(JsonSchema, OBX11_ValuesThatNoSchemaFitsAreRefused) {
  for (const char* json : {R"({"a":[{"x":1},{"x":"s"}]})", R"({"a":[{"x":1},{"x":5000000000}]})",
                           R"({"a":[{"x":1},{"y":1},null]})"})
    EXPECT_NE(Expand(json).substr(0, 1), "{") << json;
}

TEST(JsonSchema, EmptyArraysCanBeKept) {
  EXPECT_EQ(Expand(R"({"a":[],"b":{"c":[]}})"), R"({"b":{}})");
  EXPECT_EQ(Expand(R"({"a":[],"b":{"c":[]}})", {.keep_empty_arrays = true}),
            R"({"a":[],"b":{"c":[]}})");
}

TEST(JsonSchema, NamesOfAnyBytesSurviveTheText) {
  EXPECT_EQ(Expand(R"({"3:x":{"12:":[{"a:b":true}]}})"), R"({"3:x":{"12:":[{"a:b":true}]}})");
}

TEST(JsonSchema, OBX11_HalvesOfPairsStayAsTheyWereWritten) {
  EXPECT_EQ(
      Expand(
          R"({"a":"\ud800","e":"\ud83d\nabcd\ud83d\u0041","\uDFFFb":"x\ude00\ud83d","c":"\ud83d\ude00\ud7ff"})"),
      "{\"a\":\"\\uD800\",\"e\":\"\\uD83D\\nabcd\\uD83DA\",\"\\uDFFFb\":\"x\\uDE00\\uD83D\",\"c\":"
      "\"\\uD83D\\uDE00\xED\x9F\xBF\"}");
}

TEST(JsonTree, TheDigitsOfANumberAreCountedWithoutItsSigns) {
  const std::string most(994, '1');
  EXPECT_TRUE(ParseJsonTree("-1.1" + most + "e+1234").ok());
  EXPECT_FALSE(ParseJsonTree("-11.1" + most + "e+1234").ok());
}

// Of objects with many members, each found in time that does not grow with their number.
TEST(JsonSchema, ManyMembersAreFoundByName) {
  std::string one = "{", other = "{";
  for (int i = 0; i < 5000; ++i) {
    const std::string name = absl::StrCat("\"m", i, "\":");
    absl::StrAppend(&one, i == 0 ? "" : ",", name, i);
    absl::StrAppend(&other, i == 0 ? "" : ",", "\"m", 4999 - i, "\":", i);
  }
  EXPECT_EQ(Expand(one + "}"), one + "}");
  EXPECT_EQ(Expand(one + ",\"m7\":\"last\"}"),
            absl::StrReplaceAll(one + "}", {{"\"m7\":7,", "\"m7\":\"last\","}}));
  const std::string two = Expand("{\"a\":[" + one + "}," + other + "}]}");
  EXPECT_TRUE(absl::EndsWith(two, ",\"m4998\":1,\"m4999\":0}]}")) << two.substr(two.size() - 50);
}

TEST(JsonTree, DepthIsBounded) {
  EXPECT_TRUE(ParseJsonTree(std::string(1000, '[') + std::string(1000, ']')).ok());
  EXPECT_FALSE(ParseJsonTree(std::string(1001, '[') + std::string(1001, ']')).ok());
  EXPECT_FALSE(ParseJsonTree(std::string(100000, '{')).ok());
}

}  // namespace
}  // namespace walduct::transform
