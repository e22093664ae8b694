#include "base/byte_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace walduct {
namespace {

TEST(ByteReader, ReadsBigEndianIntegers) {
  const std::string bytes("\x01\x02\x03\x01\x02\x03\x04\xFF\x02\x03\x04\x05\x06\x07\x08", 15);
  ByteReader reader(bytes);
  EXPECT_EQ(reader.U8(), 0x01u);
  EXPECT_EQ(reader.U16(), 0x0203u);
  EXPECT_EQ(reader.U32(), 0x01020304u);
  EXPECT_EQ(reader.U64(), 0xFF02030405060708u);
  EXPECT_TRUE(reader.complete());
}

TEST(ByteReader, BorrowsBytesAndStrings) {
  const std::string bytes("abc\0def", 7);
  ByteReader reader(bytes);
  const absl::string_view text = reader.CString();
  EXPECT_EQ(text, "abc");
  EXPECT_EQ(text.data(), bytes.data());
  EXPECT_EQ(reader.Bytes(2), "de");
  EXPECT_EQ(reader.remaining(), 1u);
  EXPECT_TRUE(reader.ok());
  EXPECT_FALSE(reader.complete());
}

TEST(ByteReader, ReadingPastTheEndFailsForGood) {
  const std::string bytes("\x01\x02\x03", 3);
  ByteReader reader(bytes);
  EXPECT_EQ(reader.U32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
  EXPECT_EQ(reader.U8(), 0u);
  EXPECT_FALSE(reader.complete());
}

TEST(ByteReader, EachReadIsBoundsChecked) {
  const std::string bytes = "ab";
  const auto fails = [&](auto read) {
    ByteReader reader(bytes);
    read(reader);
    return !reader.ok();
  };
  EXPECT_FALSE(fails([](ByteReader& r) { r.U16(); }));
  EXPECT_TRUE(fails([](ByteReader& r) { r.U32(); }));
  EXPECT_TRUE(fails([](ByteReader& r) { r.U64(); }));
  EXPECT_FALSE(fails([](ByteReader& r) { r.Bytes(2); }));
  EXPECT_TRUE(fails([](ByteReader& r) { r.Bytes(3); }));
  EXPECT_TRUE(fails([](ByteReader& r) { r.Bytes(~size_t{0}); }));
  EXPECT_TRUE(fails([](ByteReader& r) { r.CString(); })) << "no NUL";
}

TEST(ByteReader, NothingIsReadFromNothing) {
  ByteReader reader("");
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(reader.Bytes(0), "");
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(reader.CString(), "");
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace walduct
