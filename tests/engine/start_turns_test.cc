#include "engine/lifecycle/start_turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "engine/control/status_board.h"
#include "engine/lifecycle/host.h"
#include "tests/support/clock_ahead.h"

namespace walduct::engine {
namespace {

using Turns = std::vector<std::unique_ptr<StartTurns::Turn>>;

class StartTurnsTest : public testing::Test {
 protected:
  Turns TakeAll() {
    Turns taken;
    for (size_t i = 0; i < StartTurns::kAtOnce; ++i) {
      taken.push_back(turns_.Take());
      EXPECT_NE(taken.back(), nullptr);
    }
    return taken;
  }
  bool IsFull() { return turns_.Take() == nullptr; }

  test::ClockAhead clock_;
  StartTurns turns_{clock_};
};

TEST_F(StartTurnsTest, SoManyAtOnceAndNoMore) {
  Turns taken = TakeAll();
  EXPECT_TRUE(IsFull());
  taken.pop_back();
  EXPECT_FALSE(IsFull());
}

TEST_F(StartTurnsTest, WhoWaitsForSomethingElseIsNotCounted) {
  Turns taken = TakeAll();
  clock_.ahead = StartTurns::kLongest + absl::Milliseconds(1);
  Turns more = TakeAll();
  EXPECT_TRUE(IsFull());
  taken.clear();
  EXPECT_TRUE(IsFull()) << "those were not counted any more";
  more.clear();
  EXPECT_FALSE(IsFull());
}

class HostOfTurns final : public Host {
 public:
  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return 0; }
  StartTurns* start_turns() override { return &turns_; }
  std::unique_ptr<Attempts> MakeAttempts(const AttemptParts&) override { return nullptr; }
  std::unique_ptr<Monitor> MakeMonitor() override { return nullptr; }

 private:
  const Environment environment_ = Environment::Real();
  StartTurns turns_{Clock::Real()};
};

TEST_F(StartTurnsTest, ManyMoreThanThereIsRoomForAllStart) {
  constexpr int kMany = 100;
  HostOfTurns host;
  std::atomic<size_t> under_way{0}, most{0}, ended{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kMany; ++i) {
    threads.emplace_back([&] {
      StatusBoard board("c", Clock::Real(), nullptr);
      const auto turn = AwaitTurn(host, board, [] { return false; });
      EXPECT_NE(turn, nullptr);
      EXPECT_EQ(board.Read().wait, WaitReason::kNothing);
      const size_t now = ++under_way;
      size_t before = most;
      while (now > before && !most.compare_exchange_weak(before, now)) {
      }
      absl::SleepFor(absl::Milliseconds(1));
      --under_way;
      ++ended;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, kMany);
  EXPECT_LE(most, StartTurns::kAtOnce);
}

TEST_F(StartTurnsTest, WhoWaitsIsShownAndIsToldToStop) {
  HostOfTurns host;
  Turns taken;
  while (auto turn = host.start_turns()->Take()) taken.push_back(std::move(turn));
  StatusBoard board("c", Clock::Real(), nullptr);
  WaitReason shown{};
  const auto stops = [&, asked = 0]() mutable {
    if (++asked > 1) shown = board.Read().wait;
    return asked > 1;
  };
  EXPECT_EQ(AwaitTurn(host, board, stops), nullptr);
  EXPECT_EQ(shown, WaitReason::kTurn);
}

}  // namespace
}  // namespace walduct::engine
