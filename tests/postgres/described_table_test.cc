#include "postgres/describe/described_table.h"

#include <gtest/gtest.h>

namespace walduct::postgres {
namespace {

constexpr Oid kInt4{23};
constexpr Oid kText{25};

event::RelationDescription Relation() {
  event::RelationDescription relation;
  relation.schema = "public";
  relation.table = "t";
  relation.columns = {{.name = "id", .type = kInt4, .part_of_identity = true},
                      {.name = "v", .type = kText}};
  return relation;
}

event::TableSchemaPtr Previous(Oid type_of_v) {
  auto schema = std::make_shared<event::TableSchema>();
  for (const auto& [name, oid] : {std::pair("id", kInt4), std::pair("v", type_of_v)}) {
    auto type = std::make_shared<event::Type>();
    type->oid = oid;
    event::Column column;
    column.name = name;
    column.type = type;
    column.optional = false;
    column.default_expression = "'d'::text";
    schema->columns.push_back(column);
  }
  return schema;
}

TEST(DescribeStreamed, KeyColumnsOfADroppedTableAreNeverNull) {
  const event::TableSchemaPtr schema = DescribeStreamed(Relation(), std::nullopt, {});
  EXPECT_FALSE(schema->columns[0].optional);
  EXPECT_TRUE(schema->columns[1].optional);
}

TEST(DescribeStreamed, UnderFullIdentityTheFlagsSayNothing) {
  event::RelationDescription relation = Relation();
  relation.replica_identity = event::ReplicaIdentity::kFull;
  EXPECT_TRUE(DescribeStreamed(relation, std::nullopt, {})->columns[0].optional);
}

TEST(DescribeStreamed, WhatWasKnownOfADroppedTableStaysKnown) {
  event::RelationDescription relation = Relation();
  relation.previous = Previous(kText);
  const event::TableSchemaPtr schema = DescribeStreamed(relation, std::nullopt, {});
  EXPECT_FALSE(schema->columns[1].optional);
  EXPECT_EQ(schema->columns[1].default_expression, "'d'::text");
}

TEST(DescribeStreamed, ButNotOfAColumnOfAnotherType) {
  event::RelationDescription relation = Relation();
  relation.previous = Previous(kInt4);
  EXPECT_TRUE(DescribeStreamed(relation, std::nullopt, {})->columns[1].optional);
}

std::vector<bool> Sent(const event::TableSchema& schema) {
  std::vector<bool> sent;
  for (const event::Column& column : schema.columns) sent.push_back(column.old_value_sent);
  return sent;
}

CatalogColumn Known(const std::string& name, bool old_value_sent) {
  CatalogColumn column;
  column.name = name;
  column.old_value_sent = old_value_sent;
  return column;
}

// The stream is nearer to the change than the catalog.
TEST(DescribeStreamed, WhatIsSentOfOldRowsIsWhatTheStreamSays) {
  CatalogRelation known;
  known.columns = {Known("id", false), Known("v", true)};
  EXPECT_EQ(Sent(*DescribeStreamed(Relation(), known, {})), (std::vector<bool>{true, false}));
}

// But of a root it says what is the root's.
TEST(DescribeStreamed, OfARootTheCatalogKnowsWhatPartitionsSend) {
  CatalogRelation known;
  known.partitioned = true;
  known.columns = {Known("id", false), Known("v", true)};
  event::RelationDescription relation = Relation();
  const event::TableSchemaPtr schema = DescribeStreamed(relation, known, {});
  EXPECT_TRUE(schema->partitioned);
  EXPECT_EQ(Sent(*schema), (std::vector<bool>{false, true}));
  // Dropped since.
  relation.previous = schema;
  const event::TableSchemaPtr later = DescribeStreamed(relation, std::nullopt, {});
  EXPECT_TRUE(later->partitioned);
  EXPECT_EQ(Sent(*later), (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace walduct::postgres
