#include "incremental/chunks/held_commits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::incremental {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration kStart = absl::Seconds(100);
constexpr absl::Duration kMoment = HeldCommits::kMoment;

// It may have been streamed just now.
TEST(HeldCommitsTest, ATransactionThatIsMerelyOpenIsWaitedForAMoment) {
  HeldCommits held;
  held.Take({{.xid = 7, .waits = false}}, kStart);
  EXPECT_THAT(held.held().xids, ElementsAre(7));
  EXPECT_FALSE(held.held().unknown);
  held.Take({{.xid = 7, .waits = false}}, kStart + kMoment);
  EXPECT_THAT(held.held().xids, IsEmpty());
  EXPECT_TRUE(held.settled());
}

TEST(HeldCommitsTest, OneThatWaitsForAStandbyIsWaitedForToItsEnd) {
  HeldCommits held;
  held.Take({{.xid = 7, .waits = true}}, kStart);
  held.Take({{.xid = 7, .waits = true}}, kStart + 100 * kMoment);
  EXPECT_THAT(held.held().xids, ElementsAre(7));
  // The standby is back: it ends.
  held.Take({{.xid = 7, .waits = false}}, kStart + 100.5 * kMoment);
  EXPECT_THAT(held.held().xids, ElementsAre(7));
  held.Take({}, kStart + 102 * kMoment);
  EXPECT_TRUE(held.settled());
}

TEST(HeldCommitsTest, WhatIsNotKnownWaitsWhereThereAreSynchronousStandbys) {
  HeldCommits held;
  held.Take({{.xid = 7}, {.xid = 8, .waits = {}, .has_standby = false}}, kStart);
  EXPECT_THAT(held.held().xids, ElementsAre(7, 8));
  held.Take({{.xid = 7}, {.xid = 8, .waits = {}, .has_standby = false}}, kStart + kMoment);
  EXPECT_THAT(held.held().xids, ElementsAre(7));
  EXPECT_TRUE(held.held().unknown);
}

// The session itself has seen what became of them.
TEST(HeldCommitsTest, ThoseThatBeginLaterAreNotAmongThem) {
  HeldCommits held;
  EXPECT_FALSE(held.settled());
  held.Take({{.xid = 7, .waits = true}}, kStart);
  held.Take({{.xid = 7, .waits = true}, {.xid = 9, .waits = true}}, kStart + kMoment);
  EXPECT_THAT(held.held().xids, ElementsAre(7));
  held.Take({{.xid = 9, .waits = true}}, kStart + kMoment);
  EXPECT_TRUE(held.settled());
}

TEST(HeldCommitsTest, AViewLacksThoseThatItHides) {
  TransactionView view;
  view.next_xid = 10;
  view.running = {5};
  view.held.xids = {4};
  EXPECT_EQ(view.HiddenHeld(), 0u);
  view.held.xids = {4, 5};
  EXPECT_EQ(view.HiddenHeld(), 5u);
  view.held.xids = {4, 10};
  EXPECT_EQ(view.HiddenHeld(), 10u);
}

}  // namespace
}  // namespace walduct::incremental
