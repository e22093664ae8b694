// Stops, conditions and stored keys of incremental snapshots.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/incremental/snapshots_fixture.h"

namespace walduct::incremental {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(SnapshotsTest, INC09_AStopIsCarriedOutAtTheNextChunk) {
  Execute("\"public.big\", \"public.b1\"");
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Answer();
  Signal("stop-snapshot");
  Closed("w1");
  EXPECT_THAT(published_, ElementsAre("1"));
  EXPECT_THAT(told_, ElementsAre("s1 STARTED", "s1 IN_PROGRESS 1", "s1 COMPLETED",
                                 "w2 ABORTED public.big,public.b1"));
  EXPECT_THAT(State(), IsEmpty());
}

TEST_F(SnapshotsTest, INC09_AStopOfNothingIsCountedAndTold) {
  for (const char* const type : {"stop-snapshot", "pause-snapshot", "resume-snapshot"})
    Signal(type);
  EXPECT_EQ(metrics_.signals_refused.value(), 3u);
  EXPECT_THAT(told_, testing::SizeIs(3));
  EXPECT_THAT(told_, testing::Each(testing::EndsWith(" REFUSED")));
}

TEST_F(SnapshotsTest, INC09_AStopOfOneTableGoesOnWithTheOthers) {
  Execute("\"public.big\", \"public.b1\"");
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Answer();
  Signal("stop-snapshot", R"({"data-collections": ["public.big"]})");
  Begun();
  Closed("w1");
  EXPECT_EQ(Begun(), "open w2");
  Answer();
  EXPECT_EQ(Begun(), "read public.b1");
  EXPECT_EQ(told_.back(), "s1 ABORTED public.big");
}

TEST_F(SnapshotsTest, INC09_SeveralStopsAreCarriedOutTogether) {
  Execute("\"public.big\", \"public.b1\", \"public.c1\"");
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Answer();
  Signal("stop-snapshot", R"({"data-collections": ["public.b1"]})");
  Signal("stop-snapshot", R"({"data-collections": ["public.c1"]})");
  Closed("w1");
  EXPECT_EQ(told_.back(), "s1 ABORTED public.b1,public.c1");
  EXPECT_THAT(State().at("incremental_snapshot_collections"),
              testing::Not(testing::HasSubstr("c1")));
}

TEST_F(SnapshotsTest, INC09_AStopOfAllStaysOne) {
  for (const bool all_first : {true, false}) {
    Restart();
    Execute("\"public.big\", \"public.b1\"");
    Answer();
    if (all_first) Signal("stop-snapshot");
    Signal("stop-snapshot", R"({"data-collections": ["public.b1"]})");
    if (!all_first) Signal("stop-snapshot");
    AnswerRead(Rows({"1"}));
    Answer();
    Closed(absl::StrCat("w", ids_));
    EXPECT_THAT(told_.back(), testing::EndsWith("ABORTED public.big,public.b1"));
    EXPECT_THAT(State(), IsEmpty());
  }
}

// There may be more rows than the chunk shows.
TEST_F(SnapshotsTest, AnEndThatLacksWhatWasToldIsLookedForAgain) {
  Change("3", event::Operation::kCreate);
  snapshots_->OnCommit(7);
  Execute();
  Answer();
  Begun();
  Chunk empty = Rows({});
  empty.outcome = Chunk::Outcome::kEmpty;
  empty.next_xid = 100;
  empty.running = {7};
  AnswerRead(empty);
  EXPECT_EQ(told_, std::vector<std::string>{"s1 STARTED"});
  EXPECT_EQ(Begun(), "open w2");
  Answer();
  Begun();
  empty.running.clear();
  AnswerRead(empty);
  EXPECT_EQ(told_.back(), "s1 TABLE_SCAN_COMPLETED 0 EMPTY");
}

TEST_F(SnapshotsTest, INC09_AStopLeavesWhatIsAskedForBehindIt) {
  Execute("\"public.big\", \"public.b1\"");
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Answer();
  Signal("stop-snapshot");
  Execute("\"public.b1\"", "s2");
  Begun();
  Closed("w1");
  EXPECT_EQ(told_.back(), "s2 ABORTED public.big,public.b1");
  EXPECT_EQ(Begun(), "open w2");
  Answer();
  EXPECT_EQ(Begun(), "read public.b1");
}

// The table that was being read is over before the stop is carried out.
TEST_F(SnapshotsTest, INC09_AStopLeavesTheSameWhenTheFirstTableHasEnded) {
  Execute("\"public.big\", \"public.c1\"");
  Answer();
  Opened("w1");
  Signal("stop-snapshot");
  Execute("\"public.b1\"", "s2");
  AnswerRead(Rows({}));  // big has no more rows: c1 is read in the same window
  AnswerRead(Rows({"1"}));
  Answer();
  Closed("w1");
  EXPECT_EQ(told_.back(), "s2 ABORTED public.c1");
  Answer();
  EXPECT_THAT(Begun(), testing::EndsWith("read public.b1"));
}

TEST_F(SnapshotsTest, INC07_AConditionForNoTableIsCounted) {
  Signal("execute-snapshot", R"({"data-collections": ["public.big"], "additional-conditions": [
      {"data-collection": "public\\.b.*", "filter": "id > 4"},
      {"data-collection": "big", "filter": "id > 5"}]})");
  EXPECT_EQ(metrics_.signals_refused.value(), 1u);
  EXPECT_THAT(State().at("incremental_snapshot_collections"), testing::HasSubstr("(id > 4)"));
}

