// The state machine of incremental snapshots, with a stream and chunks made by hand.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/incremental/snapshots_fixture.h"

namespace walduct::incremental {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(SnapshotsTest, INC01_ReadsATableInWindows) {
  Execute();
  EXPECT_EQ(Begun(), "open w1");
  Answer();
  EXPECT_EQ(Begun(), "read public.big");
  Opened("w1");
  AnswerRead(Rows({"1", "2"}));
  EXPECT_EQ(Begun(), "close w1");
  Answer();
  EXPECT_THAT(published_, IsEmpty());
  Closed("w1");
  EXPECT_THAT(published_, ElementsAre("1", "2"));
  EXPECT_EQ(Begun(), "open w2");
  Answer();
  EXPECT_EQ(Begun(), "read public.big after 2 to 10");
  Opened("w2");
  AnswerRead(Rows({}));
  EXPECT_THAT(told_,
              ElementsAre("s1 STARTED", "s1 IN_PROGRESS 2", "s1 TABLE_SCAN_COMPLETED 2 SUCCEEDED"));
  EXPECT_EQ(Begun(), "close w2");
  EXPECT_THAT(State(), IsEmpty());
  Answer();
  EXPECT_EQ(told_.back(), "s1 COMPLETED");
  Closed("w2");
  EXPECT_EQ(Begun(), "");
}

TEST_F(SnapshotsTest, TellsSinceWhenATableIsReadWhole) {
  const auto read = [this](uint64_t oldest, const std::vector<std::string>& ids) {
    Answer();
    Chunk chunk = Rows(ids);
    chunk.oldest = oldest;
    AnswerRead(std::move(chunk));
    Answer();
    if (!ids.empty()) Closed(absl::StrCat("w", ids_));
  };
  Execute();
  read(70, {"1", "2"});
  EXPECT_THAT(whole_, IsEmpty());
  read(80, {});
  EXPECT_THAT(whole_, ElementsAre("2 70")) << "by the first view";
  Execute();
  read(90, {"1", "2"});
  big_ = std::make_shared<event::TableSchema>(Table("big", 3));
  read(95, {});
  EXPECT_EQ(whole_.size(), 1u) << "another table has taken its name meanwhile";
}

TEST_F(SnapshotsTest, INC03_WhatTheStreamTellsIsLeftOut) {
  Execute();
  Answer();
  Change("1");  // before the window
  Opened("w1");
  Change("2");  // before the chunk is there
  AnswerRead(Rows({"1", "2", "3", "4"}));
  Change("3", event::Operation::kDelete);
  Change("9");
  Answer();
  Closed("w1");
  EXPECT_THAT(published_, ElementsAre("1", "4"));
}

// The window goes on with the next table, whose rows may have the same keys.
TEST_F(SnapshotsTest, WhatIsToldOfOneTableIsNotLeftOutOfTheNext) {
  Execute("\"public.big\", \"public.b1\"");
  Answer();
  Opened("w1");
  Change("1");
  AnswerRead(Rows({}));
  big_ = std::make_shared<event::TableSchema>(Table("b1", 3));
  Change("2");
  AnswerRead(Rows({"1", "2", "3"}));
  Answer();
  Closed("w1");
  EXPECT_THAT(published_, ElementsAre("1", "3"));
}

TEST_F(SnapshotsTest, ASignalBeforeTheLastWatermarkIsWrittenBeginsBehindIt) {
  Execute();
  Answer();
  AnswerRead(Rows({}));
  Begun();
  Execute("\"public.b1\"", "s2");
  EXPECT_EQ(Begun(), "");
  Answer();
  EXPECT_EQ(Begun(), "open w2");
  EXPECT_THAT(told_, ElementsAre("s1 STARTED", "s1 TABLE_SCAN_COMPLETED 0 SUCCEEDED", "s2 STARTED",
                                 "s1 COMPLETED"));
}

TEST_F(SnapshotsTest, ATruncateEmptiesTheWindow) {
  Execute();
  Answer();
  Opened("w1");
  event::ChangeEvent change;
  change.operation = event::Operation::kTruncate;
  change.schema = big_.get();
  ASSERT_TRUE(snapshots_->OnChange(change, {}).ok());
  AnswerRead(Rows({"1", "2"}));
  Answer();
  Closed("w1");
  EXPECT_THAT(published_, IsEmpty());
}

TEST_F(SnapshotsTest, TheCloseMayBeStreamedBeforeItIsKnownToBeWritten) {
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Closed("w1");
  EXPECT_THAT(published_, ElementsAre("1"));
  EXPECT_EQ(Begun(), "open w1; read public.big; close w1");
  Answer();
  EXPECT_EQ(Begun(), "open w2");
}

TEST_F(SnapshotsTest, ForeignWatermarksAreIgnored) {
  Execute();
  Answer();
  Opened("other");
  Change("1");
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Answer();
  Closed("other");
  EXPECT_THAT(published_, IsEmpty());
  Closed("w1");
  EXPECT_THAT(published_, ElementsAre("1"));
}

TEST_F(SnapshotsTest, INC12_ADeletedWatermarkCloses) {
  options_.deletes_watermarks = true;
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Answer();
  Row({"w1-open", "", ""}, event::Operation::kDelete);
  EXPECT_THAT(published_, ElementsAre("1"));
}

// A transaction whose commit was streamed before the window was opened, and which the chunk yet
// does not show.
TEST_F(SnapshotsTest, AChunkThatIsOlderThanTheStreamIsReadAgain) {
  Execute();
  snapshots_->OnCommit(76);  // it has signaled, nothing else
  Answer();
  Change("5");
  snapshots_->OnCommit(77);
  Opened("w1");
  Chunk old = Rows({"1"});
  old.running = {(uint64_t{1} << 32) + 76, (uint64_t{1} << 32) + 77};
  AnswerRead(std::move(old));
  Answer();
  Begun();
  Closed("w1");
  EXPECT_THAT(published_, IsEmpty());
  EXPECT_EQ(Begun(), "open w2");
  Answer();
  EXPECT_EQ(Begun(), "read public.big to 10");
  Opened("w2");
  Chunk newer = Rows({"1"});
  newer.running = {(uint64_t{1} << 32) + 76};
  AnswerRead(std::move(newer));
  Answer();
  Closed("w2");
  EXPECT_THAT(published_, ElementsAre("1"));
}

TEST_F(SnapshotsTest, TroubleBeginsTheWindowAnew) {
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Begun();
  Answer(absl::UnavailableError("gone"));
  Closed("w1");  // it had been written after all
  EXPECT_THAT(published_, IsEmpty());
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "");
  clock_.Advance(absl::Seconds(2));
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "open w2");
  Answer();
  EXPECT_EQ(Begun(), "read public.big to 10");
}

