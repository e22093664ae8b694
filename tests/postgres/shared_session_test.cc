#include "postgres/shared_session.h"

#include <gtest/gtest.h>

namespace walduct::postgres {
namespace {

TEST(SharedSession, SetsWhatIsToHoldInTheTransactionAlone) {
  SessionSettings settings = {{"DateStyle", "ISO"}, {"search_path", "pg_catalog"}};
  EXPECT_EQ(SetInTransaction(settings),
            "SET LOCAL DateStyle = 'ISO'; SET LOCAL search_path = 'pg_catalog'; ");
  EXPECT_EQ(SetInSession({{"a", "it's"}}), "SET a = 'it''s'; ");
  Replace("DateStyle", "German", &settings);
  Replace("lock_timeout", "5s", &settings);
  EXPECT_EQ(SetInTransaction(settings),
            "SET LOCAL DateStyle = 'German'; SET LOCAL search_path = 'pg_catalog'; "
            "SET LOCAL lock_timeout = '5s'; ");
}

TEST(SharedSession, ParametersBecomeLiterals) {
  EXPECT_EQ(WithLiterals("SELECT $1::int, $2", {"5", std::nullopt}), "SELECT '5'::int, NULL");
  EXPECT_EQ(WithLiterals("VALUES ($1, $10, $2)", {"a", "b", "", "", "", "", "", "", "", "j"}),
            "VALUES ('a', 'j', 'b')");
  // Whatever standard_conforming_strings is.
  EXPECT_EQ(WithLiterals("SELECT $1", {"it's \\ so"}), "SELECT  E'it''s \\\\ so'");
}

TEST(SharedSession, WhatOnlyLooksLikeAParameterStays) {
  for (const char* sql : {"SELECT '$1'", "SELECT \"$1\"", "SELECT 1 -- $1\n", "SELECT /* $1 */ 1",
                          "SELECT a$1", "DO $$ x $1 $$", "SELECT $t$ $1 $t$", "SELECT 'it''s $1'",
                          "SELECT E'\\' $1'", "SELECT $2", "SELECT $0", "SELECT '$1"}) {
    EXPECT_EQ(WithLiterals(sql, {"x"}), sql);
  }
  EXPECT_EQ(WithLiterals("SELECT '$1', $1, \"a\"\"$1\", E'\\\\', $1", {"x"}),
            "SELECT '$1', 'x', \"a\"\"$1\", E'\\\\', 'x'");
}

TEST(SharedSession, StatementsOfTheUserThatSetSomethingHoldInTheTransactionToo) {
  EXPECT_EQ(AsLocal("SET work_mem = '1GB'"), "SET LOCAL work_mem = '1GB'; ");
  EXPECT_EQ(AsLocal("  set session search_path to a, b"), "SET LOCAL search_path to a, b; ");
  EXPECT_EQ(AsLocal("SET LOCAL x = 1"), "SET LOCAL x = 1; ");
  EXPECT_EQ(AsLocal("SET ROLE reader"), "SET LOCAL ROLE reader; ");
  EXPECT_EQ(AsLocal("SET SESSION AUTHORIZATION reader"),
            "SET LOCAL SESSION AUTHORIZATION reader; ");
  for (const char* other : {"SELECT 1", "SETTLE", "SET TRANSACTION READ ONLY",
                            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SET"})
    EXPECT_EQ(AsLocal(other), "") << other;
}

}  // namespace
}  // namespace walduct::postgres
