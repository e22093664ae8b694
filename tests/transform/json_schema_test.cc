// Schemas of JSON payloads where the original depends on the order of a hash set; the rest is in vectors_test.cc.
#include "transform/outbox/json_schema.h"

#include <gtest/gtest.h>

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
  const absl::Status status = AppendJsonAs(*tree, *SchemaFromText(text), &value);
  return status.ok() ? value : std::string(status.message());
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

TEST(JsonTree, DepthIsBounded) {
  EXPECT_TRUE(ParseJsonTree(std::string(1000, '[') + std::string(1000, ']')).ok());
  EXPECT_FALSE(ParseJsonTree(std::string(1001, '[') + std::string(1001, ']')).ok());
  EXPECT_FALSE(ParseJsonTree(std::string(100000, '{')).ok());
}

}  // namespace
}  // namespace walduct::transform
