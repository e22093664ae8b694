#include "engine/settled_catalog.h"

#include <gtest/gtest.h>

#include "tests/support/pgoutput_fakes.h"

namespace walduct::engine {
namespace {

class SettledCatalogTest : public ::testing::Test {
 protected:
  SettledCatalogTest() {
    mailbox_.Post(Command::kStart);
    control_.Take();
  }

  // How long describing a relation took that was committed so long ago.
  absl::Duration TimeFor(absl::Duration age) {
    relation_.commit_time_us = absl::ToUnixMicros(Clock::Real().Now() - age);
    const absl::Duration begin = Clock::Real().Monotonic();
    EXPECT_TRUE(catalog_.Resolve(relation_).ok());
    return Clock::Real().Monotonic() - begin;
  }

  event::RelationDescription relation_;
  test::FakeResolver resolver_;
  Mailbox mailbox_;
  StatusBoard board_{"orders", Clock::Real()};
  Control control_{mailbox_, board_};
  SettledCatalog catalog_{{.catalog = &resolver_,
                           .clock = &Clock::Real(),
                           .poller = &Poller::Real(),
                           .control = &control_,
                           .delay = absl::Milliseconds(300)}};
};

TEST_F(SettledCatalogTest, WaitsUntilTheCommitIsOldEnough) {
  EXPECT_GE(TimeFor(absl::Milliseconds(100)), absl::Milliseconds(150));
  EXPECT_EQ(resolver_.described.size(), 1u);
}

TEST_F(SettledCatalogTest, OnlyNewsAreWaitedFor) {
  TimeFor(absl::Milliseconds(100));
  EXPECT_LT(TimeFor(absl::ZeroDuration()), absl::Milliseconds(150)) << "as it was before";
  relation_.columns.push_back({.name = "added"});
  EXPECT_GE(TimeFor(absl::Milliseconds(100)), absl::Milliseconds(150));
  EXPECT_EQ(resolver_.described.size(), 3u);
}

TEST_F(SettledCatalogTest, ABacklogIsNotHeldUp) {
  EXPECT_LT(TimeFor(absl::Seconds(1)), absl::Milliseconds(150));
}

TEST_F(SettledCatalogTest, AClockThatDiffersCostsAtMostTheDelay) {
  EXPECT_LT(TimeFor(-absl::Hours(1)), absl::Seconds(5));
}

TEST_F(SettledCatalogTest, AStopIsNotHeldUp) {
  mailbox_.Post(Command::kStop);
  control_.Take();
  EXPECT_LT(TimeFor(absl::ZeroDuration()), absl::Milliseconds(150));
}

}  // namespace
}  // namespace walduct::engine
