#include "slot/phases/stale_names.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "names/table_filter.h"
#include "slot/phases/delayed_schema_resolver.h"
#include "tests/support/fake_database.h"
#include "tests/support/pgoutput_builder.h"
#include "tests/support/pgoutput_fakes.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {
namespace {

constexpr uint32_t kRoot = 20000;

class StaleNamesTest : public testing::Test {
 protected:
  // A transaction with a row of it, which ends at `end`.
  void Commit(uint64_t end, bool announced = true) {
    const test::RelationSpec spec = {
        .oid = kRoot, .table = "orders", .columns = {{"id", 25, true}}};
    std::vector<std::string> messages = {test::BeginBytes(end - 10, 0, 700)};
    if (announced) messages.push_back(test::RelationBytes(spec));
    messages.push_back(test::InsertBytes(kRoot, {test::Text("1")}));
    messages.push_back(test::CommitBytes(end - 10, end, 0));
    for (const std::string& message : messages)
      ASSERT_TRUE(assembler_.OnMessage(Lsn(end - 50), message).ok());
  }
  void See(const std::string& name, uint64_t end, bool partitioned = true, bool kept = false,
           const char* schema = "public") {
    roots_.Saw({.tables = {{.relation = Oid{kRoot},
                            .schema = schema,
                            .table = name,
                            .partitioned = partitioned}},
                .coverage = {},
                .end = Lsn(end),
                .schemas_are_kept = kept});
  }
  std::string Check() { return ErrorReason(roots_.Check(assembler_)); }

  test::SimulatedTime time_;
  test::FakeTable catalog_;
  const names::TableFilter filter_{names::TableFilterOptions{}};
  DelayedSchemaResolver resolver_{
      {.catalog = &catalog_, .captured = &filter_, .clock = &time_, .delay = absl::ZeroDuration()}};
  test::RecordingHandler handler_;
  pgoutput::Assembler assembler_{resolver_, handler_, {}};
  StaleNames roots_;
};

TEST_F(StaleNamesTest, OldNameBehindTheLook) {
  Commit(1000);
  See("after", 1500);
  EXPECT_EQ(Check(), "") << "the stream may be in front of its other name";
  EXPECT_TRUE(roots_.waits());
  Commit(2000, false);
  EXPECT_EQ(Check(), "relation_renamed");
  EXPECT_FALSE(roots_.waits());
  EXPECT_EQ(Check(), "") << "once a look";
}

TEST_F(StaleNamesTest, WhatHasItsNameGoesOn) {
  Commit(1000);
  See("orders", 500);
  EXPECT_EQ(Check(), "");
  See("after", 500, false);
  EXPECT_EQ(Check(), "") << "tables without partitions are announced anew by the server";
}

TEST_F(StaleNamesTest, BeforePostgreSQL16SchemasCountForAll) {
  Commit(1000);
  See("after", 500, false, true);
  EXPECT_EQ(Check(), "") << "its own name is announced";
  See("after", 500, false, true, "green");
  EXPECT_EQ(Check(), "relation_renamed");
  See("after", 500, false, false, "green");
  EXPECT_EQ(Check(), "");
}

TEST_F(StaleNamesTest, OneThatHasNotComeIsAnnouncedByItsName) {
  See("after", 500);
  assembler_.AdvanceTo(Lsn(600));
  EXPECT_EQ(Check(), "");
  EXPECT_FALSE(roots_.waits());
}

}  // namespace
}  // namespace walduct::slot
