#include "postgres/describe/schema_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "postgres/describe/described_table.h"

namespace walduct::postgres {
namespace {

using event::TypeKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using TypePtr = std::shared_ptr<const event::Type>;

constexpr Oid kText{25};
constexpr Oid kStatus{20001};
constexpr Oid kTable{30001};

TypePtr Named(Oid oid, const std::string& name, TypeKind kind = TypeKind::kBase) {
  event::Type type;
  type.oid = oid;
  type.schema = "public";
  type.name = name;
  type.kind = kind;
  if (kind == TypeKind::kEnum) type.labels = {"draft", "live"};
  return std::make_shared<const event::Type>(std::move(type));
}

TypePtr DomainOver(Oid oid, const TypePtr& base) {
  event::Type type = *Named(oid, "some_domain", TypeKind::kDomain);
  type.base = base;
  return std::make_shared<const event::Type>(std::move(type));
}

// Columns named by the types they have; NOT NULL, with a default.
event::TableSchema Table(const std::vector<TypePtr>& types) {
  event::TableSchema table;
  table.relation = kTable;
  for (const TypePtr& type : types) {
    event::Column column;
    column.name = type->name;
    column.type = type;
    column.optional = false;
    column.default_expression = "'d'";
    table.columns.push_back(std::move(column));
  }
  table.key_columns = {0};
  return table;
}

event::RelationColumn Streamed(Oid type, const std::string& name) {
  return {.name = name, .type = type, .type_schema = "public", .type_name = name};
}

std::vector<Oid> TypesOf(const SchemaMemory& memory) {
  std::vector<Oid> oids;
  for (const RememberedType& type : memory.Types()) oids.push_back(type.type->oid);
  return oids;
}

class SchemaMemoryTest : public ::testing::Test {
 protected:
  SchemaMemoryTest() {
    memory_.Learn(Table({Named(kText, "text"), Named(kStatus, "status", TypeKind::kEnum)}));
  }
  SchemaMemory memory_;
};

TEST_F(SchemaMemoryTest, ATypeIsKnownByItsOidAndName) {
  EXPECT_THAT(memory_.TypeOf(Streamed(kStatus, "status"))->labels, ElementsAre("draft", "live"));
  EXPECT_EQ(memory_.TypeOf(Streamed(Oid{20002}, "status")), nullptr);
  EXPECT_EQ(memory_.TypeOf(Streamed(kText, "text")), nullptr) << "the catalog keeps those";
  event::RelationColumn unnamed = Streamed(kStatus, "");
  EXPECT_NE(memory_.TypeOf(unnamed), nullptr) << "the stream need not name it";
}

TEST_F(SchemaMemoryTest, AnOidThatAnotherTypeHasGotIsNotTheOldOne) {
  memory_.LearnTypes({Named(Oid{20003}, "hstore")});
  EXPECT_NE(memory_.TypeOf(Streamed(Oid{20003}, "hstore")), nullptr);
  EXPECT_EQ(memory_.TypeOf(Streamed(Oid{20003}, "pair")), nullptr);
}

TEST_F(SchemaMemoryTest, AnEnumMayHaveBeenRenamed) {
  event::RelationColumn renamed = Streamed(kStatus, "status_old");
  renamed.type_schema = "attic";
  const TypePtr type = memory_.TypeOf(renamed);
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->schema, "attic");
  EXPECT_EQ(type->name, "status_old");
  EXPECT_THAT(type->labels, ElementsAre("draft", "live"));
}

TEST_F(SchemaMemoryTest, TheStreamCallsADomainByWhatIsUnderIt) {
  const TypePtr status = Named(kStatus, "status", TypeKind::kEnum);
  memory_.LearnTypes(
      {DomainOver(Oid{20004}, Named(kText, "text")), DomainOver(Oid{20005}, status)});
  EXPECT_EQ(memory_.TypeOf(Streamed(Oid{20004}, "text"))->name, "some_domain");
  EXPECT_EQ(memory_.TypeOf(Streamed(Oid{20004}, "int4")), nullptr);
  const TypePtr renamed = memory_.TypeOf(Streamed(Oid{20005}, "status_old"));
  ASSERT_NE(renamed, nullptr);
  EXPECT_EQ(renamed->name, "some_domain");
  EXPECT_EQ(renamed->base->name, "status_old");
}

TEST_F(SchemaMemoryTest, WhatNobodyKnowsIsNotLearnt) {
  memory_.LearnTypes({Named(Oid{20006}, "gone", TypeKind::kUnknown)});
  EXPECT_EQ(memory_.TypeOf(Streamed(Oid{20006}, "gone")), nullptr);
}

TEST_F(SchemaMemoryTest, ColumnsStayKnownWithEachTypeTheyHad) {
  event::TableSchema later = Table({Named(kText, "text"), Named(Oid{20009}, "status")});
  later.columns[1].optional = true;
  later.columns[1].default_expression.reset();
  memory_.Learn(later);
  const std::optional<RememberedTable> table = memory_.TableOf(kTable);
  ASSERT_TRUE(table.has_value());
  EXPECT_THAT(table->key, ElementsAre("text"));
  ASSERT_EQ(table->columns.size(), 3u);
  EXPECT_TRUE(table->columns[1].optional);
  EXPECT_EQ(table->columns[2].type, kStatus);
  EXPECT_FALSE(table->columns[2].optional);
  EXPECT_EQ(table->columns[2].default_expression, "'d'");
  EXPECT_FALSE(memory_.TableOf(Oid{1}).has_value());
}

TEST_F(SchemaMemoryTest, ChangesAreThoseThatAreStored) {
  const uint64_t before = memory_.changes();
  memory_.Learn(Table({Named(kText, "text"), Named(kStatus, "status", TypeKind::kEnum)}));
  EXPECT_EQ(memory_.changes(), before) << "the same";
  event::TableSchema other = Table({Named(kText, "text")});
  other.relation = Oid{30002};
  memory_.Learn(other);
  EXPECT_EQ(memory_.changes(), before) << "no type of users";
  EXPECT_THAT(memory_.Tables(), ::testing::SizeIs(1));
  event::Type longer = *Named(kStatus, "status", TypeKind::kEnum);
  longer.labels.emplace_back("gone");
  memory_.LearnTypes({std::make_shared<const event::Type>(longer)});
  EXPECT_GT(memory_.changes(), before);
}

TEST_F(SchemaMemoryTest, WhatNoTableHasIsForgottenOnceItsRowsAreBehind) {
  memory_.LearnTypes({Named(Oid{20010}, "status", TypeKind::kEnum)});
  memory_.Sweep({Oid{20010}}, {kTable}, Lsn(100), Lsn(50));
  EXPECT_THAT(TypesOf(memory_), ElementsAre(Oid{20010}, kStatus));
  memory_.Sweep({Oid{20010}}, {kTable}, Lsn(200), Lsn(99));
  EXPECT_THAT(TypesOf(memory_), ElementsAre(Oid{20010}, kStatus)) << "its rows may lie before 100";
  memory_.Sweep({Oid{20010}}, {kTable}, Lsn(300), Lsn(100));
  EXPECT_THAT(TypesOf(memory_), ElementsAre(Oid{20010}));
  EXPECT_TRUE(memory_.TableOf(kTable).has_value());
}

TEST_F(SchemaMemoryTest, ATableThatHasItAgainKeepsIt) {
  memory_.Sweep({}, {}, Lsn(100), Lsn(50));
  memory_.Sweep({kStatus}, {kTable}, Lsn(200), Lsn(150));
  memory_.Sweep({}, {}, Lsn(300), Lsn(250));
  EXPECT_THAT(TypesOf(memory_), ElementsAre(kStatus)) << "gone since 300";
  memory_.Sweep({}, {}, Lsn(400), Lsn(300));
  EXPECT_THAT(TypesOf(memory_), IsEmpty());
  EXPECT_FALSE(memory_.TableOf(kTable).has_value());
}

TEST_F(SchemaMemoryTest, WhatIsRestoredComesBehindWhatIsKnown) {
  event::Type shorter = *Named(kStatus, "status", TypeKind::kEnum);
  shorter.labels = {"draft"};
  SchemaMemory other;
  other.LearnTypes({std::make_shared<const event::Type>(shorter)});
  other.Restore(memory_.Types(), memory_.Tables());
  EXPECT_THAT(other.TypeOf(Streamed(kStatus, "status"))->labels, ElementsAre("draft"));
  const auto table = other.TableOf(kTable);
  ASSERT_TRUE(table.has_value());
  ASSERT_THAT(table->columns, ::testing::SizeIs(1)) << "types of users alone are stored";
  EXPECT_EQ(table->columns[0].default_expression, "'d'");
}

// A table without a column, a name with a NUL's neighbours, an empty default.
TEST_F(SchemaMemoryTest, EveryTableCanBePacked) {
  event::TableSchema table;
  table.relation = Oid{30003};
  memory_.Learn(table);
  EXPECT_THAT(memory_.TableOf(Oid{30003})->columns, IsEmpty());
  event::TableSchema odd = Table({Named(kText, std::string("\x01\xff", 2)), Named(kText, "")});
  odd.relation = Oid{30004};
  odd.columns[0].default_expression = "";
  odd.columns[1].default_expression.reset();
  odd.columns[1].identity = odd.columns[1].generated = true;
  memory_.Learn(odd);
  const RememberedTable read = *memory_.TableOf(Oid{30004});
  EXPECT_EQ(read.columns[0].name, odd.columns[0].name);
  EXPECT_EQ(read.columns[0].default_expression, "");
  EXPECT_EQ(read.columns[1].default_expression, std::nullopt);
  EXPECT_TRUE(read.columns[1].identity && read.columns[1].generated);
}

class DescribedByMemory : public SchemaMemoryTest {
 protected:
  static CatalogRelation Catalog(Oid type, bool not_null) {
    CatalogRelation known;
    known.columns = {
        {.name = "text", .type = kText, .not_null = true, .default_expression = {}},
        {.name = "status", .type = type, .not_null = not_null, .default_expression = "'new'"}};
    known.key = {"text"};
    known.primary_key = true;
    return known;
  }
  event::RelationDescription relation_ = {
      .relation = kTable,
      .schema = "public",
      .table = "t",
      .columns = {{.name = "text", .type = kText, .part_of_identity = true},
                  Streamed(kStatus, "status")}};
};

TEST_F(DescribedByMemory, TypeAndDefaultAreThoseOfTheRow) {
  const auto schema = DescribeStreamed(relation_, Catalog(Oid{20010}, true), {}, &memory_);
  EXPECT_EQ(schema->columns[1].type->kind, TypeKind::kEnum);
  EXPECT_EQ(schema->columns[1].default_expression, "'d'");
  EXPECT_FALSE(schema->columns[1].optional);
  const auto alone = DescribeStreamed(relation_, Catalog(Oid{20010}, true), {});
  EXPECT_EQ(alone->columns[1].type->kind, TypeKind::kUnknown);
  EXPECT_EQ(alone->columns[1].type->name, "status");
  EXPECT_EQ(alone->columns[1].type->schema, "public");
  EXPECT_EQ(alone->columns[1].default_expression, std::nullopt);
}

// The row may be of a time when it could be NULL.
TEST_F(DescribedByMemory, ARetypedColumnIsRequiredOnlyIfItWasAndIs) {
  EXPECT_TRUE(
      DescribeStreamed(relation_, Catalog(Oid{20010}, false), {}, &memory_)->columns[1].optional);
  event::TableSchema nullable = Table({Named(kText, "text"), Named(kStatus, "status")});
  nullable.columns[1].optional = true;
  memory_.Learn(nullable);
  EXPECT_TRUE(
      DescribeStreamed(relation_, Catalog(Oid{20010}, true), {}, &memory_)->columns[1].optional);
}

TEST_F(DescribedByMemory, TheCatalogCountsForRowsOfItsType) {
  relation_.columns[1] = Streamed(Oid{20010}, "status");
  const auto schema = DescribeStreamed(relation_, Catalog(Oid{20010}, false), {}, &memory_);
  EXPECT_EQ(schema->columns[1].default_expression, "'new'");
  EXPECT_TRUE(schema->columns[1].optional);
}

TEST_F(DescribedByMemory, ADroppedTableKeepsItsColumnsAndKey) {
  relation_.replica_identity = event::ReplicaIdentity::kFull;
  const auto schema = DescribeStreamed(relation_, std::nullopt, {}, &memory_);
  EXPECT_THAT(schema->key_columns, ElementsAre(0));
  EXPECT_FALSE(schema->columns[1].optional);
  EXPECT_EQ(schema->columns[1].default_expression, "'d'");
  EXPECT_THAT(DescribeStreamed(relation_, std::nullopt, {})->key_columns, IsEmpty());
  relation_.columns[0].name = "renamed";
  EXPECT_THAT(DescribeStreamed(relation_, std::nullopt, {}, &memory_)->key_columns, IsEmpty())
      << "a part of a key is none";
}

}  // namespace
}  // namespace walduct::postgres
