// Windows without watermarks, blocking snapshots, chunks that are read again.
#include "gmock/gmock.h"
#include "tests/incremental/snapshots_fixture.h"

namespace walduct::incremental {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ReadOnly : public SnapshotsTest {
 protected:
  ReadOnly() {
    options_.read_only = true;
    options_.chunk_size = 8;
    Restart();
  }
  void Passed(uint64_t lsn) { ASSERT_TRUE(snapshots_->Turn(Lsn(lsn)).ok()); }
  Chunk SeenAt(uint64_t lsn, const std::vector<std::string>& ids) {
    Chunk chunk = Rows(ids);
    chunk.seen = Lsn(lsn);
    chunk.next_xid = 100;
    return chunk;
  }
};

TEST_F(ReadOnly, NothingIsWrittenAndRowsWaitForTheStream) {
  Execute();
  EXPECT_EQ(Begun(), "read public.big");
  AnswerRead(SeenAt(50, {"1", "2", "3"}));
  EXPECT_TRUE(snapshots_->awaits_stream());
  Passed(49);
  EXPECT_THAT(published_, IsEmpty());
  Change("2");
  Passed(50);
  EXPECT_THAT(published_, ElementsAre("1", "3"));
  EXPECT_EQ(Begun(), "read public.big after 3 to 10");
  AnswerRead(SeenAt(60, {}));
  EXPECT_EQ(Begun(), "");
  EXPECT_EQ(told_.back(), "s1 COMPLETED");
  EXPECT_TRUE(State().empty());
}

TEST_F(ReadOnly, WhatWasToldWhileTheChunkWasReadIsLeftOut) {
  Execute();
  Change("1");
  AnswerRead(SeenAt(50, {"1", "2"}));
  Passed(50);
  EXPECT_THAT(published_, ElementsAre("2"));
}

TEST_F(ReadOnly, AViewThatHidesWhatWasStreamedIsTakenAgainEverLater) {
  Change("1");
  snapshots_->OnCommit(100);
  Execute();
  EXPECT_EQ(Begun(), "read public.big");
  AnswerRead(SeenAt(50, {"1"}));
  Passed(50);
  EXPECT_THAT(published_, IsEmpty());
  EXPECT_EQ(Begun(), "read public.big") << "at once";
  AnswerRead(SeenAt(50, {"1"}));
  Passed(50);
  EXPECT_EQ(Begun(), "") << "after a pause";
  const absl::Duration pause = snapshots_->UntilDue();
  EXPECT_GT(pause, absl::ZeroDuration());
  clock_.Advance(pause);
  Passed(50);
  EXPECT_EQ(Begun(), "read public.big");
  Chunk shown = SeenAt(50, {"1"});
  shown.next_xid = 101;
  AnswerRead(std::move(shown));
  Passed(50);
  EXPECT_THAT(published_, ElementsAre("1"));
}

TEST_F(SnapshotsTest, AWindowThatOverflowsIsReadAgainWithFewerRows) {
  options_.chunk_size = 8;
  Restart();
  const auto overflow = [this](const std::string& window) {
    Opened(window);
    Answer();
    for (size_t i = 0; i <= Window::kMaxKeys; ++i) Change(std::to_string(i));
    AnswerRead(Rows({"1", "2"}));
    Answer();
    Closed(window);
  };
  Execute();
  overflow("w1");
  EXPECT_EQ(desk_.most_rows, 8);
  overflow("w2");
  EXPECT_EQ(desk_.most_rows, 4);
  EXPECT_THAT(published_, IsEmpty());
  EXPECT_GT(snapshots_->UntilDue(), absl::ZeroDuration()) << "not at once for the second time";
}

constexpr char kBlock[] = R"({"type": "blocking", "data-collections": ["public.b.*", "public.no"],
  "additional-conditions": [{"data-collection": "public.b1", "filter": "SELECT 1"}]})";

TEST_F(SnapshotsTest, ABlockingSnapshotWaitsInTheStateUntilItIsOver) {
  Signal("execute-snapshot", kBlock);
  EXPECT_TRUE(snapshots_->blocks());
  const BlockingSnapshot asked = *snapshots_->NextBlocking();
  EXPECT_EQ(asked.id, "s1");
  EXPECT_THAT(asked.tables, ElementsAre(TableId{"public", "b1"}, TableId{"public", "big"}));
  EXPECT_EQ(asked.statements.at("public.b1"), "SELECT 1");
  const OffsetMembers state = State();
  EXPECT_EQ(state.count("walduct_blocking_snapshots"), 1U);
  Restart();
  ASSERT_TRUE(snapshots_->Resume(state).ok());
  ASSERT_TRUE(snapshots_->blocks()) << "a restart does not forget it";
  EXPECT_EQ(snapshots_->NextBlocking()->tables, asked.tables);
  snapshots_->EndBlocking();
  EXPECT_FALSE(snapshots_->blocks());
  EXPECT_TRUE(State().empty());
}

TEST_F(SnapshotsTest, ABlockingSnapshotReadsTablesThatWereMadeSince) {
  Signal("execute-snapshot",
         R"({"type": "blocking", "data-collections": ["public.made_since", "public.no"]})");
  EXPECT_THAT(snapshots_->NextBlocking()->tables, ElementsAre(TableId{"public", "made_since"}));
}

TEST_F(SnapshotsTest, ABlockingSnapshotIsNotReadWhereTheViewHidesWhatWasStreamed) {
  Change("1");
  snapshots_->OnCommit(77);
  TransactionView view;
  view.next_xid = 80;
  EXPECT_FALSE(snapshots_->IsHiddenFrom(view));
  view.running = {77};
  EXPECT_TRUE(snapshots_->IsHiddenFrom(view));
}

}  // namespace
}  // namespace walduct::incremental
