#include "recover/run/settling.h"

#include <gtest/gtest.h>

namespace walduct::recover {
namespace {

constexpr absl::Duration kBegun = absl::Seconds(1000);

// It waits at a cut at 200, over which the slot has come when it has confirmed more than 100.
GateNotes WaitsFor(const char* what, bool ddl) {
  GateNotes notes;
  notes.waits_for = what;
  notes.cut = Cut{Lsn(100), Lsn(200), std::nullopt, std::nullopt, ddl};
  return notes;
}

HowFar Confirmed(uint64_t lsn) {
  HowFar how_far;
  how_far.confirmed = Lsn(lsn);
  return how_far;
}

TEST(SettlingTest, ASlotThatStandsBeforeACommitThatChangesTables) {
  Settling settling;
  const GateNotes notes = WaitsFor("confirmed", true);
  const absl::Duration almost = kSlotPatience - absl::Milliseconds(1);
  absl::Duration now = kBegun;
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(50), 7, now));
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(50), 7, now += almost));
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(60), 7, now));  // it moves
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(60), 7, now += almost));
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(60), 8, now));  // a large transaction
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(60), 8, now += almost));
  EXPECT_TRUE(settling.LetsGo(notes, Confirmed(60), 8, now += absl::Milliseconds(1)));
  // Each cut is waited at anew; one that was let go is not.
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(60), 8, now));
  HowFar settled = Confirmed(60);
  settled.settled_to = Lsn(200);
  EXPECT_FALSE(settling.LetsGo(notes, settled, 8, now += 2 * kSlotPatience));
}

TEST(SettlingTest, OthersAreWaitedAt) {
  Settling settling;
  for (const absl::Duration now : {kBegun, kBegun + absl::Hours(1)}) {
    EXPECT_FALSE(settling.LetsGo(WaitsFor("confirmed", false), Confirmed(50), 7, now));
    EXPECT_FALSE(settling.LetsGo(WaitsFor("archive", true), Confirmed(50), 7, now));
    EXPECT_FALSE(settling.LetsGo(WaitsFor("confirmed", true), Confirmed(101), 7, now));
    EXPECT_FALSE(settling.LetsGo(GateNotes(), Confirmed(50), 7, now));
  }
}

// Its confirmed LSN goes on, and its catalog_xmin does not.
TEST(SettlingTest, ATransactionThatIsOpen) {
  Settling settling;
  const GateNotes notes = WaitsFor("catalog_xmin", false);
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(100), 7, kBegun));
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(101), 7, kBegun + absl::Seconds(5)));
  EXPECT_FALSE(settling.LetsGo(notes, Confirmed(110), 8, kBegun + absl::Seconds(6)));
  EXPECT_TRUE(settling.LetsGo(notes, Confirmed(120), 9, kBegun + absl::Seconds(7)));
}

}  // namespace
}  // namespace walduct::recover
