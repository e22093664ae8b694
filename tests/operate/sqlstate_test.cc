#include "operate/commands/sqlstate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::operate {
namespace {

using testing::Contains;

TEST(SqlState, TheUsualReasonComesFirst) {
  const std::vector<std::string> ended = ReasonsOfSqlState("57P01");
  ASSERT_GT(ended.size(), 1u) << "of a foreign server, too";
  EXPECT_EQ(ended.front(), "server_shutting_down");
  EXPECT_THAT(ReasonsOfSqlState("42501"), Contains("permission_denied"));
}

}  // namespace
}  // namespace walduct::operate
