#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "pgoutput/decode.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::pgoutput {
namespace {

using event::ValueKind;
using test::Null;
using test::Text;
using test::Unchanged;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(DecodeInsert, HandWrittenBytes) {
  const char bytes[] =
      "I"
      "\x00\x00\x40\x0B"  // relation 16395
      "N"
      "\x00\x03"  // three columns
      "t\x00\x00\x00\x02"
      "42"  // text
      "n"
      "t\x00\x00\x00\x00";  // empty text is not null
  TupleBuffers buffers;
  InsertMessage message;
  ASSERT_TRUE(DecodeInsert({bytes, sizeof(bytes) - 1}, false, buffers, message).ok());
  EXPECT_EQ(ToInteger(message.relation), 16395u);
  ASSERT_EQ(message.new_row.size(), 3u);
  EXPECT_EQ(message.new_row[0].text(), "42");
  EXPECT_EQ(message.new_row[0].data, bytes + 13) << "the value was copied";
  EXPECT_EQ(message.new_row[1].kind, ValueKind::kNull);
  EXPECT_EQ(message.new_row[2].kind, ValueKind::kText);
  EXPECT_EQ(message.new_row[2].size, 0u);
}

TEST(DecodeInsert, NoColumnsP17) {
  TupleBuffers buffers;
  InsertMessage message;
  ASSERT_TRUE(DecodeInsert(test::InsertBytes(1, {}), false, buffers, message).ok());
  EXPECT_TRUE(message.new_row.empty());
}

TEST(DecodeInsert, XidInsideAStreamBlockStr07) {
  TupleBuffers buffers;
  InsertMessage message;
  const std::string bytes = test::InsertBytes(9, {Text("x")}, 4242);
  ASSERT_TRUE(DecodeInsert(bytes, true, buffers, message).ok());
  EXPECT_EQ(ToInteger(*message.xid), 4242u);
  EXPECT_EQ(ToInteger(message.relation), 9u);
}

TEST(DecodeInsert, BuffersAreReusedAfterAWiderRow) {
  TupleBuffers buffers;
  InsertMessage message;
  ASSERT_TRUE(
      DecodeInsert(test::InsertBytes(1, test::Cells(100, Null())), false, buffers, message).ok());
  const event::Value* storage = buffers.new_row.data();
  ASSERT_TRUE(DecodeInsert(test::InsertBytes(1, {Unchanged()}), false, buffers, message).ok());
  EXPECT_EQ(message.new_row.size(), 1u);
  EXPECT_EQ(message.new_row.data(), storage);
  EXPECT_EQ(message.new_row[0].kind, ValueKind::kUnchangedToast);
}

TEST(DecodeUpdate, WithoutOldTuple) {
  TupleBuffers buffers;
  UpdateMessage message;
  const std::string bytes = test::UpdateBytes(1, {Text("1"), Unchanged()});
  ASSERT_TRUE(DecodeUpdate(bytes, false, buffers, message).ok());
  EXPECT_EQ(message.old_tuple, OldTuple::kNone);
  EXPECT_TRUE(message.old_row.empty());
  ASSERT_EQ(message.new_row.size(), 2u);
  EXPECT_EQ(message.new_row[1].kind, ValueKind::kUnchangedToast);
}

TEST(DecodeUpdate, WithKeyTuple) {
  TupleBuffers buffers;
  UpdateMessage message;
  const std::string bytes =
      test::UpdateBytes(1, {'K', {Text("1"), Null()}}, {Text("2"), Text("x")});
  ASSERT_TRUE(DecodeUpdate(bytes, false, buffers, message).ok());
  EXPECT_EQ(message.old_tuple, OldTuple::kKey);
  EXPECT_EQ(message.old_row[0].text(), "1");
  EXPECT_EQ(message.new_row[0].text(), "2");
}

TEST(DecodeUpdate, WithFullTuple) {
  TupleBuffers buffers;
  UpdateMessage message;
  const std::string bytes = test::UpdateBytes(1, {'O', {Text("1")}}, {Text("2")}, 8);
  ASSERT_TRUE(DecodeUpdate(bytes, true, buffers, message).ok());
  EXPECT_EQ(message.old_tuple, OldTuple::kFull);
  EXPECT_EQ(ToInteger(*message.xid), 8u);
}

TEST(DecodeUpdate, TwoOldTuplesAreRefused) {
  test::PgoutputBytes bytes;
  bytes.Char('U').U32(1).Char('K').Raw(test::TupleBytes({})).Char('O').Raw(test::TupleBytes({}));
  TupleBuffers buffers;
  UpdateMessage message;
  EXPECT_EQ(DecodeUpdate(bytes.Take(), false, buffers, message).code(),
            absl::StatusCode::kDataLoss);
}

TEST(DecodeDelete, KeyAndFullTuple) {
  TupleBuffers buffers;
  DeleteMessage message;
  const std::string key = test::DeleteBytes(1, {'K', {Text("1"), Null()}});
  ASSERT_TRUE(DecodeDelete(key, false, buffers, message).ok());
  EXPECT_EQ(message.old_tuple, OldTuple::kKey);
  EXPECT_EQ(message.old_row.size(), 2u);
  const std::string full = test::DeleteBytes(1, {'O', {Text("7"), Text("y")}});
  ASSERT_TRUE(DecodeDelete(full, false, buffers, message).ok());
  EXPECT_EQ(message.old_tuple, OldTuple::kFull);
  EXPECT_EQ(message.old_row[1].text(), "y");
}

TEST(DecodeDelete, ANewTupleIsRefused) {
  TupleBuffers buffers;
  DeleteMessage message;
  const absl::Status status =
      DecodeDelete(test::DeleteBytes(1, {'N', {Text("1")}}), false, buffers, message);
  EXPECT_THAT(status.message(), HasSubstr("tuple tag at offset 6 is neither K nor O"));
}

TEST(DecodeTuple, BinaryValueIsUnimplemented) {
  TupleBuffers buffers;
  InsertMessage message;
  const absl::Status status =
      DecodeInsert(test::InsertBytes(1, {test::Binary("abc")}), false, buffers, message);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ErrorReason(status), "binary_value");
}

TEST(DecodeTuple, UnknownValueKindIsDataLossAndShowsNoRowBytes) {
  TupleBuffers buffers;
  InsertMessage message;
  const absl::Status status =
      DecodeInsert(test::InsertBytes(1, {Text("secret"), {'z', ""}}), false, buffers, message);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("value kind at offset 20 is unknown"));
  EXPECT_THAT(status.message(), Not(HasSubstr("secret")));
}

TEST(DecodeTuple, SEC08_ColumnCountBeyondTheMessageAllocatesNothing) {
  const std::string bytes =
      test::PgoutputBytes().Char('I').U32(1).Char('N').U16(0xffff).Char('n').Take();
  TupleBuffers buffers;
  InsertMessage message;
  const absl::Status status = DecodeInsert(bytes, false, buffers, message);
  EXPECT_THAT(status.message(), HasSubstr("column count at offset 8 is more than the message"));
  EXPECT_EQ(buffers.new_row.capacity(), 0u);
}

TEST(DecodeTuple, NegativeValueSizeIsDataLoss) {
  const std::string bytes =
      test::PgoutputBytes().Char('I').U32(1).Char('N').U16(1).Char('t').U32(0xffff'ffff).Take();
  TupleBuffers buffers;
  InsertMessage message;
  const absl::Status status = DecodeInsert(bytes, false, buffers, message);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("value at offset 13 reaches past the end"));
}

}  // namespace
}  // namespace walduct::pgoutput
