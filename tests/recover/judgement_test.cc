#include "recover/judgement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::recover {
namespace {

using testing::HasSubstr;

constexpr uint64_t kSegment = kUsualSegmentBytes;

constexpr Lsn In(uint64_t number, uint64_t offset = 0) { return Lsn(number * kSegment + offset); }

HowFar Confirmed(Lsn lsn) {
  HowFar how_far;
  how_far.confirmed = lsn;
  return how_far;
}

// All up to the end of a segment.
GateNotes HandedOut(uint64_t number, Lsn last_record = Lsn()) {
  GateNotes notes;
  notes.file = "x";
  notes.number = number;
  notes.end = In(number + 1);
  notes.last_record = last_record;
  return notes;
}

GateNotes CutAt(uint64_t number, uint64_t begin, uint64_t end, uint32_t oldest) {
  GateNotes notes = HandedOut(number, In(number, begin));
  notes.end = In(number, end);
  notes.cut = Cut{In(number, begin), In(number, end), Xid(oldest), std::nullopt};
  return notes;
}

Step StepFor(const HowFar& how_far, const GateNotes& notes, uint64_t number) {
  return Judge(how_far, notes, number).step;
}

TEST(JudgementTest, WithoutASlotUpToWhatIsFree) {
  HowFar how_far;
  EXPECT_EQ(Judge(how_far, {}, 5).waits_for, "slot");
  how_far.free_to = In(5);  // the end of 4
  EXPECT_EQ(StepFor(how_far, {}, 4), Step::kWhole);
  EXPECT_EQ(StepFor(how_far, HandedOut(4), 5), Step::kWait);
  how_far.free_to = In(5, 1);
  EXPECT_EQ(StepFor(how_far, HandedOut(4), 5), Step::kWhole);
}

// A folder that an earlier recovery has left, and a data folder of the same inode.
TEST(JudgementTest, AServerThatLeavesSegmentsOutIsAnotherOne) {
  GateNotes notes = HandedOut(5);
  notes.waits_for = "confirmed";
  notes.asked = "000000010000000000000006";
  EXPECT_FALSE(LeavesOut(notes, kSegment));
  notes.asked = "000000010000000000000007";
  EXPECT_TRUE(LeavesOut(notes, kSegment));
  notes.waits_for = "archive";
  EXPECT_FALSE(LeavesOut(notes, kSegment));
  GateNotes none;
  none.waits_for = "confirmed";
  none.asked = notes.asked;
  EXPECT_FALSE(LeavesOut(none, kSegment));
}

TEST(JudgementTest, TheSegmentThatTheSlotHasComeTo) {
  EXPECT_EQ(StepFor(Confirmed(In(5, 40)), HandedOut(4), 5), Step::kWhole);
  EXPECT_EQ(StepFor(Confirmed(In(5)), HandedOut(4), 5), Step::kWhole);
  const Judgement waits = Judge(Confirmed(In(4, 40)), HandedOut(4, In(4, 4000)), 5);
  EXPECT_EQ(waits.step, Step::kWait);
  EXPECT_EQ(waits.waits_for, "confirmed");
  EXPECT_THAT(waits.why, HasSubstr("0/4000028"));
}

// The last record of a segment goes over its end, so nothing in it can be confirmed at the end.
TEST(JudgementTest, ASegmentIsBehindWithItsLastWholeRecord) {
  EXPECT_EQ(StepFor(Confirmed(In(4, 4000)), HandedOut(4, In(4, 4000)), 5), Step::kWait);
  EXPECT_EQ(StepFor(Confirmed(In(4, 4100)), HandedOut(4, In(4, 4000)), 5), Step::kWhole);
  EXPECT_EQ(StepFor(Confirmed(In(4, 4100)), HandedOut(4, In(4, 4000)), 6), Step::kWait);
}

TEST(JudgementTest, AheadOfTheSlot) {
  HowFar how_far = Confirmed(In(5, 40));
  how_far.ahead = 3;
  EXPECT_EQ(StepFor(how_far, HandedOut(7), 8), Step::kWhole);
  EXPECT_EQ(StepFor(how_far, HandedOut(8, In(8, 4000)), 9), Step::kWait);
}

// What the old slot kept on the primary a slot that was made earlier may still need.
TEST(JudgementTest, NotAheadOfTheSlotBeforeTheFirstCut) {
  HowFar how_far = Confirmed(In(5, 40));
  how_far.ahead = 3;
  how_far.cut_from = In(8);
  EXPECT_EQ(StepFor(how_far, HandedOut(5, In(5, 4000)), 6), Step::kWait);
  EXPECT_EQ(StepFor(how_far, HandedOut(7, In(7, 4000)), 8), Step::kNextPart);
  how_far.confirmed = In(5, 4100);
  EXPECT_EQ(StepFor(how_far, HandedOut(5, In(5, 4000)), 6), Step::kWhole);
}

TEST(JudgementTest, AServerThatStartsAnewGetsWhatItHad) {
  EXPECT_EQ(StepFor(Confirmed(In(5, 40)), HandedOut(7), 6), Step::kWhole);
  EXPECT_EQ(StepFor(Confirmed(In(5, 40)), HandedOut(7), 7), Step::kWhole);
  HowFar cuts = Confirmed(In(7, 40));
  cuts.cut_from = In(6);
  EXPECT_EQ(StepFor(cuts, CutAt(7, 100, 200, 9), 6), Step::kWhole);
  EXPECT_EQ(StepFor(cuts, CutAt(7, 100, 200, 9), 7), Step::kUpToCut);
}

TEST(JudgementTest, ACutIsBehindByConfirmedLsnAndCatalogXmin) {
  HowFar how_far = Confirmed(In(7, 200));
  how_far.cut_from = In(7, 10);
  const GateNotes notes = CutAt(7, 100, 200, 9);
  EXPECT_EQ(Judge(how_far, notes, 7).waits_for, "catalog_xmin");
  EXPECT_THAT(Judge(how_far, notes, 7).why, HasSubstr("not in recovery.json"));
  how_far.catalog_xmin = Xid(8);
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kUpToCut);
  how_far.catalog_xmin = Xid(9);
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kNextPart);
  EXPECT_EQ(Judge(how_far, notes, 7).floor, In(7, 200));
  how_far.confirmed = In(7, 100);
  EXPECT_EQ(Judge(how_far, notes, 7).waits_for, "confirmed");
  // What the recovery says for them: a transaction is open, or no slot is wanted.
  how_far.confirmed = In(7, 200);
  how_far.catalog_xmin = Xid(3);
  how_far.settled_to = In(7, 200);
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kNextPart);
  how_far = {};
  how_far.cut_from = In(7, 10);
  how_far.free_to = In(7, 300);
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kNextPart);
  EXPECT_EQ(Judge(how_far, notes, 7).floor, In(7, 300));
}

