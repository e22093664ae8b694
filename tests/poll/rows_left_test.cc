#include "poll/session/rows_left.h"

#include <gtest/gtest.h>

namespace walduct::poll {
namespace {

// Whoever is paused or stopped then has nothing that waits, and gets no older.
TEST(RowsLeft, WhatALookHasFoundIsDone) {
  EXPECT_FALSE(LeavesRows({.found = 0, .published = 0, .whole = true, .acknowledged = false}));
  EXPECT_FALSE(LeavesRows({.found = 7, .published = 7, .whole = true, .acknowledged = true}));
}

TEST(RowsLeft, MoreMayWait) {
  EXPECT_TRUE(LeavesRows({.found = 7, .published = 7, .whole = false, .acknowledged = true}))
      << "the claim was full";
  EXPECT_TRUE(LeavesRows({.found = 7, .published = 6, .whole = true, .acknowledged = true}))
      << "one is locked, or cannot be published";
  EXPECT_TRUE(LeavesRows({.found = 7, .published = 7, .whole = true, .acknowledged = false}))
      << "the sink was not waited for";
}

}  // namespace
}  // namespace walduct::poll
