#include "base/json.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <limits>

namespace walduct {
namespace {

TEST(Json, WhatIsNotThereIsNull) {
  const rapidjson::Document parsed = json::Parse(R"({"a":[1],"n":null,"o":{"t":"x\u0000y"}})");
  ASSERT_FALSE(parsed.HasParseError());
  EXPECT_NE(json::Find(parsed, "n"), nullptr);
  EXPECT_EQ(json::FindSet(parsed, "n"), nullptr);
  EXPECT_EQ(json::Find(parsed, "m"), nullptr);
  EXPECT_NE(json::FindArray(parsed, "a"), nullptr);
  EXPECT_EQ(json::FindArray(parsed, "o"), nullptr);
  EXPECT_EQ(json::FindObject(parsed, "a"), nullptr);
  const rapidjson::Value* const object = json::FindObject(parsed, "o");
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(json::TextIn(*object, "t"), std::string("x\0y", 3));
  EXPECT_EQ(json::TextIn(*object, "a"), "");
  EXPECT_EQ(json::FindString(parsed, "a"), nullptr);
  EXPECT_EQ(json::Find(*json::Find(parsed, "a"), "t"), nullptr) << "no object";
  EXPECT_EQ(json::Print(*object), R"({"t":"x\u0000y"})");
}

TEST(Json, ParsesAnyDepthAndNothingBehind) {
  const size_t depth = 1'000'000;
  EXPECT_FALSE(json::Parse(std::string(depth, '[') + std::string(depth, ']')).HasParseError());
  EXPECT_TRUE(json::Parse("{} x").HasParseError());
  EXPECT_TRUE(json::Parse("").HasParseError());
  EXPECT_EQ(json::TextIn(json::Parse("{"), "a"), "") << "what is no JSON has no members";
}

TEST(JsonWriter, WritesTextOfAnyBytes) {
  JsonWriter json;
  json.Object().Key("a\xff").Text("b\n\xc3").Key("n").Null().Key("w").Array();
  json.Whole(std::numeric_limits<uint64_t>::max()).Signed(-1).Number(0.5).Flag(true);
  json.EndArray().Key("r").Raw(R"({"x": 1})").EndObject();
  EXPECT_EQ(json.text(),
            "{\"a\xEF\xBF\xBD\":\"b\\n\xEF\xBF\xBD\",\"n\":null,"
            "\"w\":[18446744073709551615,-1,0.5,true],\"r\":{\"x\": 1}}");
}

}  // namespace
}  // namespace walduct