TEST(JudgementTest, APruningIsBehindWithWhatWasBeforeIt) {
  HowFar how_far = Confirmed(In(7, 199));
  how_far.cut_from = In(7);
  how_far.catalog_xmin = Xid(5);
  GateNotes notes = CutAt(7, 199, 200, 0);
  notes.cut = Cut{In(7, 199), In(7, 200), std::nullopt, Xid(30)};
  EXPECT_EQ(Judge(how_far, notes, 7).waits_for, "confirmed");
  how_far.confirmed = In(7, 200);
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kNextPart);
  EXPECT_EQ(Judge(how_far, notes, 7).pruned_to, Xid(30));
  notes.pruned_to = Xid(40);
  EXPECT_EQ(Judge(how_far, notes, 7).pruned_to, Xid(40));
  how_far.catalog_xmin = Xid(51);  // which is not over
  EXPECT_EQ(Judge(how_far, notes, 7).pruned_to, Xid(50));
}

TEST(JudgementTest, TransactionsThatHaveGoneRound) {
  HowFar how_far = Confirmed(In(7, 200));
  how_far.cut_from = In(7);
  how_far.catalog_xmin = Xid(5);
  EXPECT_EQ(StepFor(how_far, CutAt(7, 100, 200, 0xFFFFFFF0), 7), Step::kNextPart);
  how_far.catalog_xmin = Xid(0xFFFFFFF0);
  EXPECT_EQ(StepFor(how_far, CutAt(7, 100, 200, 5), 7), Step::kUpToCut);
}

TEST(JudgementTest, ASegmentThatIsCutIsEnteredAsOthersAre) {
  HowFar how_far = Confirmed(In(6, 4100));
  how_far.catalog_xmin = Xid(100);
  how_far.cut_from = In(7, 10);
  how_far.ahead = 5;
  EXPECT_EQ(StepFor(how_far, HandedOut(6, In(6, 4000)), 7), Step::kNextPart);
  EXPECT_EQ(Judge(how_far, HandedOut(6), 7).floor, In(7, 10));
  // Behind a cut that the slot has not come over nothing is entered, however far ahead.
  how_far.catalog_xmin = Xid(8);
  GateNotes notes = CutAt(6, 100, 200, 9);
  notes.end = In(7);
  how_far.cut_from = In(6);
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kWait);
}

SegmentRecords WithLists(std::initializer_list<uint64_t> at) {
  SegmentRecords records;
  for (const uint64_t begin : at)
    records.running.push_back({In(7, begin), In(7, begin + 50), Xid(static_cast<uint32_t>(begin))});
  return records;
}

