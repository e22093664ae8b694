#include "incremental/chunk_sql.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::incremental {
namespace {

using testing::ElementsAre;

Walk OfKey(std::vector<WalkColumn> columns, size_t shown) {
  return {
      .table = {"public", "big"}, .condition = {}, .columns = std::move(columns), .shown = shown};
}

TEST(ChunkSql, FirstChunkHasNoBounds) {
  const auto statement = ChunkSql(OfKey({{"id"}}, 1), {"id", "v"}, std::nullopt, Key{"10"}, 4);
  EXPECT_EQ(statement.sql, R"(SELECT "id", "v" FROM "public"."big" ORDER BY "id" LIMIT $1)");
  EXPECT_THAT(statement.parameters, ElementsAre("4"));
}

TEST(ChunkSql, KeysWithoutNullsAreComparedAsRows) {
  const auto statement =
      ChunkSql(OfKey({{"a"}, {"b"}}, 2), {"a", "b"}, Key{"1", "x"}, Key{"2", "y"}, 4);
  EXPECT_EQ(statement.sql, R"(SELECT "a", "b" FROM "public"."big" WHERE ("a", "b") > ($1, $2) AND )"
                           R"(("a", "b") <= ($3, $4) ORDER BY "a", "b" LIMIT $5)");
  EXPECT_THAT(statement.parameters, ElementsAre("1", "x", "2", "y", "4"));
}

TEST(ChunkSql, INC06_EqualSurrogatesAreToldApart) {
  const Walk walk = OfKey({{"k"}, {"id"}}, 1);
  EXPECT_EQ(MaximumSql(walk).sql, R"(SELECT "k" FROM "public"."big" ORDER BY "k" DESC LIMIT $1)");
  EXPECT_THAT(ChunkSql(walk, {"id"}, Key{"5", "7"}, Key{"9"}, 4).sql,
              testing::HasSubstr(R"(("k", "id") > ($1, $2) AND ("k") <= ($3))"));
  // A stored key has the surrogate alone: what is equal to it is read again.
  EXPECT_THAT(ChunkSql(walk, {"id"}, Key{"5"}, Key{"9"}, 4).sql,
              testing::HasSubstr(R"(("k") >= ($1) AND ("k") <= ($2))"));
}

TEST(ChunkSql, INC05_NullsComeLastAndAreWalked) {
  const Walk walk = OfKey({{"k", true}, {"id"}}, 1);
  const auto before = ChunkSql(walk, {"id"}, Key{"5", "7"}, Key{std::nullopt}, 4);
  EXPECT_THAT(before.sql,
              testing::HasSubstr(R"(WHERE ("k" > $1 OR "k" IS NULL OR ("k" = $1 AND )"
                                 R"(("id" > $2 OR ("id" = $2 AND FALSE)))) ORDER BY "k", "id")"));
  const auto among = ChunkSql(walk, {"id"}, Key{std::nullopt, "7"}, Key{std::nullopt}, 4);
  EXPECT_THAT(among.sql, testing::HasSubstr(R"(WHERE ("k" IS NULL AND ("id" > $1 OR )"));
}

TEST(ChunkSql, RowsWithoutAKeyAreToldApartByTheirPlace) {
  const Walk walk = OfKey({{"a"}, {.name = "ctid", .of_system = true}}, 1);
  EXPECT_EQ(ChunkSql(walk, {"a"}, Key{"1", "(0,1)"}, std::nullopt, 4).sql,
            R"(SELECT "a", ctid FROM "public"."big" WHERE ("a", ctid) > ($1, $2) )"
            R"(ORDER BY "a", ctid LIMIT $3)");
}

TEST(ChunkSql, AConditionCannotReachBehindItself) {
  Walk walk = OfKey({{"id"}}, 1);
  walk.condition = "(v > 1 -- as asked)";
  EXPECT_EQ(ChunkSql(walk, {"id"}, Key{"1"}, std::nullopt, 4).sql,
            "SELECT \"id\" FROM \"public\".\"big\" WHERE ((v > 1 -- as asked)\n) AND (\"id\") > "
            "($1) ORDER BY \"id\" LIMIT $2");
}

}  // namespace
}  // namespace walduct::incremental
