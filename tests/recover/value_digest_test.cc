#include "recover/read/value_digest.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace walduct::recover {
namespace {

ValueDigest Of(absl::string_view value) {
  ValueDigest digest("__debezium_unavailable_value");
  EXPECT_TRUE(digest.Read(value));
  return digest;
}

constexpr char kRow[] =
    R"({"before":null,"after":{"id":1,"v":"a \"b\" {","x":null},"source":{"txId":7,"lsn":9},"op":"c"})";

TEST(ValueDigestTest, TheRowCountsAndNotTheChange) {
  const uint64_t row = Of(kRow).Of(0);
  EXPECT_EQ(row, Of(R"({ "after" : {"v":"a \"b\" {", "id":1}, "op":"r", "ts_ms":5})").Of(0));
  EXPECT_EQ(row,
            Of(R"({"schema":{"a":[1,"]"]},"payload":{"after":{"id":1,"v":"a \"b\" {"},"op":"u"}})")
                .Of(0));
  EXPECT_EQ(row, Of(R"({"id":1,"v":"a \"b\" {","__op":"u","__txId":12})").Of(0));
  EXPECT_NE(row, Of(R"({"after":{"id":1,"v":"a"},"op":"r"})").Of(0));
  EXPECT_NE(row, Of(R"({"after":{"id":1,"w":"a \"b\" {"},"op":"r"})").Of(0));
  EXPECT_EQ(Of(kRow).xid(), 7u);
  EXPECT_EQ(Of(R"({"id":1,"__txId":12})").xid(), 12u);
}

constexpr char kPlaceholder[] = "__debezium_unavailable_value";

TEST(ValueDigestTest, WhatWasNotSentIsLeftOutOfBothSides) {
  ValueDigest digest(kPlaceholder);
  ASSERT_TRUE(digest.Read(R"({"after":{"id":1,"v":"__debezium_unavailable_value"},"op":"u"})"));
  const uint64_t told = digest.Of(0), unknown = digest.unknown();
  ASSERT_NE(unknown, 0u);
  ASSERT_TRUE(digest.Read(R"({"after":{"id":1,"v":"any"},"op":"r"})"));
  EXPECT_EQ(told, digest.Of(unknown));
  ASSERT_TRUE(digest.Read(R"({"after":{"id":2,"v":"any"},"op":"r"})"));
  EXPECT_NE(told, digest.Of(unknown));
  EXPECT_NE(Of(R"({"after":{"v":["__debezium_unavailable_value"]},"op":"u"})").unknown(), 0u);
  EXPECT_NE(Of(R"({"after":{"v":"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="},"op":"u"})").unknown(),
            0u);
}

// Of a table with more such columns than there are bits.
TEST(ValueDigestTest, WhatWasNotSentHidesNoOtherColumn) {
  ValueDigest digest(kPlaceholder);
  for (int i = 0; i < 100; ++i) {
    const std::string name = absl::StrCat("c", i);
    const auto row = [&](absl::string_view value, int other) {
      return absl::StrCat(R"({"after":{"id":)", other, ",\"", name, "\":\"", value, "\"}}");
    };
    ASSERT_TRUE(digest.Read(row(kPlaceholder, 1)));
    const uint64_t told = digest.Of(0), unknown = digest.unknown();
    ASSERT_TRUE(digest.Read(row("any", 2)));
    EXPECT_NE(told, digest.Of(unknown)) << name;
    ASSERT_TRUE(digest.Read(row("any", 1)));
    EXPECT_EQ(told == digest.Of(unknown), i < 64) << name;
  }
}

TEST(ValueDigestTest, Deletions) {
  for (const char* gone :
       {R"({"before":{"id":1},"after":null,"op":"d"})", R"({"schema":{},"payload":null})",
        R"({"id":1,"__deleted":"true"})", R"({"id":1,"__op":"d"})"})
    EXPECT_TRUE(Of(gone).gone()) << gone;
  EXPECT_FALSE(Of(R"({"id":1,"__deleted":"false"})").gone());
  EXPECT_TRUE(Of(R"({"before":null,"after":null,"op":"t"})").truncated());
  EXPECT_FALSE(Of(R"({"before":{"id":1},"after":null,"op":"d"})").truncated());
}

TEST(ValueDigestTest, WhatIsNoObjectCountsAsItStands) {
  EXPECT_EQ(Of("text").Of(0), Of("text").Of(0));
  EXPECT_NE(Of("text").Of(0), Of("other").Of(0));
  for (const char* torn :
       {"{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":[", "{\"a\":\"\\", "{\"a\":1,", ""})
    Of(torn);
  ValueDigest digest("p");
  EXPECT_FALSE(digest.Read(absl::string_view("\0\0\0\0\1x", 6)));
}

}  // namespace
}  // namespace walduct::recover
