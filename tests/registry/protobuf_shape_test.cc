// ProtobufShape: what decides the bytes of a value, and what does not.
#include "registry/protobuf_shape.h"

#include <gtest/gtest.h>

namespace walduct::registry {
namespace {

constexpr char kOrders[] =
    "syntax = \"proto3\";\npackage srv.t;\n\nimport \"confluent/type/decimal.proto\";\n\n"
    "message Value {\n  int32 id = 1;\n  confluent.type.Decimal n = 2 [(confluent.field_meta) = {\n"
    "    params: [\n      {\n        value: \"1]0\",\n        key: \"scale\"\n      }\n    ]\n"
    "  }];\n}\n";

TEST(ProtobufShape, LeavesOutWhatDecidesNothing) {
  EXPECT_EQ(
      ProtobufShape(kOrders),
      ProtobufShape("syntax=\"proto3\"; option java_package = \"a;b\"; // Value { int32 x = 9;\n"
                    "/* message */ message Value{int32 id=1;"
                    "confluent.type.Decimal n=2[deprecated = false];}"));
}

TEST(ProtobufShape, KeepsWhatDecidesBytes) {
  const char* const kSchemas[] = {
      kOrders,
      "syntax = \"proto3\"; message Value { int32 id = 1; }",
      "syntax = \"proto2\"; message Value { int32 id = 1; }",
      "syntax = \"proto3\"; message Value { int32 id = 2; }",
      "syntax = \"proto3\"; message Value { int64 id = 1; }",
      "syntax = \"proto3\"; message Value { optional int32 id = 1; }",
      "syntax = \"proto3\"; message Value { repeated int32 id = 1; }",
      "syntax = \"proto3\"; message Value { int32 id = 1; message Value {} }",
      "syntax = \"proto3\"; message Value { int32 option = 1; }",
      ""};
  for (const char* one : kSchemas) {
    for (const char* other : kSchemas) {
      if (one == other) continue;
      EXPECT_NE(ProtobufShape(one), ProtobufShape(other)) << one << other;
    }
  }
}

TEST(ProtobufShape, EndsWithTheText) {
  EXPECT_EQ(ProtobufShape("a /* b"), "a");
  EXPECT_EQ(ProtobufShape("a \"b\\"), "a \"b\\");
}

}  // namespace
}  // namespace walduct::registry