TEST_F(SnapshotsTest, INC10_APauseEndsBehindTheWindow) {
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Answer();
  Signal("pause-snapshot");
  Signal("pause-snapshot");
  Begun();
  Closed("w1");
  EXPECT_THAT(published_, ElementsAre("1"));
  EXPECT_EQ(Begun(), "");
  Signal("resume-snapshot");
  Signal("resume-snapshot");
  EXPECT_EQ(Begun(), "open w2");
  EXPECT_THAT(told_, ElementsAre("s1 STARTED", "s1 IN_PROGRESS 1", "s1 PAUSED", "s1 RESUMED"));
}

TEST_F(SnapshotsTest, INC02_TablesThatCannotBeReadAreToldAndPassed) {
  Execute("\"public.nosuch\", \"public.b1\", \"public.big\"");
  Answer();
  Chunk unknown;
  unknown.outcome = Chunk::Outcome::kUnknown;
  unknown.error = absl::NotFoundError("no table");
  AnswerRead(unknown);
  Chunk keyless;
  keyless.outcome = Chunk::Outcome::kNoKey;
  AnswerRead(keyless);
  Chunk failed;
  failed.outcome = Chunk::Outcome::kFailed;
  failed.error = absl::FailedPreconditionError("no column");
  AnswerRead(failed);
  EXPECT_THAT(told_,
              ElementsAre("s1 STARTED", "s1 FAILED", "s1 TABLE_SCAN_COMPLETED 0 UNKNOWN_SCHEMA",
                          "s1 TABLE_SCAN_COMPLETED 0 NO_PRIMARY_KEY", "s1 FAILED",
                          "s1 TABLE_SCAN_COMPLETED 0 SQL_EXCEPTION", "s1 COMPLETED"));
}

TEST_F(SnapshotsTest, ASecondSignalJoins) {
  Execute();
  Execute("\"public.b1\"", "s2");
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  EXPECT_THAT(told_, ElementsAre("s1 STARTED", "s2 IN_PROGRESS 1"));
}

TEST_F(SnapshotsTest, GoesOnFromAStoredState) {
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1", "2"}));
  Answer();
  Closed("w1");
  const OffsetMembers stored = State();
  told_.clear();
  Begun();
  Restart();
  ASSERT_TRUE(snapshots_->Resume(stored).ok());
  EXPECT_EQ(Begun(), "open w3");
  Answer();
  EXPECT_EQ(Begun(), "read public.big after 2 to 10");
  EXPECT_THAT(told_, IsEmpty());
}

