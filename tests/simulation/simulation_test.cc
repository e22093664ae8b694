// The real engine on one thread, in a world of dice: transactions that overlap, acknowledgements
// that are late and out of order, saves that fail, connections that break, kills between any two
// steps. A ledger knows what was promised.
//
//   WALDUCT_SEED=17 …/walduct_simulation_test     this seed alone, with its history
//   WALDUCT_SEEDS=100000 …                        so many, from the first on
#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "tests/simulation/process.h"

namespace walduct::simulation {
namespace {

constexpr uint64_t kSeeds = 400;
constexpr size_t kMostLives = 12;
// All faults are over: so long it may take until everything is delivered, stored and confirmed.
constexpr absl::Duration kRecovery = absl::Minutes(3);

struct Outcome {
  std::string broken;   // empty: every promise was kept
  std::string history;  // the last steps
  size_t crashes = 0;
};

Outcome RunSeed(uint64_t seed) {
  World world(seed);
  Outcome outcome;
  const size_t lives = world.random.Between(1, kMostLives);
  for (size_t life = 1; life <= lives && world.ledger.broken().empty(); ++life) {
    const bool last = life == lives;
    if (last) world.faults = Faults::None();
    world.crashed = false;
    Process process(&world);
    if (last) {
      process.EndWhenComplete(std::max(world.time.Monotonic(), world.database.end()) + kRecovery);
    } else {
      process.EndAfter(world.random.UpTo(absl::Minutes(1)));
    }
    process.Run();
    if (world.crashed) ++outcome.crashes;
    world.time.Advance(world.random.UpTo(absl::Seconds(5)));
  }
  if (!world.ledger.complete()) world.ledger.Break("not everything was delivered and confirmed");
  world.ledger.CheckTopics();
  outcome.broken = world.ledger.broken();
  outcome.history = absl::StrJoin(world.history, "\n  ");
  return outcome;
}

uint64_t Setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  uint64_t value = otherwise;
  if (text != nullptr) CHECK(absl::SimpleAtoi(text, &value));
  return value;
}

class Simulation : public testing::Test {
 protected:
  // Every reconnect would be a line.
  Simulation() { log::Configure(log::Level::kError, log::Format::kText); }
  ~Simulation() override { log::Configure(log::Level::kInfo, log::Format::kText); }
};

TEST_F(Simulation, KeepsEveryPromise) {
  const uint64_t only = Setting("WALDUCT_SEED", 0);
  const uint64_t first = only != 0 ? only : 1;
  const uint64_t last = only != 0 ? only : Setting("WALDUCT_SEEDS", kSeeds);
  size_t crashes = 0;
  for (uint64_t seed = first; seed <= last; ++seed) {
    const Outcome outcome = RunSeed(seed);
    crashes += outcome.crashes;
    ASSERT_EQ(outcome.broken, "") << "replay: WALDUCT_SEED=" << seed << "\n  " << outcome.history;
  }
  if (only != 0) return;
  EXPECT_GT(crashes, (last - first) / 4) << "faults that never happen prove nothing";
}

TEST_F(Simulation, IsTheSameForTheSameSeed) {
  const Outcome once = RunSeed(5), again = RunSeed(5);
  EXPECT_EQ(once.history, again.history);
  EXPECT_NE(once.history, RunSeed(6).history);
}

}  // namespace
}  // namespace walduct::simulation
