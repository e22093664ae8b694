// The real source of polled outbox tables on one thread, in a world of dice: workers that share the
// keys out and stand by, transactions that take numbers and ids in another order than they commit,
// rows that are refused, locked and parked, kills and standstills between any two steps, sessions
// that end, restarts that lose what was not flushed. A ledger knows what was promised.
//
// A few seeds; scripts/test simulation runs many, or one (tests/simulation/main.cc).
#include <gtest/gtest.h>

#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "tests/simulation/poll/history.h"

namespace walduct::poll_simulation {
namespace {

constexpr uint64_t kSeeds = 300;
constexpr uint64_t kSeedsForDefect = 300;

class PollSimulation : public testing::Test {
 protected:
  // Every reconnect would be a line.
  PollSimulation() { log::Configure(log::Level::kError, log::Format::kText); }
  ~PollSimulation() override { log::Configure(log::Level::kInfo, log::Format::kText); }
};

TEST_F(PollSimulation, KeepsEveryPromise) {
  const Tally tally = RunSeeds(1, kSeeds, Defect::kNone, 2, 5);
  for (const uint64_t seed : tally.broken)
    ADD_FAILURE() << Shrink(seed, Defect::kNone, RunSeed(seed));
  // Faults that never happen prove nothing.
  for (size_t fault = 0; fault < kFaults; ++fault)
    EXPECT_GT(tally.counts[fault], 10) << FaultName(fault);
  EXPECT_GT(tally.repeats, kSeeds / 10);
  EXPECT_GT(tally.parked, kSeeds / 10);
}

// 603: the session ends while the attempt of a row that was refused is noted.
// 613: behind it a row is acknowledged before its predecessor, and marked alone.
TEST_F(PollSimulation, KeepsThePromisesThatOnceBroke) {
  for (const uint64_t seed : {uint64_t{603}, uint64_t{613}})
    EXPECT_EQ(RunSeed(seed).broken, "") << seed;
}

TEST_F(PollSimulation, IsTheSameForTheSameSeed) {
  const Outcome once = RunSeed(5, Defect::kNone, {}, 1000);
  EXPECT_EQ(once.history, RunSeed(5, Defect::kNone, {}, 1000).history);
  EXPECT_NE(once.history, RunSeed(6, Defect::kNone, {}, 1000).history);
}

class PlantedPollDefect : public PollSimulation, public testing::WithParamInterface<Defect> {};

TEST_P(PlantedPollDefect, IsFound) {
  const Defect defect = GetParam();
  for (uint64_t seed = 1; seed <= kSeedsForDefect; ++seed) {
    const Outcome outcome = RunSeed(seed, defect);
    if (outcome.broken.empty()) continue;
    // The seed is not one that breaks by itself.
    ASSERT_EQ(RunSeed(seed).broken, "");
    std::cout << DefectName(defect) << ": found by seed " << seed << ": " << outcome.broken << "\n";
    return;
  }
  FAIL() << DefectName(defect) << " was not found";
}

INSTANTIATE_TEST_SUITE_P(All, PlantedPollDefect,
                         testing::Values(Defect::kMarkEarly, Defect::kSkipLocked,
                                         Defect::kForgetParked, Defect::kCoverRunning,
                                         Defect::kBehindXmin, Defect::kCoverUnflushed,
                                         Defect::kTwoOwners, Defect::kClaimTwice,
                                         Defect::kReadOnBehind, Defect::kLoseMark,
                                         Defect::kForgetWriters, Defect::kMarkBetween),
                         [](const auto& of) { return absl::StrCat(static_cast<int>(of.param)); });

}  // namespace
}  // namespace walduct::poll_simulation
