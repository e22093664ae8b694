#include "pgoutput/relation_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "pgoutput/decode.h"
#include "tests/support/pgoutput_builder.h"
#include "tests/support/pgoutput_fakes.h"

namespace walduct::pgoutput {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RelationCacheTest : public ::testing::Test {
 protected:
  absl::Status Apply(const test::RelationSpec& spec) {
    const std::string bytes = test::RelationBytes(spec);
    RelationMessage message;
    EXPECT_TRUE(DecodeRelation(bytes, false, message).ok());
    const absl::StatusOr<bool> applied = cache_.Apply(message, event::TransactionInfo());
    applied_ = applied.ok() && *applied;
    return applied.status();
  }

  test::FakeResolver resolver_;
  RelationCache cache_{resolver_, /*watch_labels=*/false};
  bool applied_ = false;
  test::RelationSpec spec_ = {
      .oid = 7, .table = "t", .columns = {{"id", 23, true, 5}, {"a"}, {"b"}}};
};

TEST_F(RelationCacheTest, UnknownRelationIsNull) { EXPECT_EQ(cache_.Find(Oid{7}), nullptr); }

TEST_F(RelationCacheTest, ResolverSeesTheWholeDescription) {
  ASSERT_TRUE(Apply(spec_).ok());
  ASSERT_EQ(resolver_.described.size(), 1u);
  const event::RelationDescription& seen = resolver_.described[0];
  EXPECT_EQ(seen.relation, Oid{7});
  EXPECT_EQ(seen.schema, "public");
  EXPECT_EQ(seen.table, "t");
  ASSERT_EQ(seen.columns.size(), 3u);
  EXPECT_EQ(seen.columns[0].name, "id");
  EXPECT_EQ(seen.columns[0].type, Oid{23});
  EXPECT_EQ(seen.columns[0].typmod, 5);
  EXPECT_TRUE(seen.columns[0].part_of_identity);
  EXPECT_FALSE(seen.columns[2].part_of_identity);
}

TEST_F(RelationCacheTest, TheResolverSeesWhatTheStreamCallsTypes) {
  spec_.columns[1].type = 20001;
  spec_.columns[2].type = 20002;
  cache_.Announce({.xid = {}, .type = Oid{20001}, .schema = "public", .name = "status"});
  ASSERT_TRUE(Apply(spec_).ok());
  const auto& columns = resolver_.described[0].columns;
  EXPECT_EQ(columns[0].type_name, "");
  EXPECT_EQ(columns[1].type_schema, "public");
  EXPECT_EQ(columns[1].type_name, "status");
  EXPECT_EQ(columns[2].type_name, "") << "not announced";
  cache_.Announce({.xid = {}, .type = Oid{20001}, .schema = "public", .name = "status_old"});
  ASSERT_TRUE(Apply(spec_).ok());
  EXPECT_EQ(resolver_.described[1].columns[1].type_name, "status_old");
}

TEST_F(RelationCacheTest, ColumnsOutsideTheIdentityP8) {
  ASSERT_TRUE(Apply(spec_).ok());
  EXPECT_THAT(cache_.Find(Oid{7})->outside_identity, ElementsAre(1, 2));
  for (auto& column : spec_.columns) column.key = true;  // as under REPLICA IDENTITY FULL
  ASSERT_TRUE(Apply(spec_).ok());
  EXPECT_THAT(cache_.Find(Oid{7})->outside_identity, IsEmpty());
}

TEST_F(RelationCacheTest, ANewDescriptionReplacesTheSchemaAndKeepsTheOldAlive) {
  ASSERT_TRUE(Apply(spec_).ok());
  const event::TableSchema* old_schema = cache_.Find(Oid{7})->schema.get();
  const std::weak_ptr<const event::TableSchema> alive = cache_.Find(Oid{7})->schema;
  spec_.columns.push_back({"added"});
  ASSERT_TRUE(Apply(spec_).ok());
  EXPECT_NE(cache_.Find(Oid{7})->schema.get(), old_schema);
  EXPECT_EQ(cache_.Find(Oid{7})->schema->columns.size(), 4u);
  EXPECT_FALSE(alive.expired());
}

TEST_F(RelationCacheTest, ReplacedSchemasAreNotKeptWithoutBound) {
  ASSERT_TRUE(Apply(spec_).ok());
  const std::weak_ptr<const event::TableSchema> first = cache_.Find(Oid{7})->schema;
  for (size_t i = 0; i < RelationCache::kKeptSchemas; ++i) {
    spec_.columns[1].name = absl::StrCat("a", i);
    ASSERT_TRUE(Apply(spec_).ok());
  }
  EXPECT_FALSE(first.expired());
  spec_.columns[1].name = "last";
  ASSERT_TRUE(Apply(spec_).ok());
  EXPECT_TRUE(first.expired());
}

TEST_F(RelationCacheTest, TheSameDescriptionAgainKeepsTheSchema) {
  ASSERT_TRUE(Apply(spec_).ok());
  const event::TableSchema* schema = cache_.Find(Oid{7})->schema.get();
  ASSERT_TRUE(Apply(spec_).ok());
  EXPECT_EQ(resolver_.described.size(), 2u) << "the catalog may have changed, ask";
  EXPECT_EQ(cache_.Find(Oid{7})->schema.get(), schema);
}

TEST_F(RelationCacheTest, AChangeThatOnlyTheCatalogKnowsReplacesTheSchema) {
  ASSERT_TRUE(Apply(spec_).ok());
  const event::TableSchema* schema = cache_.Find(Oid{7})->schema.get();
  resolver_.default_expression = "now()";
  ASSERT_TRUE(Apply(spec_).ok());
  const event::TableSchema* with_default = cache_.Find(Oid{7})->schema.get();
  EXPECT_NE(with_default, schema);
  resolver_.labels = {"happy"};
  ASSERT_TRUE(Apply(spec_).ok());
  EXPECT_NE(cache_.Find(Oid{7})->schema.get(), with_default);
}

TEST_F(RelationCacheTest, FindFollowsFromRelationToRelation) {
  ASSERT_TRUE(Apply(spec_).ok());
  spec_.oid = 8;
  spec_.table = "u";
  ASSERT_TRUE(Apply(spec_).ok());
  EXPECT_EQ(cache_.Find(Oid{7})->schema->table, "t");
  EXPECT_EQ(cache_.Find(Oid{8})->schema->table, "u");
  EXPECT_EQ(cache_.Find(Oid{7})->schema->table, "t");
  EXPECT_EQ(cache_.Find(Oid{9}), nullptr);
}

TEST_F(RelationCacheTest, AResolverWithOtherColumnsIsInternal) {
  resolver_.drop_a_column = true;
  const absl::Status status = Apply(spec_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(ErrorReason(status), "schema_mismatch");
  EXPECT_EQ(cache_.Find(Oid{7}), nullptr);
}

TEST_F(RelationCacheTest, NothingChangesUntilTheResolverAnswers) {
  resolver_.silent = true;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Apply(spec_).ok());
    EXPECT_FALSE(applied_);
    EXPECT_EQ(cache_.Find(Oid{7}), nullptr);
  }
  resolver_.silent = false;
  ASSERT_TRUE(Apply(spec_).ok());
  EXPECT_TRUE(applied_);
  EXPECT_NE(cache_.Find(Oid{7}), nullptr);
  EXPECT_EQ(resolver_.described.size(), 1u) << "asked once, polled for";
}

TEST_F(RelationCacheTest, TheResolversErrorComesBack) {
  resolver_.error = absl::UnavailableError("catalog gone");
  EXPECT_EQ(Apply(spec_), resolver_.error);
}

TEST_F(RelationCacheTest, OneThatIsForgottenIsUnknown) {
  ASSERT_TRUE(Apply(spec_).ok());
  ASSERT_NE(cache_.Find(Oid{7}), nullptr);
  const std::vector<KnownRelation> known = cache_.List();
  ASSERT_EQ(known.size(), 1u);
  cache_.Forget(known[0]);
  EXPECT_EQ(cache_.Find(Oid{7}), nullptr);
  EXPECT_EQ(cache_.size(), 0u);
}

TEST_F(RelationCacheTest, OneThatWasAnnouncedSinceItWasListedIsNotForgotten) {
  ASSERT_TRUE(Apply(spec_).ok());
  const std::vector<KnownRelation> known = cache_.List();
  ASSERT_TRUE(Apply(spec_).ok());
  cache_.Forget(known[0]);
  EXPECT_NE(cache_.Find(Oid{7}), nullptr);
}

}  // namespace
}  // namespace walduct::pgoutput
