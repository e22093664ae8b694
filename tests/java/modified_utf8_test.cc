#include "java/serial/modified_utf8.h"

#include <gtest/gtest.h>

namespace walduct::java {
namespace {

std::string Modified(absl::string_view text) {
  std::string out;
  AppendModifiedUtf8(text, &out);
  EXPECT_EQ(out.size(), ModifiedUtf8Size(text));
  return out;
}

// What DataOutputStream.writeUTF writes.
TEST(ModifiedUtf8, DiffersFromUtf8ForNulAndPairs) {
  EXPECT_EQ(Modified("a\u00e9\u20ac"), "a\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(Modified(absl::string_view("\0", 1)), "\xC0\x80");
  EXPECT_EQ(Modified("\U0001F600"), "\xED\xA0\xBD\xED\xB8\x80");
}

TEST(ModifiedUtf8, IsReadBack) {
  for (const std::string& text :
       {std::string("plain"), std::string("a\0b", 3), std::string("\u00e9\u20ac\U0001F600z")})
    EXPECT_EQ(FromModifiedUtf8(Modified(text)), text);
}

TEST(ModifiedUtf8, HalfAPairIsReplaced) {
  EXPECT_EQ(FromModifiedUtf8("\xED\xA0\xBDx"), "\uFFFDx");
  EXPECT_EQ(FromModifiedUtf8("\xED\xB8\x80"), "\uFFFD");
}

TEST(ModifiedUtf8, OtherBytesAreRefused) {
  for (const char* bad :
       {"\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98\x80", "\xC3(", "\xED\xA0\xBD\xFF"})
    EXPECT_EQ(FromModifiedUtf8(bad), std::nullopt);
}

}  // namespace
}  // namespace walduct::java