CatalogPruning PruningAt(uint64_t at, uint32_t horizon, bool loses_its_mark) {
  CatalogPruning pruning{In(7, at), Xid(horizon), {}};
  if (loses_its_mark) pruning.edits.push_back({1, 'x'});
  return pruning;
}

// All but the last two lists of a segment are passed by; the last but one is not waited for by
// catalog_xmin, which may be that of a list before it.
TEST(CutTest, AtTheLastListsOfASegment) {
  HowFar how_far = Confirmed(In(7, 40));
  how_far.clear_marks = true;
  const SegmentRecords records = WithLists({100, 200, 300, 400});
  Judgement judgement{Step::kNextPart, In(7, 10), Xid(5), "", ""};
  std::optional<Cut> cut = NextCut(how_far, records, judgement);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->over, In(7, 300));
  EXPECT_FALSE(cut->oldest_running || cut->horizon);
  judgement.floor = cut->end;
  cut = NextCut(how_far, records, judgement);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->over, In(7, 400));
  EXPECT_EQ(cut->oldest_running, Xid(400));
  judgement.floor = cut->end;
  EXPECT_FALSE(NextCut(how_far, records, judgement));
  judgement.floor = In(7, 10);
  EXPECT_EQ(NextCut(how_far, WithLists({100}), judgement)->oldest_running, Xid(100));
}

TEST(CutTest, AtEachListWhereCatalogXminIsNeeded) {
  HowFar how_far = Confirmed(In(7, 40));
  SegmentRecords records = WithLists({100, 200, 300, 400});
  const Judgement judgement{Step::kNextPart, In(7, 10), Xid(5), "", ""};
  EXPECT_EQ(NextCut(how_far, records, judgement)->oldest_running, Xid(100));  // marks stay
  how_far.clear_marks = true;
  EXPECT_EQ(NextCut(how_far, records, judgement)->over, In(7, 300));
  records.prunings = {PruningAt(350, 9, /*loses_its_mark=*/false)};
  EXPECT_EQ(NextCut(how_far, records, judgement)->oldest_running, Xid(100));
  records.prunings = {PruningAt(350, 5, /*loses_its_mark=*/false)};  // which the slot allows
  EXPECT_EQ(NextCut(how_far, records, judgement)->over, In(7, 300));
  // A slot that is still to be made begins at any list.
  how_far.confirmed = Lsn();
  EXPECT_EQ(NextCut(how_far, records, judgement)->oldest_running, Xid(100));
}

TEST(CutTest, NoneBeforeAPromotion) {
  HowFar how_far = Confirmed(In(7, 40));
  how_far.clear_marks = true;
  SegmentRecords records = WithLists({100, 200});
  records.prunings = {PruningAt(50, 9, true)};
  records.promoted = NextCut(how_far, records, {Step::kNextPart, In(7, 10), Xid(9), "", ""})->end;
  const Judgement judgement{Step::kNextPart, In(7, 10), Xid(5), "", ""};
  EXPECT_EQ(NextCut(how_far, records, judgement)->over, In(7, 200));
  records.running.pop_back();
  EXPECT_FALSE(NextCut(how_far, records, judgement));
}

TEST(CutTest, BeforeAPruningThatTheSlotDoesNotAllow) {
  HowFar how_far = Confirmed(In(7, 40));
  how_far.clear_marks = true;
  SegmentRecords records = WithLists({100, 400});
  records.prunings = {PruningAt(50, 9, true)};
  Judgement judgement{Step::kNextPart, In(7, 10), Xid(5), "", ""};
  const std::optional<Cut> cut = NextCut(how_far, records, judgement);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->end, In(7, 50));
  EXPECT_EQ(cut->horizon, Xid(9));
  judgement.pruned_to = Xid(9);
  EXPECT_EQ(NextCut(how_far, records, judgement)->over, In(7, 100));
}

DdlCommit DdlAt(uint64_t at, uint64_t rows_to, uint32_t database = 5) {
  return {.begin = In(7, at),
          .stop = In(7, at),
          .database = database,
          .rows_to = In(7, rows_to),
          .enough = In(7, rows_to)};
}

