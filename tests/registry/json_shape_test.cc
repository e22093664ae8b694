#include "registry/json_shape.h"

#include <gtest/gtest.h>

namespace walduct::registry {
namespace {

TEST(JsonShape, WhatDoesNotDecideValuesDoesNotCount) {
  EXPECT_EQ(
      JsonShape(R"({"type":"object","title":"a","properties":{)"
                R"("x":{"type":"integer","connect.index":0,"default":1},"y":{"type":"string"}}})"),
      JsonShape(R"({"properties":{"y":{"type":"string","description":"d"},)"
                R"("x":{"type":"integer"}},"type":"object"})"));
}

TEST(JsonShape, TypesNamesItemsAndNullsCount) {
  const std::string one = JsonShape(R"({"type":"object","properties":{"x":{"type":"integer"}}})");
  for (const char* other :
       {R"({"type":"object","properties":{"x":{"type":"string"}}})",
        R"({"type":"object","properties":{"y":{"type":"integer"}}})",
        R"({"type":"object","properties":{"x":{"oneOf":[{"type":"null"},{"type":"integer"}]}}})",
        R"({"type":"object","properties":{"x":{"type":"array","items":{"type":"integer"}}}})",
        R"({"type":"object"})"})
    EXPECT_NE(JsonShape(other), one) << other;
  EXPECT_EQ(JsonShape("no JSON"), "");
  EXPECT_EQ(JsonShape("[]"), "");
}

}  // namespace
}  // namespace walduct::registry
