// The real engine on one thread, in a world of dice: one instance or two, transactions that
// overlap, acknowledgements that are late and out of order, saves that fail, connections that
// break, kills and standstills between any two steps, failovers. A ledger knows what was promised.
//
// A few seeds; scripts/test simulation runs many, or one (tests/simulation/main.cc).
#include <gtest/gtest.h>

#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "tests/simulation/campaign.h"

namespace walduct::simulation {
namespace {

constexpr uint64_t kSeeds = 300;
constexpr uint64_t kSeedsForDefect = 1000;

class Simulation : public testing::Test {
 protected:
  // Every reconnect would be a line.
  Simulation() { log::Configure(log::Level::kError, log::Format::kText); }
  ~Simulation() override { log::Configure(log::Level::kInfo, log::Format::kText); }
};

TEST_F(Simulation, KeepsEveryPromise) {
  const Tally tally = RunCampaign({.seeds = kSeeds, .threads = 2});
  for (const uint64_t seed : tally.broken)
    ADD_FAILURE() << Shrink(seed, Defect::kNone, RunSeed(seed));
  // Faults that never happen prove nothing.
  for (size_t fault = 0; fault < kFaults; ++fault)
    EXPECT_GT(tally.counts[fault], 10) << FaultName(fault);
  EXPECT_GT(tally.failovers, kSeeds / 20);
}

// 81704: two instances find nothing stored, and the first is halted while it stores.
// 6105: a chunk shows no row because the commit that was streamed is not visible yet.
TEST_F(Simulation, KeepsThePromisesThatOnceBroke) {
  for (const uint64_t seed : {uint64_t{81704}, uint64_t{6105}})
    EXPECT_EQ(RunSeed(seed).broken, "") << seed;
}

TEST_F(Simulation, IsTheSameForTheSameSeed) {
  const Outcome once = RunSeed(5), again = RunSeed(5);
  EXPECT_EQ(once.history, again.history);
  EXPECT_NE(once.history, RunSeed(6).history);
}

class PlantedDefect : public Simulation, public testing::WithParamInterface<Defect> {};

TEST_P(PlantedDefect, IsFound) {
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

INSTANTIATE_TEST_SUITE_P(
    All, PlantedDefect,
    testing::Values(Defect::kDropWhenFull, Defect::kSkipFailedDelivery, Defect::kConfirmBeforeSave,
                    Defect::kResumeByEventLsn, Defect::kAdvanceInFlight,
                    Defect::kAdvanceInTransaction, Defect::kIgnoreTimeline, Defect::kForgetSnapshot,
                    Defect::kZombieWrites, Defect::kNoSlotLock, Defect::kIgnoreMovedSlot,
                    Defect::kNoFence, Defect::kReadUncommitted, Defect::kPositionFirst,
                    Defect::kPositionLater, Defect::kLoadBeforeFence, Defect::kForgetHeld,
                    Defect::kBlindView, Defect::kChunkBeforeWindow, Defect::kForgetAsked,
                    Defect::kSeenTooEarly, Defect::kStandbyBehind, Defect::kNeedsTooEarly),
    [](const auto& of) { return absl::StrCat(static_cast<int>(of.param)); });

}  // namespace
}  // namespace walduct::simulation