// Also of before a restart.
TEST_F(SnapshotsTest, RowsThatWereLeftOutAreToldInTheEnd) {
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1", "2"}));
  Answer();
  unpublishable_ = "2";
  Closed("w1");
  const OffsetMembers stored = State();
  Restart();
  ASSERT_TRUE(snapshots_->Resume(stored).ok());
  Answer();
  Opened("w3");
  AnswerRead(Rows({}));
  Answer();
  EXPECT_EQ(told_.back(), "s1 COMPLETED 1");
  told_.clear();
  Execute("\"public.b1\"", "s2");
  EXPECT_THAT(told_, ElementsAre("s2 STARTED"));
}

TEST_F(SnapshotsTest, AStateGoesWithItsMark) {
  Execute();
  const uint64_t signalled = mark_;
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  const uint64_t read = mark_;
  Answer();
  Closed("w1");
  EXPECT_EQ(states_[signalled].at("incremental_snapshot_maximum_key"), "\"aced000570\"");
  EXPECT_EQ(states_[read].at("incremental_snapshot_primary_key"), "\"aced000570\"");
  EXPECT_NE(State().at("incremental_snapshot_primary_key"), "\"aced000570\"");
}

TEST_F(SnapshotsTest, AMarkThatTheStreamDoesNotBringIsTold) {
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Rows({"1"}));
  Answer();
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(metrics_.incremental.Read().held_by, "");
  clock_.Advance(absl::Seconds(31));
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_THAT(metrics_.incremental.Read().held_by, testing::HasSubstr("the mark"));
  Closed("w1");
  EXPECT_EQ(metrics_.incremental.Read().held_by, "");
}

TEST_F(SnapshotsTest, SIG08_WhatIsNoSignalIsCountedAndPassed) {
  Signal("no-such-signal");
  Signal("execute-snapshot", "{not json");
  Row({"x", "log"}, event::Operation::kUpdate);
  EXPECT_EQ(metrics_.signals_refused.value(), 2u);
  signals_.columns.push_back(signals_.columns[0]);
  Row({"x", "execute-snapshot", R"({"data-collections": ["public.big"]})", "4"},
      event::Operation::kCreate);
  EXPECT_EQ(metrics_.signals_refused.value(), 3u);
  EXPECT_THAT(told_, ElementsAre("s1 REFUSED", "s1 REFUSED", "x REFUSED"));
}

// Signals of a file or a topic.
TEST_F(SnapshotsTest, SIG05_ASignalFromOutsideIsDoneWhenWhatItChangedIsStored) {
  inbox_.Put(RawSignal{"k1", "execute-snapshot", R"({"data-collections": ["public.big"]})"});
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "open w1");
  EXPECT_THAT(told_, ElementsAre("k1 STARTED"));
  EXPECT_EQ(inbox_.done, 0u);
  stored_ = mark_;
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(inbox_.done, 1u);
}

TEST_F(SnapshotsTest, SIG05_ASignalThatComesAgainIsPassedOver) {
  for (int i = 0; i < 2; ++i)
    inbox_.Put(RawSignal{"k1", "execute-snapshot", R"({"data-collections": ["public.big"]})"});
  inbox_.Put(RawSignal{"k2", "execute-snapshot", R"({"data-collections": ["public.b1"]})"});
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_THAT(State().at("incremental_snapshot_collections"),
              testing::AllOf(testing::HasSubstr("public.big"), testing::HasSubstr("public.b1")));
  EXPECT_EQ(metrics_.signals.value(), 2u);
}

TEST_F(SnapshotsTest, SIG05_WhatIsStoredAtTheEndIsDone) {
  inbox_.Put(RawSignal{"k1", "execute-snapshot", R"({"data-collections": ["public.big"]})"});
  ASSERT_TRUE(snapshots_->Turn().ok());
  stored_ = mark_;
  snapshots_.reset();
  EXPECT_EQ(inbox_.done, 1u);
}

TEST_F(SnapshotsTest, WhatIsNoSignalOfTheInboxIsDone) {
  inbox_.Put(absl::InvalidArgumentError("a line is no JSON object"));
  inbox_.Put(RawSignal{"k1", "log", std::nullopt});
  inbox_.Put(RawSignal{"k2", "log", R"({"message": "at {}"})"});
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(metrics_.signals_refused.value(), 2u);
  EXPECT_EQ(inbox_.done, 3u);
}

TEST_F(SnapshotsTest, SIG03_RowsAreNoSignalsWithoutTheirChannel) {
  options_.source_channel = false;
  Restart();
  Execute();
  EXPECT_EQ(Begun(), "");
  inbox_.Put(RawSignal{"k1", "execute-snapshot", R"({"data-collections": ["public.big"]})"});
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "open w1");
}

