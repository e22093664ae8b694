// FitProtobuf: what decides how values are read, and what does not.
#include "registry/protobuf_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::registry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kOrders[] =
    "syntax = \"proto3\";\npackage srv.t;\n\nimport \"confluent/type/decimal.proto\";\n\n"
    "message Value {\n  int32 id = 1;\n  confluent.type.Decimal n = 2 [(confluent.field_meta) = {\n"
    "    params: [\n      {\n        value: \"1]0\",\n        key: \"scale\"\n      }\n    ]\n"
    "  }];\n}\n";

std::string WhyNot(absl::string_view own, absl::string_view known) {
  return std::string(FitProtobuf(own, known).status().message());
}

TEST(FitProtobuf, LeavesOutWhatDecidesNothing) {
  const auto left_out =
      FitProtobuf(kOrders,
                  "syntax=\"proto3\"; option java_package = \"a;b\"; // Value { int32 x = 9;\n"
                  "/* message */ message Value{int32 id=1;"
                  "confluent.type.Decimal n=2[deprecated = false];}");
  ASSERT_TRUE(left_out.ok()) << left_out.status();
  EXPECT_THAT(*left_out, IsEmpty());
}

TEST(FitProtobuf, NamesWhatReadersDoNotSee) {
  const char* const narrow =
      "syntax = \"proto3\"; message E { Value a = 1; message Value { int32 id = 1; } }";
  const char* const wide =
      "syntax = \"proto3\"; message E { Value a = 1; string op = 2; "
      "message Value { int32 id = 1; Point p = 2; message Point { double x = 1; } } }";
  EXPECT_THAT(*FitProtobuf(wide, narrow), ElementsAre("E.op", "E.Value.p", "E.Value.Point.x"));
  EXPECT_THAT(*FitProtobuf(narrow, wide), IsEmpty());
  EXPECT_THAT(*FitProtobuf(narrow, std::string(narrow) + " message More { int32 id = 1; }"),
              IsEmpty());
}

TEST(FitProtobuf, RefusesWhatWouldBeReadAsSomethingElse) {
  const char* const own = "syntax = \"proto3\"; message Value { int32 id = 1; string a = 2; }";
  const char* const others[] = {
      "syntax = \"proto2\"; message Value { int32 id = 1; string a = 2; }",
      "syntax = \"proto3\"; message Value { int32 id = 2; string a = 1; }",
      "syntax = \"proto3\"; message Value { int32 id = 3; string a = 2; }",
      "syntax = \"proto3\"; message Value { int64 id = 1; string a = 2; }",
      "syntax = \"proto3\"; message Value { optional int32 id = 1; string a = 2; }",
      "syntax = \"proto3\"; message Value { repeated int32 id = 1; string a = 2; }",
      "syntax = \"proto3\"; message Value { int32 id = 1; string b = 2; }",
      "syntax = \"proto3\"; message Other { int32 id = 1; string a = 2; }",
      "syntax = \"proto3\"; message More { } message Value { int32 id = 1; string a = 2; }",
      ""};
  for (const char* const known : others)
    EXPECT_TRUE(absl::IsInvalidArgument(FitProtobuf(own, known).status())) << known;
  EXPECT_EQ(WhyNot(own, others[6]),
            "field 2 of Value is 'string b' there, and 'string a' in the table's");
  EXPECT_EQ(WhyNot(own, others[2]), "field id of Value has number 3 there, and 1 in the table's");
  EXPECT_THAT(WhyNot(own, others[8]), HasSubstr("its messages are More, Value there"));
}

TEST(FitProtobuf, EndsWithTheText) {
  EXPECT_TRUE(FitProtobuf("a /* b", "a").ok());
  EXPECT_TRUE(FitProtobuf("a \"b\\", "} } a = 1;").ok());
}

}  // namespace
}  // namespace walduct::registry
