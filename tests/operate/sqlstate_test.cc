#include "operate/commands/sqlstate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "postgres/errors/error_rules.h"

namespace walduct::operate {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(SqlState, TheUsualReasonComesFirst) {
  const std::vector<std::string> ended = ReasonsOfSqlState("57P01");
  ASSERT_GT(ended.size(), 1u) << "of a foreign server, too";
  EXPECT_EQ(ended.front(), "server_shutting_down");
  EXPECT_THAT(ReasonsOfSqlState("42501"), Contains("permission_denied"));
}

TEST(SqlState, EachThatTheTableKnowsLeadsToAllItsReasons) {
  for (const postgres::ErrorRule& rule : postgres::SqlStateRules()) {
    std::string code(rule.sqlstate);
    if (code.empty()) continue;  // another server's, whatever it says
    code.resize(5, '9');
    EXPECT_THAT(ReasonsOfSqlState(code), Contains(rule.reason)) << code;
  }
}

// As the log and the status of a connector whose password is read from a file say it.
TEST(SqlState, WhatItBecomesLaterIsNamedToo) {
  EXPECT_THAT(ReasonsOfSqlState("28P01"), ElementsAre("wrong_password", "password_refused"));
  EXPECT_THAT(ReasonsOfSqlState("XX000"), Contains("decoding_failed"));
}

}  // namespace
}  // namespace walduct::operate