TEST_F(SnapshotsTest, WithoutATableForWatermarksNothingIsWritten) {
  options_.signal_table.clear();
  Restart();
  const RawSignal signal{"k1", "execute-snapshot", R"({"data-collections": ["public.big"]})"};
  inbox_.Put(signal, /*asked=*/true);
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "read public.big") << "no row opens its window";
  EXPECT_EQ(metrics_.signals_refused.value(), 0u);
  EXPECT_EQ(asked_to_store_, 1) << "who has asked waits for it";
}

TEST_F(SnapshotsTest, WithoutATableForWatermarksAChannelIsRefused) {
  options_.signal_table.clear();
  Restart();
  inbox_.Put(RawSignal{"k1", "execute-snapshot", R"({"data-collections": ["public.big"]})"});
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "");
  EXPECT_EQ(metrics_.signals_refused.value(), 1u);
  options_.read_only = true;
  Restart();
  inbox_.Put(RawSignal{"k2", "execute-snapshot", R"({"data-collections": ["public.big"]})"});
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "read public.big");
  EXPECT_EQ(metrics_.signals_refused.value(), 1u);
}

// Each state names all tables that wait: one for each of thousands would be their square.
TEST_F(SnapshotsTest, WhatIsAskedForTogetherChangesTheStateOnce) {
  Execute();
  const uint64_t before = mark_;
  std::vector<uint64_t> marks;
  for (int i = 0; i < 100; ++i) {
    snapshots_->Ask({.id = absl::StrCat("n", i),
                     .type = "execute-snapshot",
                     .data = absl::StrCat(R"({"data-collections": ["public.t)", i, R"("]})")},
                    [&] { marks.push_back(mark_); });
  }
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(mark_, before + 1);
  EXPECT_EQ(marks, std::vector<uint64_t>(100, mark_));
  const std::string state = State().at("incremental_snapshot_collections");
  EXPECT_NE(state.find("public.big"), std::string::npos);
  EXPECT_EQ(State().at("incremental_snapshot_correlation_id"), "\"n99\"");
  EXPECT_EQ(metrics_.signals.value(), 101u);
}

// The first of them begins the snapshot, and is told as such.
TEST_F(SnapshotsTest, WhatIsAskedForTogetherWhileNothingRunsIsTwoStates) {
  const uint64_t before = mark_;
  std::vector<uint64_t> marks;
  for (int i = 0; i < 50; ++i) {
    snapshots_->Ask({.id = absl::StrCat("n", i),
                     .type = "execute-snapshot",
                     .data = absl::StrCat(R"({"data-collections": ["public.t)", i, R"("]})")},
                    [&] { marks.push_back(mark_); });
  }
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(mark_, before + 2);
  EXPECT_EQ(marks, std::vector<uint64_t>(50, mark_));
  EXPECT_EQ(told_, std::vector<std::string>{"n0 STARTED"});
  EXPECT_NE(State().at("incremental_snapshot_collections").find("public.t49"), std::string::npos);
}

// JSON in a text of JSON: each table's part is escaped by itself, once.
TEST_F(SnapshotsTest, WhatIsAskedForIsStoredInDebeziumsBytes) {
  Signal("execute-snapshot",
         R"({"data-collections": ["public.big", "public.b1"], "additional-conditions": )"
         R"([{"data-collection": "public.big", "filter": "note = 'a\\b \"c\" \uD83D\uDE00'"}]})");
  constexpr char kStored[] = R"("[{\"incremental_snapshot_collections_id\":\"public.big\",)"
                             R"(\"incremental_snapshot_collections_additional_condition\":)"
                             R"(\"(note = 'a\\\\b \\\"c\\\" \\uD83D\\uDE00')\",)"
                             R"(\"incremental_snapshot_collections_surrogate_key\":null},)"
                             R"({\"incremental_snapshot_collections_id\":\"public.b1\",)"
                             R"(\"incremental_snapshot_collections_additional_condition\":null,)"
                             R"(\"incremental_snapshot_collections_surrogate_key\":null}]")";
  EXPECT_EQ(State().at("incremental_snapshot_collections"), kStored);
  const OffsetMembers stored = State();
  EXPECT_EQ(EncodeState(*DecodeState(stored)).at("incremental_snapshot_collections"), kStored);
}

// The last one is none that changes anything.
TEST_F(SnapshotsTest, WhatIsAskedForBeforeARefusedSignalIsInTheState) {
  Execute();
  uint64_t taken = 0;
  snapshots_->Ask(
      {.id = "n", .type = "execute-snapshot", .data = R"({"data-collections": ["public.b1"]})"},
      [&] { taken = mark_; });
  snapshots_->Ask({.id = "n2", .type = "execute-snapshot", .data = "nonsense"}, [] {});
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(taken, mark_);
  EXPECT_NE(State().at("incremental_snapshot_collections").find("public.b1"), std::string::npos);
}

}  // namespace
}  // namespace walduct::incremental
