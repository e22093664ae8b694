// The real engine on one thread, in a world of dice: one instance or two, transactions that
// overlap, acknowledgements that are late and out of order, saves that fail, connections that
// break, kills and standstills between any two steps, failovers. A ledger knows what was promised.
//
//   WALDUCT_SEED=17 …/walduct_simulation_test     this seed alone, with its shrunk history
//   WALDUCT_SEEDS=100000 …                        so many, from WALDUCT_FIRST_SEED (1) on
//   WALDUCT_DEFECT=3 WALDUCT_SEED=17 …            with a planted defect
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "tests/simulation/history.h"

namespace walduct::simulation {
namespace {

constexpr uint64_t kSeeds = 1000;
constexpr uint64_t kSeedsForDefect = 1000;
constexpr size_t kMostBroken = 5;

uint64_t Setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  uint64_t value = otherwise;
  if (text != nullptr) CHECK(absl::SimpleAtoi(text, &value));
  return value;
}

class Simulation : public testing::Test {
 protected:
  // Every reconnect would be a line.
  Simulation() {
    // A seed alone may say what its log says.
    if (Setting("WALDUCT_LOG", 0) == 0) log::Configure(log::Level::kError, log::Format::kText);
  }
  ~Simulation() override { log::Configure(log::Level::kInfo, log::Format::kText); }
};

// What many seeds came to; any thread.
class Tally {
 public:
  void Add(uint64_t seed, const Outcome& outcome) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!outcome.broken.empty() && broken_.size() < kMostBroken) broken_.push_back(seed);
    if (outcome.failed_over) ++failovers;
    for (size_t fault = 0; fault < kFaults; ++fault) counts[fault] += outcome.counts[fault];
  }
  bool full() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return broken_.size() == kMostBroken;
  }
  std::vector<uint64_t> broken() const { return broken_; }

  size_t failovers = 0;
  std::array<size_t, kFaults> counts{};

 private:
  mutable std::mutex mutex_;
  std::vector<uint64_t> broken_;
};

void RunSeeds(uint64_t first, uint64_t last, Tally* tally) {
  std::atomic<uint64_t> next{first};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (uint64_t seed = next++; seed <= last && !tally->full(); seed = next++)
        tally->Add(seed, RunSeed(seed));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Simulation, KeepsEveryPromise) {
  if (const uint64_t seed = Setting("WALDUCT_SEED", 0); seed != 0) {
    const auto defect = static_cast<Defect>(Setting("WALDUCT_DEFECT", 0));
    const Outcome outcome = RunSeed(seed, defect);
    EXPECT_EQ(outcome.broken, "") << Shrink(seed, defect, outcome);
    std::cout << "  " << outcome.history << "\n";
    return;
  }
  const uint64_t first = Setting("WALDUCT_FIRST_SEED", 1);
  const uint64_t last = first + Setting("WALDUCT_SEEDS", kSeeds) - 1;
  Tally tally;
  RunSeeds(first, last, &tally);
  for (const uint64_t seed : tally.broken())
    ADD_FAILURE() << Shrink(seed, Defect::kNone, RunSeed(seed));
  if (last - first < 100) return;
  // Faults that never happen prove nothing.
  for (size_t fault = 0; fault < kFaults; ++fault) EXPECT_GT(tally.counts[fault], 10) << fault;
  EXPECT_GT(tally.failovers, (last - first) / 20);
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

INSTANTIATE_TEST_SUITE_P(All, PlantedDefect,
                         testing::Values(Defect::kDropWhenFull, Defect::kSkipFailedDelivery,
                                         Defect::kConfirmBeforeSave, Defect::kResumeByEventLsn,
                                         Defect::kAdvanceInFlight, Defect::kAdvanceInTransaction,
                                         Defect::kIgnoreTimeline, Defect::kForgetSnapshot,
                                         Defect::kZombieWrites, Defect::kNoSlotLock,
                                         Defect::kIgnoreMovedSlot),
                         [](const auto& of) { return absl::StrCat(static_cast<int>(of.param)); });

}  // namespace
}  // namespace walduct::simulation
