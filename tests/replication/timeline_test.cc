#include "replication/timeline.h"

#include <gtest/gtest.h>

namespace walduct::replication {
namespace {

TEST(TimelineHistory, IsReadAsTheServerWritesIt) {
  const auto history = ParseTimelineHistory(
      "# a comment\n1\t0/3000000\tno recovery target specified\n\n2\t16/B374D848\tbefore "
      "2026-01-01 00:00:00+00\n");
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->size(), 2u);
  EXPECT_EQ(EndOfTimeline(*history, 1), Lsn(0x3000000));
  EXPECT_EQ(EndOfTimeline(*history, 2)->ToString(), "16/B374D848");
  EXPECT_EQ(EndOfTimeline(*history, 3), std::nullopt);
}

TEST(TimelineHistory, WhatIsNotOneIsRefused) {
  EXPECT_FALSE(ParseTimelineHistory("1").ok());
  EXPECT_FALSE(ParseTimelineHistory("x 0/1").ok());
  EXPECT_FALSE(ParseTimelineHistory("1 here").ok());
  EXPECT_TRUE(ParseTimelineHistory("")->empty());
}

}  // namespace
}  // namespace walduct::replication
