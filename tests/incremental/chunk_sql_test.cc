#include "incremental/chunks/chunk_sql.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "incremental/chunks/place.h"

namespace walduct::incremental {
namespace {

using testing::ElementsAre;

Walk OfKey(std::vector<WalkColumn> columns, size_t shown) {
  return {
      .table = {"public", "big"}, .condition = {}, .columns = std::move(columns), .shown = shown};
}

postgres::Statement OnlySql(const Walk& walk, const std::vector<std::string>& columns,
                            const std::optional<Key>& after, const std::optional<Key>& maximum) {
  const auto statements = ChunkSql(walk, columns, after, maximum, 4);
  EXPECT_EQ(statements.size(), 1u);
  return statements.front();
}

std::vector<std::string> Conditions(const std::vector<postgres::Statement>& statements) {
  std::vector<std::string> texts;
  for (const postgres::Statement& one : statements) {
    const size_t begin = one.sql.find("WHERE "), end = one.sql.find(" ORDER");
    texts.push_back(one.sql.substr(begin + 6, end - begin - 6));
  }
  return texts;
}

TEST(ChunkSql, FirstChunkHasNoBounds) {
  const auto statement = OnlySql(OfKey({{"id"}}, 1), {"id", "v"}, std::nullopt, Key{"10"});
  EXPECT_EQ(statement.sql, R"(SELECT "id", "v" FROM "public"."big" ORDER BY "id" LIMIT $1)");
  EXPECT_THAT(statement.parameters, ElementsAre("4"));
}

TEST(ChunkSql, KeysWithoutNullsAreComparedAsRows) {
  const auto statement =
      OnlySql(OfKey({{"a"}, {"b"}}, 2), {"a", "b"}, Key{"1", "x"}, Key{"2", "y"});
  EXPECT_EQ(statement.sql, R"(SELECT "a", "b" FROM "public"."big" WHERE ("a", "b") > ($1, $2) AND )"
                           R"(("a", "b") <= ($3, $4) ORDER BY "a", "b" LIMIT $5)");
  EXPECT_THAT(statement.parameters, ElementsAre("1", "x", "2", "y", "4"));
}

TEST(ChunkSql, INC06_EqualSurrogatesAreToldApart) {
  const Walk walk = OfKey({{"k"}, {"id"}}, 1);
  EXPECT_EQ(MaximumSql(walk).sql, R"(SELECT "k" FROM "public"."big" ORDER BY "k" DESC LIMIT $1)");
  EXPECT_THAT(OnlySql(walk, {"id"}, Key{"5", "7"}, Key{"9"}).sql,
              testing::HasSubstr(R"(("k", "id") > ($1, $2) AND ("k") <= ($3))"));
  // A stored key has the surrogate alone: what is equal to it is read again.
  EXPECT_THAT(OnlySql(walk, {"id"}, Key{"5"}, Key{"9"}).sql,
              testing::HasSubstr(R"(("k") >= ($1) AND ("k") <= ($2))"));
}

// One statement for each place in the index.
TEST(ChunkSql, INC05_NullsComeLastAndAreWalked) {
  const Walk walk = OfKey({{"k", true}, {"id"}}, 1);
  const auto before = ChunkSql(walk, {"id"}, Key{"5", "7"}, Key{std::nullopt}, 4);
  EXPECT_THAT(Conditions(before),
              ElementsAre(R"("k" = $1 AND "id" > $2)", R"("k" > $1)", R"("k" IS NULL)"));
  EXPECT_THAT(before[0].parameters, ElementsAre("5", "7", "4"));
  EXPECT_THAT(before[0].sql, testing::EndsWith(R"( ORDER BY "k", "id" LIMIT $3)"));
  EXPECT_THAT(before[2].parameters, ElementsAre("4"));
  const auto among = ChunkSql(walk, {"id"}, Key{std::nullopt, "7"}, Key{std::nullopt}, 4);
  EXPECT_THAT(Conditions(among), ElementsAre(R"("k" IS NULL AND "id" > $1)"));
  // Stored without what tells equal ones apart.
  EXPECT_THAT(Conditions(ChunkSql(walk, {"id"}, Key{"5"}, Key{"9"}, 4)),
              ElementsAre(R"("k" = $1 AND ("k") <= ($2))", R"("k" > $1 AND ("k") <= ($2))",
                          R"("k" IS NULL AND ("k") <= ($1))"));
  const Walk two = OfKey({{"a"}, {"b", true}}, 2);
  EXPECT_THAT(Conditions(ChunkSql(two, {"a"}, Key{"1", "x"}, Key{"2", std::nullopt}, 4)),
              ElementsAre(R"("a" = $1 AND "b" > $2 AND ("a") <= ($3))",
                          R"("a" = $1 AND "b" IS NULL AND ("a") <= ($2))",
                          R"("a" > $1 AND ("a") <= ($2))"));
}

TEST(ChunkSql, TypesOfUsersAreNamed) {
  const WalkColumn mood{.name = "m", .cast = "\"public\".\"mood\"", .casts_column = true};
  EXPECT_THAT(
      OnlySql(OfKey({mood, {"id"}}, 2), {"id"}, Key{"sad", "1"}, Key{"ok", "2"}).sql,
      testing::HasSubstr(R"(WHERE (("m"::"public"."mood"), "id") > )"
                         R"(($1::"public"."mood", $2) AND (("m"::"public"."mood"), "id") <= )"
                         R"(($3::"public"."mood", $4) ORDER BY "m", "id")"));
  const WalkColumn text{.name = "t", .cast = "\"ext\".\"citext\"", .operators = "ext"};
  EXPECT_THAT(OnlySql(OfKey({text, text}, 2), {"t"}, Key{"a", "b"}, std::nullopt).sql,
              testing::HasSubstr(R"(("t", "t") OPERATOR("ext".>) ($1::"ext"."citext", $2::)"));
}

// A comparison of rows takes operators of one schema.
TEST(ChunkSql, OperatorsOfSeveralSchemasAreComparedOneByOne) {
  const WalkColumn text{.name = "t", .cast = "citext", .operators = "ext"};
  const auto statements =
      ChunkSql(OfKey({text, {"id"}}, 2), {"id"}, Key{"a", "1"}, Key{"z", "9"}, 4);
  const std::string maximum = R"("t" OPERATOR("ext".<=) $3::citext AND )"
                              R"(("t" OPERATOR("ext".<) $5::citext OR )"
                              R"(("t" OPERATOR("ext".=) $6::citext AND "id" <= $4)))";
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_EQ(Conditions(statements)[0],
            R"("t" OPERATOR("ext".=) $1::citext AND "id" > $2 AND )" + maximum);
  EXPECT_THAT(statements[0].parameters, ElementsAre("a", "1", "z", "9", "z", "z", "4"));
  EXPECT_THAT(Conditions(statements)[1],
              testing::StartsWith(R"("t" OPERATOR("ext".>) $1::citext AND )"));
}

TEST(ChunkSql, RowsWithoutAKeyAreToldApartByTheirPlace) {
  const Walk walk = OfKey({{"a"}, {.name = "ctid", .of_system = true}}, 1);
  EXPECT_EQ(OnlySql(walk, {"a"}, Key{"1", "(0,1)"}, std::nullopt).sql,
            R"(SELECT "a", ctid, xmin FROM "public"."big" WHERE ("a", ctid) > ($1, $2) )"
            R"(ORDER BY "a", ctid LIMIT $3)");
}

TEST(ChunkSql, RowsWithoutAnythingToWalkByAreReadByTheirBlocks) {
  const auto range = RangeSql(OfKey({}, 0), {"a"}, "(0,0)", "(8,0)");
  EXPECT_EQ(range.sql,
            R"(SELECT "a", ctid, xmin FROM "public"."big" WHERE ctid > $1 AND ctid < $2 )"
            "ORDER BY ctid");
  EXPECT_THAT(range.parameters, ElementsAre("(0,0)", "(8,0)"));
  Walk walk = OfKey({}, 0);
  walk.condition = "a > 1";
  const auto places = PlacesSql(walk, {}, {"(0,1)", "(7,3)"});
  EXPECT_EQ(places.sql,
            "SELECT ctid, xmin FROM \"public\".\"big\" WHERE (a > 1\n) AND ctid = "
            "ANY($1::pg_catalog.tid[])");
  EXPECT_THAT(places.parameters, ElementsAre("{\"(0,1)\",\"(7,3)\"}"));
}

TEST(Place, TextAndOrder) {
  EXPECT_EQ(ParsePlace("(12,3)"), (Place{12, 3}));
  EXPECT_EQ((Place{4294967295, 65535}).Text(), "(4294967295,65535)");
  EXPECT_LT((Place{1, 9}), (Place{2, 0}));
  for (const char* text : {"", "(1)", "1,2", "(1,2", "(a,2)", "(1,2,3)", "(-1,2)"})
    EXPECT_EQ(ParsePlace(text), std::nullopt) << text;
}

TEST(ChunkSql, AConditionCannotReachBehindItself) {
  Walk walk = OfKey({{"id"}}, 1);
  walk.condition = "(v > 1 -- as asked)";
  EXPECT_EQ(OnlySql(walk, {"id"}, Key{"1"}, std::nullopt).sql,
            "SELECT \"id\" FROM \"public\".\"big\" WHERE ((v > 1 -- as asked)\n) AND (\"id\") > "
            "($1) ORDER BY \"id\" LIMIT $2");
}

}  // namespace
}  // namespace walduct::incremental