TEST(CutTest, BeforeACommitThatChangesATable) {
  HowFar how_far = Confirmed(In(7, 40));
  how_far.clear_marks = how_far.cut_at_ddl = true;
  SegmentRecords records = WithLists({400});
  records.ddl = {DdlAt(100, 90), DdlAt(200, 90), DdlAt(300, 250), DdlAt(500, 250)};
  Judgement judgement{Step::kNextPart, In(7, 10), Xid(5), "", ""};
  std::optional<Cut> cut = NextCut(how_far, records, judgement);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->end, In(7, 100));
  EXPECT_EQ(cut->over, In(7, 89));
  EXPECT_TRUE(cut->ddl);
  EXPECT_FALSE(cut->oldest_running || cut->horizon);
  // Passed: the second one has nothing before it that is not confirmed.
  how_far.confirmed = judgement.floor = In(7, 100);
  cut = NextCut(how_far, records, judgement);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->end, In(7, 300));
  how_far.confirmed = judgement.floor = In(7, 300);
  EXPECT_EQ(NextCut(how_far, records, judgement)->over, In(7, 400));
  // Where the slot is not known to be behind it, as before: once is enough.
  how_far.confirmed = In(7, 40);
  EXPECT_EQ(NextCut(how_far, records, judgement)->over, In(7, 400));
  how_far.confirmed = Lsn();
  judgement.floor = In(7, 10);
  EXPECT_EQ(NextCut(how_far, records, judgement)->over, In(7, 400));  // no slot, nothing is read
  how_far.confirmed = In(7, 40);
  how_far.cut_at_ddl = false;
  EXPECT_EQ(NextCut(how_far, records, judgement)->over, In(7, 400));
}

// The slot may wait for replay itself.
TEST(JudgementTest, ACutBeforeACommitMayBeLetGo) {
  HowFar how_far = Confirmed(In(7, 40));
  how_far.cut_from = In(7);
  how_far.cut_at_ddl = true;
  GateNotes notes = HandedOut(7, In(7, 89));
  notes.end = In(7, 100);
  notes.cut = Cut{In(7, 89), In(7, 100), std::nullopt, std::nullopt, true};
  EXPECT_EQ(Judge(how_far, notes, 7).waits_for, "confirmed");
  how_far.settled_to = In(7, 99);
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kUpToCut);
  how_far.settled_to = In(7, 100);
  const Judgement judgement = Judge(how_far, notes, 7);
  EXPECT_EQ(judgement.step, Step::kNextPart);
  EXPECT_EQ(judgement.floor, In(7, 100));
  // Nor is one that was made before such cuts were given up.
  how_far.settled_to = Lsn();
  how_far.cut_at_ddl = false;
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kNextPart);
  how_far.settled_to = In(7, 100);
  // Others end the slot where it has not come over them.
  notes.cut->ddl = false;
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kUpToCut);
}

TEST(CutTest, OfTheSlotsDatabaseAlone) {
  HowFar how_far = Confirmed(In(7, 40));
  how_far.cut_at_ddl = true;
  SegmentRecords records;
  records.ddl = {DdlAt(100, 90, 4), DdlAt(200, 90)};
  const Judgement judgement{Step::kNextPart, In(7, 10), Xid(5), "", ""};
  EXPECT_EQ(NextCut(how_far, records, judgement)->end, In(7, 100));
  how_far.database = 5;
  EXPECT_EQ(NextCut(how_far, records, judgement)->end, In(7, 200));
}

TEST(CutTest, TheFirstOfAllKinds) {
  HowFar how_far = Confirmed(In(7, 40));
  how_far.clear_marks = how_far.cut_at_ddl = true;
  SegmentRecords records = WithLists({400});
  records.prunings = {PruningAt(300, 9, true)};
  records.ddl = {DdlAt(200, 90)};
  Judgement judgement{Step::kNextPart, In(7, 10), Xid(5), "", ""};
  EXPECT_EQ(NextCut(how_far, records, judgement)->end, In(7, 200));
  judgement.floor = In(7, 200);
  EXPECT_EQ(NextCut(how_far, records, judgement)->end, In(7, 300));
  records.promoted = In(7, 350);
  judgement.floor = In(7, 10);
  EXPECT_EQ(NextCut(how_far, records, judgement)->over, In(7, 400));
}

// Its first part is in the segment before, of which the slot has confirmed all that is whole.
TEST(CutTest, BeforeOneThatGoesOverTheEndOfASegment) {
  HowFar how_far = Confirmed(In(6, 4000));
  how_far.cut_at_ddl = true;
  how_far.cut_from = In(6);
  SegmentRecords records;
  records.ddl = {{.begin = In(6, 4100),
                  .stop = In(7),
                  .database = 5,
                  .rows_to = In(7),
                  .enough = In(6, 4100)}};
  GateNotes notes = HandedOut(6, In(6, 3900));
  ASSERT_EQ(StepFor(how_far, notes, 7), Step::kNextPart);
  notes.cut = NextCut(how_far, records, Judge(how_far, notes, 7));
  ASSERT_TRUE(notes.cut);
  EXPECT_EQ(notes.cut->end, In(7));
  EXPECT_EQ(StepFor(how_far, notes, 7), Step::kWait);
  how_far.confirmed = In(6, 4100);
  ASSERT_EQ(StepFor(how_far, notes, 7), Step::kNextPart);
  EXPECT_FALSE(NextCut(how_far, records, Judge(how_far, notes, 7)));
}

}  // namespace
}  // namespace walduct::recover
