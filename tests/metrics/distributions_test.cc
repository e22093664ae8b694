#include <gtest/gtest.h>

#include "metrics/histogram.h"
#include "metrics/reason_counters.h"
#include "metrics/slot_board.h"
#include "metrics/snapshot_board.h"
#include "metrics/table_metrics.h"

namespace walduct::metrics {
namespace {

TEST(Histogram, CountsByUpperBound) {
  Histogram histogram;
  histogram.Observe(absl::Milliseconds(1), 3);     // on a bound: below it
  histogram.Observe(absl::Microseconds(1001), 2);  // above it
  histogram.Observe(absl::Hours(24));
  histogram.Observe(-absl::Seconds(1));
  EXPECT_EQ(histogram.bucket(0), 4u);
  EXPECT_EQ(histogram.bucket(1), 2u);
  EXPECT_EQ(histogram.bucket(Histogram::kBuckets - 1), 1u);
  EXPECT_EQ(histogram.sum_us(), 3000u + 2002u + 86'400'000'000u);
}

TEST(Summary, KnowsNothingBeforeTheFirst) {
  const Summary summary;
  EXPECT_FALSE(summary.last());
  EXPECT_FALSE(summary.min());
  EXPECT_FALSE(summary.mean());
  EXPECT_FALSE(summary.Quantile(0.5));
}

TEST(Summary, ExtremesMeanAndQuantiles) {
  Summary summary;
  for (int ms = 1; ms <= 1000; ++ms) summary.Observe(absl::Milliseconds(ms));
  EXPECT_EQ(summary.min(), 1u);
  EXPECT_EQ(summary.max(), 1000u);
  EXPECT_EQ(summary.last(), 1000u);
  EXPECT_EQ(summary.mean(), 500u);
  EXPECT_NEAR(static_cast<double>(*summary.Quantile(0.5)), 500, 500.0 / 8);
  EXPECT_NEAR(static_cast<double>(*summary.Quantile(0.99)), 990, 990.0 / 8);
  EXPECT_EQ(summary.Quantile(0), 1u);
}

TEST(Summary, HoldsAnyDuration) {
  Summary summary;
  summary.Observe(absl::Hours(24 * 365 * 100));
  summary.Observe(absl::InfiniteDuration());
  EXPECT_EQ(summary.count(), 2u);
  EXPECT_GE(*summary.Quantile(1), *summary.min());
}

TEST(TableMetrics, CountsPerTableUpToABound) {
  TableMetrics tables;
  for (size_t i = 0; i < TableMetrics::kMaxTables + 10; ++i)
    tables.Of("public", "t" + std::to_string(i))->by_kind[0].rows.Add();
  EXPECT_EQ(tables.Of("public", "t0"), tables.Of("public", "t0"));
  const std::vector<TableMetrics::View> views = tables.Read();
  ASSERT_EQ(views.size(), TableMetrics::kMaxTables + 1);
  EXPECT_EQ(views[0].table, "");
  EXPECT_EQ(views[0].counters->by_kind[0].rows.value(), 10u);
}

TEST(ReasonCounters, AreBounded) {
  ReasonCounters reasons;
  for (int i = 0; i < 1000; ++i) reasons.Add("reason_" + std::to_string(i));
  reasons.Add("");
  EXPECT_LE(reasons.Read().size(), ReasonCounters::kMaxReasons + 1);
  EXPECT_EQ(reasons.Read().at("reason_0"), 1u);
  EXPECT_EQ(reasons.Read().at("other"), 1000u - ReasonCounters::kMaxReasons + 1);
}

TEST(SlotView, TimeUntilLostFollowsTheGrowth) {
  SlotView slot;
  slot.growth_per_second = 100;
  EXPECT_FALSE(slot.TimeUntilLost());  // no limit
  slot.safe_wal_bytes = 6000;
  EXPECT_EQ(slot.TimeUntilLost(), absl::Minutes(1));
  slot.safe_wal_bytes = -5;
  EXPECT_EQ(slot.TimeUntilLost(), absl::ZeroDuration());
  slot.growth_per_second = 0;
  EXPECT_FALSE(slot.TimeUntilLost());
}

SlotView LookedAt(std::string wal_status, int64_t second) {
  SlotView view;
  view.wal_status = std::move(wal_status);
  view.looked_at = absl::Seconds(second);
  return view;
}

TEST(SlotBoard, WhatAnErrorSaysCountsUntilTheNextLook) {
  SlotBoard board;
  board.Show(LookedAt("reserved", 100));
  board.OnError("broker_unavailable", absl::Seconds(101));
  EXPECT_EQ(board.Read()->StatusAt(absl::Seconds(102)), "reserved")
      << "it says nothing of the slot";
  board.OnError("slot_invalidated", absl::Seconds(105));
  EXPECT_EQ(board.Read()->StatusAt(absl::Seconds(106)), "lost");
  board.Show(LookedAt("reserved", 104));
  EXPECT_EQ(board.Read()->StatusAt(absl::Hours(1)), "lost") << "a look that was before it";
  board.Show(LookedAt("reserved", 200));
  EXPECT_EQ(board.Read()->StatusAt(absl::Seconds(201)), "reserved") << "it was made anew";
  board.OnError("position_lost", absl::Seconds(202));
  EXPECT_EQ(board.Read()->StatusAt(absl::Seconds(203)), "unknown");
  board.Show(LookedAt("missing", 204));
  EXPECT_EQ(board.Read()->StatusAt(absl::Seconds(205)), "missing");
  EXPECT_EQ(board.Read()->StatusAt(absl::Seconds(240)), "unknown") << "nobody could look since";
  board.OnError("slot_lost", absl::Seconds(241));
  board.OnError("lost_slot_held", absl::Seconds(242));
  EXPECT_EQ(board.Read()->StatusAt(absl::Seconds(243)), "unknown") << "another stands there";
}

TEST(SlotBoard, OneThatWasNeverThereIsNotMissing) {
  SlotBoard board;
  board.Show(LookedAt("missing", 100));
  EXPECT_EQ(board.Read()->StatusAt(absl::Seconds(101)), "none");
}

SnapshotTable Table(std::string name, std::optional<uint64_t> estimate) {
  SnapshotTable table;
  table.schema = "public";
  table.table = std::move(name);
  table.estimated_rows = estimate;
  return table;
}

TEST(SnapshotBoard, EstimatesWhatIsLeft) {
  SnapshotBoard board;
  board.Begin({Table("a", 100), Table("b", 300)}, absl::Seconds(10));
  EXPECT_FALSE(board.Read().TimeLeft(absl::Seconds(20)));
  board.BeginTable(0, absl::Seconds(10));
  board.AddRows(0, 120);
  board.EndTable(0, absl::Seconds(15));
  board.BeginTable(1, absl::Seconds(15));
  board.AddRows(1, 80);
  const SnapshotView view = board.Read();
  EXPECT_EQ(view.rows(), 200u);
  EXPECT_EQ(view.rows_left(), 220u);
  EXPECT_FALSE(view.at_least());
  EXPECT_EQ(view.TimeLeft(absl::Seconds(20)), absl::Seconds(11));
  EXPECT_TRUE(view.tables[0].done);
  board.End(SnapshotOutcome::kCompleted, absl::Seconds(30));
  EXPECT_FALSE(board.Read().TimeLeft(absl::Seconds(40)));
}

TEST(SnapshotBoard, TablesWithoutStatisticsComeOnTop) {
  SnapshotBoard board;
  board.Begin({Table("a", 100), Table("b", std::nullopt)}, absl::ZeroDuration());
  board.AddRows(0, 50);
  EXPECT_EQ(board.Read().rows_left(), 50u);
  EXPECT_TRUE(board.Read().at_least());
  board.EndTable(0, absl::ZeroDuration());
  EXPECT_FALSE(board.Read().rows_left());
}

}  // namespace
}  // namespace walduct::metrics
