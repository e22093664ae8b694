#include "snapshot/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace walduct::snapshot {
namespace {

PlannedTable Planned(const std::string& schema, const std::string& table) {
  PlannedTable planned;
  planned.name = {.relation = Oid{1}, .schema = schema, .table = table};
  planned.storage = "7/1";
  return planned;
}

// A schema "a.b" with a table c, a schema a with a table "b.c": that one is read says nothing of
// the other.
TEST(ResumeTest, NamesWithDotsAreNotOne) {
  ReadRecord record({{R"("a.b".c)", {.storage = "7/1", .since = 5, .ranges = {{}}}}});
  std::vector<PlannedTable> plan = {Planned("a", "b.c"), Planned("a.b", "c")};
  TakeUp(record, &plan);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].name.schema, "a");
  EXPECT_THAT(plan[0].before.ranges, testing::IsEmpty());
}

TEST(ResumeTest, WhatIsReadInPartGoesOnInTheSameFiles) {
  const ReadTable part{.storage = "7/1", .since = 5, .ranges = {{.begin = 0, .end = 8}}};
  ReadRecord record({{"public.a", part}, {"public.b", part}});
  std::vector<PlannedTable> plan = {Planned("public", "a"), Planned("public", "b")};
  plan[1].storage = "7/2";
  EXPECT_EQ(PartlyRead({plan[0].name, plan[1].name}, record).size(), 2u);
  TakeUp(record, &plan);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[0].before, part);
  EXPECT_THAT(plan[1].before.ranges, testing::IsEmpty());
  EXPECT_EQ(record.before().count("public.b"), 0u);
}

}  // namespace
}  // namespace walduct::snapshot
