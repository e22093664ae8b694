#include "compare/record_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::Optional;

TEST(RecordFields, LeavesHaveTheirText) {
  EXPECT_THAT(
      LeavesOf(R"({"before":null,"after":{"id":1.50,"v":"a\"b","list":[1,{"x":2}]},"op":"c"})"),
      Optional(ElementsAre(FieldsAre("before", "null"), FieldsAre("after.id", "1.50"),
                           FieldsAre("after.v", R"("a\"b")"),
                           FieldsAre("after.list", R"([1,{"x":2}])"), FieldsAre("op", R"("c")"))));
}

TEST(RecordFields, ConnectsEnvelopeIsTakenOff) {
  EXPECT_THAT(LeavesOf(R"({"schema":{"type":"struct","fields":[]}, "payload": {"a": 1 }})"),
              Optional(ElementsAre(FieldsAre("schema", R"({"type":"struct","fields":[]})"),
                                   FieldsAre("a", "1"))));
}

TEST(RecordFields, OtherTextHasNone) {
  for (const char* text : {"", "text", "12", "[1]", "{\"a\":", "{\"a\":1}}"})
    EXPECT_FALSE(LeavesOf(text).has_value()) << text;
}

}  // namespace
}  // namespace walduct::compare
