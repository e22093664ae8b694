#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "pgoutput/decode.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::pgoutput {
namespace {

using ::testing::HasSubstr;

test::RelationSpec Orders() {
  return {.oid = 16395,
          .schema = "shop",
          .table = "orders",
          .identity = 'd',
          .columns = {{"id", 23, true}, {"total", 1700, false, 655366}, {"note", 25}}};
}

TEST(DecodeRelation, HandWrittenBytes) {
  const char bytes[] =
      "R"
      "\x00\x00\x40\x0B"   // oid 16395
      "public\0t\0"        // schema, table
      "d"                  // replica identity
      "\x00\x01"           // one column
      "\x01id\0"           // part of the identity
      "\x00\x00\x00\x17"   // int4
      "\xff\xff\xff\xff";  // no modifier
  RelationMessage message;
  ASSERT_TRUE(DecodeRelation({bytes, sizeof(bytes) - 1}, false, message).ok());
  EXPECT_EQ(ToInteger(message.relation), 16395u);
  EXPECT_EQ(message.schema, "public");
  EXPECT_EQ(message.table, "t");
  EXPECT_EQ(message.replica_identity, event::ReplicaIdentity::kDefault);
  ASSERT_EQ(message.columns.size(), 1u);
  EXPECT_TRUE(message.columns[0].part_of_identity);
  EXPECT_EQ(message.columns[0].name, "id");
  EXPECT_EQ(ToInteger(message.columns[0].type), 23u);
  EXPECT_EQ(message.columns[0].typmod, -1);
  EXPECT_FALSE(message.xid.has_value());
}

TEST(DecodeRelation, ColumnsInOrder) {
  const std::string bytes = test::RelationBytes(Orders());
  RelationMessage message;
  ASSERT_TRUE(DecodeRelation(bytes, false, message).ok());
  ASSERT_EQ(message.columns.size(), 3u);
  EXPECT_EQ(message.columns[1].name, "total");
  EXPECT_EQ(message.columns[1].typmod, 655366);
  EXPECT_FALSE(message.columns[1].part_of_identity);
  EXPECT_EQ(message.columns[2].name, "note");
}

TEST(DecodeRelation, EmptySchemaNameIsPgCatalog) {
  test::RelationSpec spec = Orders();
  spec.schema = "";
  const std::string bytes = test::RelationBytes(spec);
  RelationMessage message;
  ASSERT_TRUE(DecodeRelation(bytes, false, message).ok());
  EXPECT_EQ(message.schema, "pg_catalog");
}

TEST(DecodeRelation, NoColumnsP17) {
  test::RelationSpec spec = Orders();
  spec.columns.clear();
  const std::string bytes = test::RelationBytes(spec);
  RelationMessage message;
  message.columns.resize(4);
  ASSERT_TRUE(DecodeRelation(bytes, false, message).ok());
  EXPECT_TRUE(message.columns.empty());
}

TEST(DecodeRelation, UnknownReplicaIdentityIsDataLoss) {
  test::RelationSpec spec = Orders();
  spec.identity = 'z';
  RelationMessage message;
  const absl::Status status = DecodeRelation(test::RelationBytes(spec), false, message);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("replica identity"));
}

TEST(DecodeRelation, SEC08_ColumnCountBeyondTheMessageAllocatesNothing) {
  test::RelationSpec spec = Orders();
  spec.columns.clear();
  std::string bytes = test::RelationBytes(spec);
  bytes[bytes.size() - 2] = '\xff';
  bytes[bytes.size() - 1] = '\xff';
  RelationMessage message;
  const absl::Status status = DecodeRelation(bytes, false, message);
  EXPECT_THAT(status.message(), HasSubstr("column count"));
  EXPECT_EQ(message.columns.capacity(), 0u);
}

TEST(DecodeRelation, XidInsideAStreamBlockStr07) {
  const std::string bytes = test::RelationBytes(Orders(), 777);
  RelationMessage message;
  ASSERT_TRUE(DecodeRelation(bytes, true, message).ok());
  EXPECT_EQ(ToInteger(*message.xid), 777u);
  EXPECT_EQ(message.table, "orders");
}

TEST(DecodeType, Fields) {
  const std::string bytes = test::TypeBytes(90001, "public", "mood");
  TypeMessage message;
  ASSERT_TRUE(DecodeType(bytes, false, message).ok());
  EXPECT_EQ(ToInteger(message.type), 90001u);
  EXPECT_EQ(message.schema, "public");
  EXPECT_EQ(message.name, "mood");
}

TEST(DecodeType, DomainComesWithEmptySchemaP6) {
  const std::string bytes = test::TypeBytes(90002, "", "int4", 5);
  TypeMessage message;
  ASSERT_TRUE(DecodeType(bytes, true, message).ok());
  EXPECT_EQ(message.schema, "pg_catalog");
  EXPECT_EQ(ToInteger(*message.xid), 5u);
}

}  // namespace
}  // namespace walduct::pgoutput
