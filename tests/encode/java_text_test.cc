// Values of JSON as Java's toString() prints what they stand for.
#include "encode/formats/java_text.h"

#include <gtest/gtest.h>

namespace walduct::encode {
namespace {

ConnectSchemaPtr Of(ConnectType type) { return Shared(Schema(type)); }

std::string Print(absl::string_view json, const ConnectSchema* schema) {
  std::string out;
  AppendJavaText(json, schema, &out);
  return out;
}

TEST(JavaText, StructsLeaveOutNulls) {
  ConnectSchema inner = Schema(ConnectType::kStruct);
  inner.fields = {{"a", Of(ConnectType::kString)}, {"n", Of(ConnectType::kInt32)}};
  ConnectSchema items = Schema(ConnectType::kArray);
  items.items = Shared(inner);
  ConnectSchema schema = Schema(ConnectType::kStruct);
  schema.fields = {{"id", Of(ConnectType::kInt32)},
                   {"gone", Of(ConnectType::kString)},
                   {"in", Shared(inner)},
                   {"list", Shared(items)}};
  EXPECT_EQ(
      Print(R"({"id":42,"gone":null,"in":{"a":"x \"y\"","n":1},"list":[{"a":null,"n":2},null]})",
            &schema),
      "Struct{id=42,in=Struct{a=x \"y\",n=1},list=[Struct{n=2}, null]}");
  EXPECT_EQ(Print(R"({"id":null,"gone":null,"in":null,"list":[]})", &schema), "Struct{list=[]}");
}

TEST(JavaText, MapsAndLists) {
  EXPECT_EQ(Print(R"({"k":"v","n":null})", nullptr), "{k=v, n=null}");
  EXPECT_EQ(Print("[1,2.5,true,[\"a\",\"b\"]]", nullptr), "[1, 2.5, true, [a, b]]");
  EXPECT_EQ(Print("{}", nullptr), "{}");
}

TEST(JavaText, EscapesAreUndone) {
  EXPECT_EQ(Print(R"("a\n\t\\\/\u00e9\ud83d\ude00")", nullptr), "a\n\t\\/\xC3\xA9\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace walduct::encode
