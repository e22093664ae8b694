#include "metrics/table_progress.h"

#include <gtest/gtest.h>

#include "metrics/incremental_board.h"
#include "metrics/incremental_runs.h"
#include "metrics/snapshot_board.h"

namespace walduct::metrics {
namespace {

TEST(TableProgress, IsKnownByBlocksWhereTheyAre) {
  TableProgress table;
  EXPECT_FALSE(table.share());
  EXPECT_EQ(ShareText(table.share()), "unknown");
  table.blocks = 400;
  table.blocks_read = 100;
  table.rows = 5000;
  table.estimated_rows = 7;  // long ago
  EXPECT_EQ(ShareText(table.share()), "25.0 by blocks");
  EXPECT_EQ(table.rows_left(), 15000u);
  table.blocks_before = 200;
  EXPECT_EQ(ShareText(table.share()), "75.0 by blocks");
  EXPECT_EQ(table.rows_left(), 5000u) << "at the density of this attempt";
}

TEST(TableProgress, BeforeTheFirstBlocksTheEstimateTellsWhatIsLeft) {
  TableProgress table;
  table.blocks = 400;
  table.blocks_before = 100;
  EXPECT_FALSE(table.rows_left());
  table.estimated_rows = 4000;
  EXPECT_EQ(table.rows_left(), 3000u);
}

TEST(TableProgress, AnEstimateOfRowsIsNeverAll) {
  TableProgress table;
  table.estimated_rows = 100;
  table.rows = 30;
  table.rows_before = 20;
  EXPECT_EQ(ShareText(table.share()), "50.0 by rows");
  EXPECT_EQ(table.rows_left(), 50u);
  table.rows = 500;
  EXPECT_EQ(ShareText(table.share()), "99.0 by rows");
  EXPECT_EQ(table.rows_left(), 0u);
  table.done = true;
  EXPECT_EQ(ShareText(table.share()), "100.0 by rows");
}

TEST(TableProgress, AnEmptyTableDividesByNothing) {
  TableProgress table;
  table.estimated_rows = 0;
  EXPECT_EQ(ShareText(table.share()), "0.0 by rows");
  table.blocks = 0;
  EXPECT_EQ(ShareText(table.share()), "0.0 by blocks");
}

TEST(SnapshotBoard, ChunksTellHowFarATableIsThatWasNeverAnalyzed) {
  SnapshotBoard board;
  SnapshotTable big;
  big.blocks = 1000;
  big.chunks = 10;
  board.Begin({big}, absl::ZeroDuration());
  board.BeginTable(0, absl::ZeroDuration());
  board.AddRows(0, 600);
  EXPECT_TRUE(board.Read().at_least()) << "no chunk is over";
  board.EndChunk(0, 100);
  board.EndChunk(0, 200);
  EXPECT_EQ(board.Read().tables[0].chunks_read, 2u);
  EXPECT_FALSE(board.Read().at_least());
  EXPECT_EQ(board.Read().TimeLeft(absl::Seconds(3)), absl::Seconds(7));
  EXPECT_EQ(board.Read().Rate(absl::Seconds(3)), 200);
  board.EndTable(0, absl::Seconds(10));
  board.End(SnapshotOutcome::kCompleted, absl::Seconds(10));
  EXPECT_EQ(board.Read().tables[0].chunks_read, 10u);
  EXPECT_EQ(board.Read().Rate(absl::Seconds(100)), 60);
}

TEST(IncrementalView, StandingStillIsNoReading) {
  IncrementalView view;
  view.running = true;
  view.began = absl::Seconds(100);
  view.held = absl::Seconds(10);
  view.rows = 50;
  view.rows_before = 1000;
  view.estimated_rows = 1100;
  EXPECT_EQ(view.Rate(absl::Seconds(120)), 5);
  EXPECT_EQ(view.TimeLeft(absl::Seconds(120)), absl::Seconds(10));
  view.held_by = "paused";
  view.held_since = absl::Seconds(115);
  EXPECT_EQ(view.Rate(absl::Seconds(1000)), 10);
  EXPECT_FALSE(view.TimeLeft(absl::Seconds(1000)));
}

TEST(IncrementalRuns, OneBehindTheOther) {
  IncrementalRuns runs;
  runs.Show(2, false, absl::Seconds(10));
  runs.Scanned("public.a", 5);
  runs.Show(2, true, absl::Seconds(11));
  runs.Show(2, true, absl::Seconds(12));
  EXPECT_EQ(runs.Read().paused_since, absl::Seconds(11));
  runs.Show(1, false, absl::Seconds(14));
  EXPECT_EQ(runs.Read().paused, absl::Seconds(3));
  runs.End(SnapshotOutcome::kCompleted, absl::Seconds(20));
  runs.Show(0, false, absl::Seconds(20));
  EXPECT_EQ(runs.Read().outcome, SnapshotOutcome::kCompleted);
  runs.Show(1, false, absl::Seconds(30));
  EXPECT_EQ(runs.Read().outcome, SnapshotOutcome::kRunning);
  EXPECT_EQ(runs.Read().began, absl::Seconds(30));
  EXPECT_EQ(runs.Read().paused, absl::ZeroDuration());
  EXPECT_EQ(runs.Read().tables.at("public.a"), 5u) << "of the process";
  runs.Forget();
  EXPECT_EQ(runs.Read().outcome, SnapshotOutcome::kNone);
}

}  // namespace
}  // namespace walduct::metrics
