#include "event/row.h"

#include <gtest/gtest.h>

namespace walduct::event {
namespace {

TEST(Value, TextMayBeEmptyAndIsNotNull) {
  EXPECT_TRUE(Value::Text("").is_text());
  EXPECT_EQ(Value::Text("").text(), "");
  EXPECT_FALSE(Value::Null().is_text());
  EXPECT_EQ(Value().kind, ValueKind::kNull);
}

TEST(Value, UnchangedToastIsNeitherTextNorNull) {
  EXPECT_FALSE(Value::UnchangedToast().is_text());
  EXPECT_NE(Value::UnchangedToast().kind, ValueKind::kNull);
}

TEST(Value, BorrowsItsText) {
  const char bytes[] = "abcdef";
  const Value value = Value::Text(absl::string_view(bytes, 3));
  EXPECT_EQ(value.text(), "abc");
  EXPECT_EQ(value.text().data(), bytes);
}

}  // namespace
}  // namespace walduct::event
