#include "slot/attempts/start_stall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/slot/duties_fixture.h"

namespace walduct::slot {
namespace {

using testing::HasSubstr;

class StartStallTest : public DutiesFixture {
 protected:
  StartStall::Parts Parts(absl::Duration patience) {
    return {.patience = patience, .clock = &time_, .board = &board_, .metrics = &metrics_};
  }
  void Pass(StartStall& stall, int seconds, const std::string& lock) {
    for (int i = 0; i < seconds; ++i) {
      stall.Look(lock);
      time_.Advance(absl::Seconds(1));
    }
    stall.Look(lock);
  }
  std::optional<engine::Stall> stall() { return board_.Read().stall; }
};

constexpr char kLock[] = "a lock on table public.t, held up by pid 12";

TEST_F(StartStallTest, ALockThatLastsIsShownUntilItIsGone) {
  StartStall start(Parts(absl::Seconds(10)));
  const absl::Time since = time_.Now();
  Pass(start, 9, kLock);
  EXPECT_FALSE(stall());
  Pass(start, 2, kLock);
  ASSERT_TRUE(stall());
  EXPECT_EQ(stall()->cause, kLock);
  EXPECT_EQ(stall()->since, since);
  EXPECT_EQ(stall()->kind, "database");
  EXPECT_THAT(stall()->hint, HasSubstr("pg_terminate_backend(12)"));
  EXPECT_EQ(metrics_.stalled.value(), 1u);
  Pass(start, 1, "a lock on table public.t, held up by pid 13");
  EXPECT_THAT(stall()->hint, HasSubstr("pg_terminate_backend(13)"));
  EXPECT_EQ(stall()->since, since);
  Pass(start, 1, "");
  EXPECT_FALSE(stall());
  EXPECT_EQ(metrics_.stalled.value(), 0u);
  EXPECT_EQ(metrics_.stalls.value(), 1u);
  Pass(start, 9, kLock);
  EXPECT_FALSE(stall()) << "it begins anew";
}

TEST_F(StartStallTest, WhatItHasShownEndsWithIt) {
  {
    StartStall start(Parts(absl::Seconds(2)));
    Pass(start, 3, kLock);
    ASSERT_TRUE(stall());
  }
  EXPECT_FALSE(stall());
  EXPECT_EQ(metrics_.stalled.value(), 0u);
}

TEST_F(StartStallTest, WithoutPatienceNoStallIsShown) {
  StartStall start(Parts(absl::ZeroDuration()));
  Pass(start, 100, kLock);
  EXPECT_FALSE(stall());
  EXPECT_EQ(board_.Read().wait_on, kLock);
}

TEST_F(StartStallTest, WhoHoldsItUpIsShownAtOnce) {
  {
    StartStall start(Parts(absl::Seconds(10)));
    board_.WaitsFor(engine::WaitReason::kTransactions);
    start.Look("");
    board_.WaitsOn("pid 7 (database shop)");
    start.Look("");
    EXPECT_EQ(board_.Read().wait_on, "pid 7 (database shop)") << "no look has seen it yet";
    start.Look(kLock);
    EXPECT_EQ(board_.Read().wait_on, kLock);
    EXPECT_THAT(board_.Read().wait_hint, HasSubstr("pg_terminate_backend(12)"));
    EXPECT_FALSE(stall());
    start.Look("");
    EXPECT_EQ(board_.Read().wait_on, "");
    start.Look(kLock);
  }
  EXPECT_EQ(board_.Read().wait_on, "") << "the start is over";
}

TEST_F(StartStallTest, ALookAtTheWaitBeforeSaysNothing) {
  StartStall start(Parts(absl::Seconds(10)));
  const absl::Duration looked = time_.Monotonic();
  board_.WaitsFor(engine::WaitReason::kDatabase);
  start.Look(kLock, looked);
  EXPECT_EQ(board_.Read().wait_on, kLock);
  time_.Advance(absl::Seconds(1));
  board_.WaitsFor(engine::WaitReason::kTransactions);
  board_.WaitsOn("pid 7 (database shop)");
  start.Look(kLock, looked);
  EXPECT_EQ(board_.Read().wait_on, "pid 7 (database shop)");
}

}  // namespace
}  // namespace walduct::slot
