#include "slot/phases/delayed_schema_resolver.h"

#include <gtest/gtest.h>

#include "names/table_filter.h"
#include "tests/support/pgoutput_fakes.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kDelay = absl::Milliseconds(500);

class DelayedSchemaResolverTest : public ::testing::Test {
 protected:
  DelayedSchemaResolverTest() {
    relation_.schema = "public";
    relation_.table = "orders";
  }

  // How long describing a relation took that was committed so long ago.
  absl::Duration TimeFor(absl::Duration age) {
    relation_.commit_time_us = absl::ToUnixMicros(time_.Now() - age);
    const absl::Duration begin = time_.Monotonic();
    EXPECT_TRUE(resolver_.Ask(relation_).ok());
    for (int i = 0; i < 100; ++i) {
      const auto schema = resolver_.Poll();
      EXPECT_TRUE(schema.ok());
      if (*schema != nullptr) return time_.Monotonic() - begin;
      time_.WaitReadable({resolver_.ready_fd()}, resolver_.UntilDue());
    }
    ADD_FAILURE() << "no answer";
    return absl::InfiniteDuration();
  }

  test::SimulatedTime time_;
  event::RelationDescription relation_;
  test::FakeResolver catalog_;
  names::TableFilter captured_{names::TableFilterOptions()};
  DelayedSchemaResolver resolver_{
      {.catalog = &catalog_, .captured = &captured_, .clock = &time_, .delay = kDelay}};
};

TEST_F(DelayedSchemaResolverTest, WaitsUntilTheCommitIsOldEnough) {
  EXPECT_EQ(TimeFor(absl::Milliseconds(100)), absl::Milliseconds(400));
  EXPECT_EQ(catalog_.described.size(), 1u);
}

TEST_F(DelayedSchemaResolverTest, OnlyNewsAreWaitedFor) {
  TimeFor(absl::Milliseconds(100));
  EXPECT_EQ(TimeFor(absl::ZeroDuration()), absl::ZeroDuration()) << "as it was before";
  relation_.columns.push_back({.name = "added"});
  EXPECT_EQ(TimeFor(absl::Milliseconds(100)), absl::Milliseconds(400));
  EXPECT_EQ(catalog_.described.size(), 3u);
}

TEST_F(DelayedSchemaResolverTest, ABacklogIsNotHeldUp) {
  EXPECT_EQ(TimeFor(absl::Seconds(1)), absl::ZeroDuration());
}

TEST_F(DelayedSchemaResolverTest, AClockThatDiffersCostsAtMostTheDelay) {
  EXPECT_EQ(TimeFor(-absl::Hours(1)), kDelay);
}

TEST_F(DelayedSchemaResolverTest, TheCatalogIsNotAskedBeforeItsTime) {
  relation_.commit_time_us = absl::ToUnixMicros(time_.Now());
  ASSERT_TRUE(resolver_.Ask(relation_).ok());
  EXPECT_EQ(*resolver_.Poll(), nullptr);
  EXPECT_TRUE(catalog_.described.empty());
  EXPECT_EQ(resolver_.UntilDue(), kDelay);
  EXPECT_EQ(resolver_.ready_fd(), -1);
}

TEST_F(DelayedSchemaResolverTest, TablesThatAreNotCapturedAreNotAskedAbout) {
  relation_.schema = "pg_catalog";
  relation_.columns.push_back({.name = "a", .type = Oid{25}});
  EXPECT_EQ(TimeFor(absl::ZeroDuration()), absl::ZeroDuration());
  EXPECT_TRUE(catalog_.described.empty());
  ASSERT_TRUE(resolver_.Ask(relation_).ok());
  const auto schema = *resolver_.Poll();
  ASSERT_EQ(schema->columns.size(), 1u);
  EXPECT_EQ(schema->columns[0].name, "a");
  EXPECT_EQ(schema->columns[0].type->oid, Oid{25});
}

}  // namespace
}  // namespace walduct::slot
