#include "slot/phases/schema_changes.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace walduct::slot {
namespace {

event::Column ColumnOf(const std::string& name, uint32_t oid, const std::string& type,
                       int32_t typmod = -1) {
  auto made = std::make_shared<event::Type>();
  made->oid = Oid{oid};
  made->name = type;
  event::Column column;
  column.name = name;
  column.type = std::move(made);
  column.typmod = typmod;
  return column;
}

event::TableSchema Table(std::vector<event::Column> columns) {
  event::TableSchema schema;
  schema.schema = "public";
  schema.table = "items";
  schema.columns = std::move(columns);
  schema.key_columns = {0};
  return schema;
}

const event::Column kId = ColumnOf("id", 23, "int4");
const event::Column kNote = ColumnOf("note", 25, "text");

TEST(SchemaChanges, NoneOfWhatIsTheSame) {
  EXPECT_EQ(DescribeChanges(Table({kId, kNote}), Table({kId, kNote})), "");
}

TEST(SchemaChanges, Columns) {
  EXPECT_EQ(DescribeChanges(Table({kId}), Table({kId, kNote})), "column added: note text");
  EXPECT_EQ(DescribeChanges(Table({kId, kNote}), Table({kId})), "column dropped: note");
  EXPECT_EQ(DescribeChanges(Table({kId, kNote}), Table({kId, ColumnOf("remark", 25, "text")})),
            "column renamed: note to remark");
  EXPECT_EQ(DescribeChanges(Table({kId, kNote}), Table({kId, ColumnOf("note", 20, "int8")})),
            "column retyped: note text to int8");
  EXPECT_EQ(DescribeChanges(Table({kId, ColumnOf("v", 1043, "varchar", 14)}),
                            Table({kId, ColumnOf("v", 1043, "varchar", 24)})),
            "column retyped: v varchar, with other limits");
}

TEST(SchemaChanges, DroppedAndAddedAtOnce) {
  EXPECT_EQ(DescribeChanges(Table({kId, kNote}), Table({kId, ColumnOf("v", 20, "int8")})),
            "column dropped: note; column added: v int8");
}

TEST(SchemaChanges, TableAndKey) {
  event::TableSchema now = Table({kId, kNote});
  now.table = "things";
  now.key_columns = {0, 1};
  EXPECT_EQ(DescribeChanges(Table({kId, kNote}), now),
            "table renamed: public.items to public.things; key: id, note");
  now = Table({kId, kNote});
  now.key_columns.clear();
  EXPECT_EQ(DescribeChanges(Table({kId, kNote}), now), "key dropped");
}

}  // namespace
}  // namespace walduct::slot
