// A group that shares its connectors, under faults in simulated time. WALDUCT_GROUP_SEEDS=10000
// tries that many worlds, from WALDUCT_GROUP_SEED on.
#include "tests/serve/group_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "absl/strings/numbers.h"
#include "base/log.h"

namespace walduct::test {
namespace {

constexpr absl::Duration kFaults = absl::Minutes(2), kQuiet = absl::Seconds(80);

uint64_t Number(const char* variable, uint64_t other) {
  const char* const asked = std::getenv(variable);
  uint64_t number = 0;
  return asked != nullptr && absl::SimpleAtoi(asked, &number) ? number : other;
}

uint64_t Seeds() { return Number("WALDUCT_GROUP_SEEDS", 8); }
uint64_t FirstSeed() { return Number("WALDUCT_GROUP_SEED", 1); }

class GroupModelTest : public testing::Test {
 protected:
  GroupModelTest() { log::SetLevel("serve", log::Level::kError); }
  ~GroupModelTest() override { log::SetLevel("serve", log::Level::kInfo); }

  struct Seen {
    int worlds = 0;  // with a connector of two readers
    absl::Duration longest = {};
    // Of requests: worlds in which one or more were handled so.
    int two_leaders = 0, undone = 0, lost = 0;
  };
  static Seen See(Defect defect) {
    Seen seen;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      GroupModel model(seed, defect);
      model.Run(kFaults, absl::ZeroDuration());
      seen.worlds += model.conflicts() > 0 ? 1 : 0;
      seen.longest = std::max(seen.longest, model.longest());
      seen.two_leaders += model.requests().two_leaders > 0 ? 1 : 0;
      seen.undone += model.requests().undone > 0 ? 1 : 0;
      seen.lost += model.requests().lost > 0 ? 1 : 0;
    }
    return seen;
  }
};

// A leader may write a plan by what it saw half a second ago, and a worker that stood still may be
// back by then: for a moment both want the connector, and the slot says which of them has it.
TEST_F(GroupModelTest, NoConnectorHasTwoReadersForLongAndEachHasOneInTheEnd) {
  uint64_t worlds = 0;
  int done = 0, overtaken = 0, of_one_plan = 0;
  absl::Duration longest = {};
  for (uint64_t seed = FirstSeed(); seed < FirstSeed() + Seeds(); ++seed) {
    GroupModel model(seed, Defect::kNone);
    model.Run(kFaults, kQuiet);
    worlds += model.conflicts() > 0 ? 1 : 0;
    ASSERT_LE(model.longest(), absl::Seconds(2)) << "seed " << seed;
    ASSERT_EQ(model.Unsettled(), "") << "seed " << seed;
    const GroupRequests::Seen& requests = model.requests();
    ASSERT_EQ(requests.two_leaders, 0) << "seed " << seed;
    ASSERT_EQ(requests.undone, 0) << "seed " << seed;
    ASSERT_EQ(requests.lost, 0) << "seed " << seed;
    of_one_plan += model.of_one_plan();
    done += requests.done;
    overtaken += requests.overtaken;
    longest = std::max(longest, model.longest());
  }
  EXPECT_LE(worlds, 1 + Seeds() / 50);
  EXPECT_GE(done, 50 * static_cast<int>(Seeds()));
  std::cout << Seeds() << " worlds, two readers in " << worlds << " of them, for "
            << absl::FormatDuration(longest) << " at the longest, " << of_one_plan
            << " times by one plan; " << done << " changes answered, " << overtaken
            << " undone by a late write\n";
}

TEST_F(GroupModelTest, FindsAnEndThatIsToldTooEarly) {
  EXPECT_GE(See(Defect::kSaysEndedBeforeItHas).worlds, 5);
}

TEST_F(GroupModelTest, FindsAWorkerThatStaysAfterItsLease) {
  EXPECT_GE(See(Defect::kStaysAfterTheLease).longest, absl::Seconds(5));
}

TEST_F(GroupModelTest, FindsAConfigurationThatTwoLeadersWrite) {
  const Seen seen = See(Defect::kWritesOnceItHasLed);
  EXPECT_GE(seen.two_leaders, 2);
  EXPECT_GE(seen.undone, 1);
}

TEST_F(GroupModelTest, FindsALeaderThatHasNotReadWhatWasWritten) {
  EXPECT_GE(See(Defect::kWritesWithoutReading).undone, 3);
}

TEST_F(GroupModelTest, FindsARequestThatWasLostOnItsWayToTheLeader) {
  EXPECT_GE(See(Defect::kTakesNoAnswerForAnAnswer).lost, 5);
}

}  // namespace
}  // namespace walduct::test
