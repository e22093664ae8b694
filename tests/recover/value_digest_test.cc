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

// The text before the payload is looked through once; what follows it counts each time.
TEST(ValueDigestTest, ASchemaIsReadOnce) {
  ValueDigest digest("__debezium_unavailable_value");
  const auto read = [&digest](absl::string_view value) {
    EXPECT_TRUE(digest.Read(value));
    return digest.Of(0);
  };
  const uint64_t one = read(R"({"after":{"id":1}})"), two = read(R"({"after":{"id":2}})");
  const std::string frame = R"({"schema":{"fields":["payload"]},"payload":)";
  EXPECT_EQ(read(frame + R"({"after":{"id":1}}})"), one);
  EXPECT_EQ(read(frame + R"({"after":{"id":2},"source":{"txId":9}} })"), two);
  EXPECT_EQ(digest.xid(), 9u);
  EXPECT_EQ(read(frame + R"({"after":{"id":2},"source":{"txId":8}}})"), two);
  EXPECT_EQ(digest.xid(), 8u);
  EXPECT_EQ(read(R"({"schema":{"fields":[]},"payload":{"after":{"id":1}}})"), one);
  EXPECT_EQ(read(R"({"schema":{"fields":[]},"payload":{"after":{"id":2}}})"), two);
  EXPECT_FALSE(digest.xid());
  read(R"({"schema":{"fields":[]},"payload":null})");
  EXPECT_TRUE(digest.gone());
  // A row with columns of these names is no envelope.
  const uint64_t row = read(R"({"schema":1,"payload":{"id":1},"more":2})");
  EXPECT_EQ(read(R"({"schema":1,"payload":{"id":1}})"), read(R"({"id":1})"));
  EXPECT_EQ(read(R"({"schema":1,"payload":{"id":1},"more":2})"), row);
  EXPECT_NE(read(R"({"schema":1,"payload":{"id":1},"more":3})"), row);
}

TEST(ValueDigestTest, TextsEndAtTheirOwnQuote) {
  for (const size_t size : {0, 1, 22, 23, 24, 25, 200}) {
    for (const absl::string_view end : {"", R"(\")", R"(\\)", R"(\\\")", "{"}) {
      const std::string text = absl::StrCat(std::string(size, 'x'), end);
      const std::string row = absl::StrCat(R"({"after":{"v":")", text, R"(","id":1}})");
      EXPECT_EQ(Of(row).Of(0), Of(absl::StrCat(R"({"after":{"id":1, "v":")", text, R"("}})")).Of(0))
          << row;
      EXPECT_NE(Of(row).Of(0), Of(absl::StrCat(R"({"after":{"v":")", text, R"(","id":2}})")).Of(0));
    }
  }
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
