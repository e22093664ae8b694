// A group that shares its connectors, under faults in simulated time. WALDUCT_GROUP_SEEDS=10000
// tries that many worlds.
#include "tests/serve/group_model.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "base/log.h"

namespace walduct::test {
namespace {

constexpr absl::Duration kFaults = absl::Minutes(2), kQuiet = absl::Seconds(80);

uint64_t Seeds() {
  const char* const asked = std::getenv("WALDUCT_GROUP_SEEDS");
  uint64_t seeds = 0;
  return asked != nullptr && absl::SimpleAtoi(asked, &seeds) ? seeds : 8;
}

class GroupModelTest : public testing::Test {
 protected:
  GroupModelTest() { log::SetLevel("serve", log::Level::kError); }
  ~GroupModelTest() override { log::SetLevel("serve", log::Level::kInfo); }

  struct Seen {
    int worlds = 0;  // with a connector of two readers
    absl::Duration longest = {};
  };
  static Seen See(Defect defect) {
    Seen seen;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      GroupModel model(seed, defect);
      model.Run(kFaults, absl::ZeroDuration());
      seen.worlds += model.conflicts() > 0 ? 1 : 0;
      seen.longest = std::max(seen.longest, model.longest());
    }
    return seen;
  }
};

// A leader may write a plan by what it saw half a second ago, and a worker that stood still may be
// back by then: for a moment both want the connector, and the slot says which of them has it.
TEST_F(GroupModelTest, NoConnectorHasTwoReadersForLongAndEachHasOneInTheEnd) {
  uint64_t worlds = 0;
  for (uint64_t seed = 1; seed <= Seeds(); ++seed) {
    GroupModel model(seed, Defect::kNone);
    model.Run(kFaults, kQuiet);
    worlds += model.conflicts() > 0 ? 1 : 0;
    ASSERT_LE(model.longest(), absl::Seconds(2)) << "seed " << seed;
    ASSERT_EQ(model.Unsettled(), "") << "seed " << seed;
  }
  EXPECT_LE(worlds, 1 + Seeds() / 50);
}

TEST_F(GroupModelTest, FindsAnEndThatIsToldTooEarly) {
  EXPECT_GE(See(Defect::kSaysEndedBeforeItHas).worlds, 5);
}

TEST_F(GroupModelTest, FindsAWorkerThatStaysAfterItsLease) {
  EXPECT_GE(See(Defect::kStaysAfterTheLease).longest, absl::Seconds(5));
}

}  // namespace
}  // namespace walduct::test
