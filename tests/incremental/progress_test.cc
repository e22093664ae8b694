// What the board shows of an incremental snapshot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/incremental/snapshots_fixture.h"

namespace walduct::incremental {
namespace {

using metrics::IncrementalView;
using testing::ElementsAre;

class ProgressTest : public SnapshotsTest {
 protected:
  IncrementalView View() const { return metrics_.incremental.Read(); }
  // A chunk that is read and published.
  void PlayChunk(const std::vector<std::string>& ids, std::optional<uint64_t> estimate) {
    Answer();
    const std::string window = absl::StrCat("w", ids_);
    Opened(window);
    Chunk chunk = Rows(ids);
    chunk.estimated_rows = estimate;
    AnswerRead(std::move(chunk));
    Answer();
    Closed(window);
  }
};

TEST_F(ProgressTest, TableByTableChunkByChunk) {
  EXPECT_FALSE(View().running);
  Execute("\"public.big\", \"public.b1\"", "mine");
  EXPECT_TRUE(View().running);
  EXPECT_EQ(View().id, "mine");
  EXPECT_EQ(View().schema, "public");
  EXPECT_EQ(View().table, "big");
  EXPECT_EQ(View().tables_waiting, 1u);
  EXPECT_THAT(View().named, ElementsAre("public.b1"));
  EXPECT_EQ(metrics_.incremental_tables.value(), 2u);
  clock_.Advance(absl::Seconds(10));
  PlayChunk({"1", "2"}, 8);
  PlayChunk({"3"}, 8);
  EXPECT_EQ(View().chunks, 2u);
  EXPECT_EQ(View().rows, 3u);
  EXPECT_EQ(View().estimated_rows, 8u);
  ASSERT_TRUE(View().TimeLeft(clock_.Monotonic()));
  EXPECT_NEAR(absl::ToDoubleSeconds(*View().TimeLeft(clock_.Monotonic())), 10.0 * 5 / 3, 0.01);
  Answer();
  Opened(absl::StrCat("w", ids_));
  AnswerRead(Rows({}));
  EXPECT_EQ(View().table, "b1");
  EXPECT_EQ(View().chunks, 0u);
  EXPECT_EQ(View().rows, 0u);
  EXPECT_EQ(View().estimated_rows, std::nullopt);
  EXPECT_EQ(View().tables_waiting, 0u);
  EXPECT_EQ(metrics_.incremental_tables.value(), 1u);
  AnswerRead(Rows({}));
  EXPECT_FALSE(View().running);
  EXPECT_EQ(metrics_.incremental_tables.value(), 0u);
}

// What a crash repeats is bounded.
TEST_F(ProgressTest, ChunksThatAreNotStoredAreFew) {
  Execute();
  for (size_t i = 0; i < IncrementalSnapshots::kMostUnstored; ++i) {
    EXPECT_EQ(asked_to_store_, 0);
    PlayChunk({absl::StrCat(i)}, std::nullopt);
  }
  EXPECT_EQ(asked_to_store_, 1);
  Begun();
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "");
  EXPECT_EQ(asked_to_store_, 2);
  EXPECT_GT(snapshots_->UntilDue(), absl::ZeroDuration());
  EXPECT_LE(snapshots_->UntilDue(), absl::Milliseconds(10));
  stored_ = mark_ - 1;
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), absl::StrCat("open w", ids_));
}

// Changes would stand behind them on their way to Kafka.
TEST_F(ProgressTest, WhileChangesAreStreamedOneChunkIsNotStored) {
  Execute();
  Change("7");
  snapshots_->OnCommit(700);
  PlayChunk({"1"}, std::nullopt);
  EXPECT_EQ(asked_to_store_, 1);
  Begun();
  clock_.Advance(absl::Milliseconds(10));
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), "");
  stored_ = mark_;
  clock_.Advance(absl::Milliseconds(10));
  ASSERT_TRUE(snapshots_->Turn().ok());
  EXPECT_EQ(Begun(), absl::StrCat("open w", ids_));
  // Once there are none, it goes on as fast as it can.
  clock_.Advance(absl::Seconds(1));
  asked_to_store_ = 0;
  PlayChunk({"2"}, std::nullopt);
  EXPECT_EQ(asked_to_store_, 0);
}

TEST_F(ProgressTest, WhatItStandsStillFor) {
  Execute();
  PlayChunk({"1"}, std::nullopt);
  EXPECT_EQ(View().held_by, "");
  Answer(absl::UnavailableError("the server is away"));
  EXPECT_EQ(View().held_by, "the server is away");
  const absl::Duration since = View().held_since;
  clock_.Advance(absl::Seconds(5));
  ASSERT_TRUE(snapshots_->Turn().ok());
  Answer(absl::UnavailableError("the server is away"));
  EXPECT_EQ(View().held_since, since);
  clock_.Advance(absl::Seconds(5));
  ASSERT_TRUE(snapshots_->Turn().ok());
  Answer();
  EXPECT_EQ(View().held_by, "");
  Signal("pause-snapshot");
  EXPECT_EQ(View().held_by, "paused");
  EXPECT_EQ(View().TimeLeft(clock_.Monotonic()), std::nullopt);
  Signal("resume-snapshot");
  EXPECT_EQ(View().held_by, "");
}

TEST_F(ProgressTest, ARestartShowsWhatGoesOn) {
  Execute("\"public.big\", \"public.b1\"");
  PlayChunk({"1"}, 5);
  const OffsetMembers stored = State();
  snapshots_.reset();
  EXPECT_FALSE(View().running) << "nobody reads";
  Restart();
  ASSERT_TRUE(snapshots_->Resume(stored).ok());
  EXPECT_TRUE(View().running);
  EXPECT_EQ(View().table, "big");
  EXPECT_EQ(View().rows, 0u) << "of this process";
  EXPECT_EQ(View().rows_before, 1u);
  EXPECT_EQ(View().tables_waiting, 1u);
  PlayChunk({"2"}, 4);
  EXPECT_EQ(metrics::ShareText(View().share()), "50.0 by rows");
  EXPECT_EQ(State().at("walduct_incremental_snapshot"), R"x("{\"rows\":2}")x");
}

TEST_F(ProgressTest, WhatADebeziumHasLeftCountsFromThere) {
  Execute();
  PlayChunk({"1"}, 5);
  OffsetMembers stored = State();
  stored.erase("walduct_incremental_snapshot");
  Restart();
  ASSERT_TRUE(snapshots_->Resume(stored).ok());
  EXPECT_EQ(View().rows_before, 0u);
}

// As Debezium's bean has it.
TEST_F(ProgressTest, ARunIsToldOf) {
  const auto run = [this] { return metrics_.incremental_runs.Read(); };
  using enum metrics::SnapshotOutcome;
  Execute("\"public.big\", \"public.b1\"");
  EXPECT_EQ(run().outcome, kRunning);
  EXPECT_EQ(run().remaining, 2u);
  PlayChunk({"1", "2"}, std::nullopt);
  EXPECT_EQ(run().tables.at("public.big"), 2u);
  EXPECT_EQ(run().tables.at("public.b1"), 0u);
  Signal("pause-snapshot");
  EXPECT_TRUE(run().paused_since);
  Signal("resume-snapshot");
  EXPECT_FALSE(run().paused_since);
  Signal("stop-snapshot");
  PlayChunk({"3"}, std::nullopt);
  EXPECT_EQ(run().outcome, kAborted);
  EXPECT_EQ(run().remaining, 0u);
}

}  // namespace
}  // namespace walduct::incremental