// The types of keys are known with the first chunk only.
TEST_F(SnapshotsTest, StoredKeysStayAsTheyAreUntilAChunkIsRead) {
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1", "2"}));
  Answer();
  Closed("w1");
  const OffsetMembers stored = State();
  Restart();
  ASSERT_TRUE(snapshots_->Resume(stored).ok());
  Execute("\"public.b1\"", "s2");
  for (const char* key : {"incremental_snapshot_maximum_key", "incremental_snapshot_primary_key"})
    EXPECT_EQ(State().at(key), stored.at(key)) << key;
  Answer();
  const std::string window = absl::StrCat("w", ids_);
  Opened(window);
  AnswerRead(Rows({"3"}));
  Answer();
  Closed(window);
  EXPECT_EQ(State().at("incremental_snapshot_maximum_key"),
            stored.at("incremental_snapshot_maximum_key"));
  EXPECT_NE(State().at("incremental_snapshot_primary_key"),
            stored.at("incremental_snapshot_primary_key"));
}

// A chunk under way when it is paused.
TEST_F(SnapshotsTest, INC10_APauseOutlivesASession) {
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Answer();
  Signal("pause-snapshot");
  Closed("w1");
  const OffsetMembers stored = State();
  EXPECT_EQ(stored.at("walduct_incremental_snapshot"), R"("{\"paused\":true,\"rows\":1}")");
  for (const bool keeps : {true, false}) {
    keeps_pause_ = keeps;
    Restart();
    Begun();
    ASSERT_TRUE(snapshots_->Resume(stored).ok());
    EXPECT_EQ(metrics_.incremental.Read().held_by, keeps ? "paused" : "");
    Signal("resume-snapshot");
    EXPECT_EQ(Begun(), absl::StrCat("open w", ids_));
    EXPECT_EQ(told_.back(), keeps ? "s1 RESUMED" : "s1 PAUSED");
    Answer();
    EXPECT_EQ(State().at("walduct_incremental_snapshot"), R"("{\"rows\":1}")");
    told_ = {"s1 PAUSED"};
  }
}

TEST_F(SnapshotsTest, INC09_AStopThatIsNotCarriedOutOutlivesARestart) {
  Execute("\"public.big\", \"public.b1\"");
  Answer();
  Opened("w1");
  Signal("stop-snapshot", R"({"data-collections": ["public.big"]})");
  const OffsetMembers stored = State();
  Restart();
  Begun();
  ASSERT_TRUE(snapshots_->Resume(stored).ok());
  EXPECT_EQ(told_.back(), "s1 ABORTED public.big");
  Answer();
  EXPECT_THAT(Begun(), testing::EndsWith("read public.b1"));
  EXPECT_FALSE(State().contains("walduct_incremental_snapshot"));
}

// It was asked for in another snapshot.
TEST_F(SnapshotsTest, INC10_APauseEndsWithItsSnapshot) {
  Execute();
  Answer();
  Opened("w1");
  Signal("pause-snapshot");
  AnswerRead(Rows({}));
  Answer();
  Execute("\"public.b1\"", "s2");
  EXPECT_FALSE(State().contains("walduct_incremental_snapshot"));
  Answer();
  EXPECT_THAT(Begun(), testing::EndsWith("read public.b1"));
}

TEST_F(SnapshotsTest, WhatIsDamagedOfTheStateIsNotGuessed) {
  Execute();
  for (const char* text : {R"("{")", R"("[]")", R"("{\"paused\":1}")", R"("{\"rows\":-1}")",
                           R"("{\"stops\":{}}")", R"("{\"stops\":[{\"asked\":1}]}")",
                           R"("{\"stops\":[{\"asked\":1,\"collections\":[2]}]}")"}) {
    OffsetMembers stored = State();
    stored["walduct_incremental_snapshot"] = text;
    Restart();
    EXPECT_FALSE(snapshots_->Resume(stored).ok()) << text;
    Execute();
  }
}

}  // namespace
}  // namespace walduct::incremental
