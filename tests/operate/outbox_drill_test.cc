// What a drill takes for arrived, and what for a fault.
#include "operate/outbox/outbox_drill.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::operate {
namespace {

using testing::HasSubstr;

DemoRecord Event(int number) {
  return {.topic = "drill.events",
          .key = absl::StrCat(number % kDrillKeys),
          .value = absl::StrCat("{\"n\": ", number, "}")};
}

TEST(DrillTally, TakesEachEventOnceAndInTheOrderOfItsKey) {
  DrillTally tally;
  // Other keys pass the one that waits.
  for (int number = 1; number <= kDrillEvents; ++number) {
    if (number % kDrillKeys == kDrillBad % kDrillKeys && number >= kDrillBad) continue;
    ASSERT_TRUE(tally.Add(Event(number)).ok()) << number;
  }
  EXPECT_EQ(tally.come(), 95);
  EXPECT_EQ(tally.of_bad_key(), 5);
  for (int number = kDrillBad; number <= kDrillEvents; number += kDrillKeys)
    ASSERT_TRUE(tally.Add(Event(number)).ok()) << number;
  EXPECT_EQ(tally.come(), kDrillEvents);
  EXPECT_EQ(tally.of_bad_key(), 10);
}

TEST(DrillTally, TellsWhatIsWrong) {
  const auto after = [](int first, const DemoRecord& second) {
    DrillTally tally;
    EXPECT_TRUE(tally.Add(Event(first)).ok());
    const absl::Status added = tally.Add(second);
    EXPECT_EQ(ErrorReason(added), "drill_failed");
    return std::string(added.message());
  };
  EXPECT_THAT(after(5, Event(5)), HasSubstr("twice"));
  EXPECT_THAT(after(5, Event(25)), HasSubstr("out of order"));
  EXPECT_THAT(after(1, Event(kDrillEvents + 1)), HasSubstr("rolled back"));
  DemoRecord other = Event(2);
  other.key = "3";
  EXPECT_THAT(after(1, other), HasSubstr("with the key 3"));
  other.key = std::nullopt;
  EXPECT_THAT(after(1, other), HasSubstr("is no event of it"));
  DemoRecord text = Event(2);
  text.value = "n";
  EXPECT_THAT(after(1, text), HasSubstr("is no event of it"));
}

}  // namespace
}  // namespace walduct::operate
