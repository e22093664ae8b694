#include "snapshot/row_marker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/snapshot/recorder.h"

namespace walduct::event {
void PrintTo(SnapshotMarker marker, std::ostream* out) {
  constexpr const char* kNames[] = {
      "false", "true",       "first", "first_in_data_collection", "last_in_data_collection",
      "last",  "incremental"};
  *out << kNames[static_cast<size_t>(marker)];
}
}  // namespace walduct::event

namespace walduct::snapshot {
namespace {

using event::SnapshotMarker;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr SnapshotMarker kTrue = SnapshotMarker::kTrue;
constexpr SnapshotMarker kFirst = SnapshotMarker::kFirst;
constexpr SnapshotMarker kFirstIn = SnapshotMarker::kFirstInDataCollection;
constexpr SnapshotMarker kLastIn = SnapshotMarker::kLastInDataCollection;
constexpr SnapshotMarker kLast = SnapshotMarker::kLast;

event::TableSchemaPtr Table(const std::string& name, size_t columns) {
  auto schema = std::make_shared<event::TableSchema>();
  schema->schema = "public";
  schema->table = name;
  schema->columns.resize(columns);
  return schema;
}

// A snapshot of tables with that many rows each; every row's one value is freed before the next is
// given.
std::vector<Recorded> Snapshot(const std::vector<int>& rows_per_table) {
  Recorder recorder;
  RowMarker marker({.consistent_point = Lsn(100), .xid = 7, .time_us = 5});
  for (size_t table = 0; table < rows_per_table.size(); ++table) {
    marker.StartTable(Table("t" + std::to_string(table), 1));
    for (int row = 0; row < rows_per_table[table]; ++row) {
      auto text = std::make_unique<std::string>("row " + std::to_string(row));
      const event::Value value = event::Value::Text(*text);
      EXPECT_TRUE(marker.OnRow({&value, 1}, recorder).ok());
    }
    marker.EndTable();
  }
  EXPECT_TRUE(marker.Finish(recorder).ok());
  return recorder.changes;
}

std::vector<SnapshotMarker> Markers(const std::vector<int>& rows_per_table) {
  std::vector<SnapshotMarker> markers;
  for (const Recorded& change : Snapshot(rows_per_table)) markers.push_back(change.marker);
  return markers;
}

TEST(RowMarker, NoTablesGiveNothing) { EXPECT_THAT(Markers({}), IsEmpty()); }
TEST(RowMarker, EmptyTablesGiveNothing_SNP29) { EXPECT_THAT(Markers({0, 0}), IsEmpty()); }
TEST(RowMarker, TheOnlyRowIsLast_SNP12) { EXPECT_THAT(Markers({1}), ElementsAre(kLast)); }
TEST(RowMarker, TwoRowsAreFirstAndLast_SNP12) {
  EXPECT_THAT(Markers({2}), ElementsAre(kFirst, kLast));
}
TEST(RowMarker, RowsBetweenAreTrue_SNP12) {
  EXPECT_THAT(Markers({4}), ElementsAre(kFirst, kTrue, kTrue, kLast));
}
TEST(RowMarker, SeveralTables_SNP12) {
  EXPECT_THAT(Markers({3, 3, 3}), ElementsAre(kFirst, kTrue, kLastIn, kFirstIn, kTrue, kLastIn,
                                              kFirstIn, kTrue, kLast));
}
TEST(RowMarker, ATablesOnlyRowIsItsLast_SNP12) {
  EXPECT_THAT(Markers({2, 1, 2}), ElementsAre(kFirst, kLastIn, kLastIn, kFirstIn, kLast));
}
TEST(RowMarker, TheFirstTablesOnlyRowIsFirst_SNP12) {
  EXPECT_THAT(Markers({1, 1}), ElementsAre(kFirst, kLast));
}
TEST(RowMarker, NobodyIsFirstWhenTheFirstTableIsEmpty_SNP12) {
  EXPECT_THAT(Markers({0, 3, 3, 0}), ElementsAre(kFirstIn, kTrue, kLastIn, kFirstIn, kTrue, kLast));
}
TEST(RowMarker, LastSkipsEmptyTablesAtTheEnd_SNP12) {
  EXPECT_THAT(Markers({2, 0, 0}), ElementsAre(kFirst, kLast));
}
TEST(RowMarker, EmptyTablesBetweenChangeNothing_SNP12) {
  EXPECT_THAT(Markers({2, 0, 2}), ElementsAre(kFirst, kLastIn, kFirstIn, kLast));
}

TEST(RowMarker, OnlyTheLastRowCompletesThePosition_SNP10) {
  const auto changes = Snapshot({2, 2, 0});
  ASSERT_EQ(changes.size(), 4u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(changes[i].phase, event::SnapshotPhase::kRunning) << i;
  EXPECT_EQ(changes[3].phase, event::SnapshotPhase::kCompleted);
}

TEST(RowMarker, RowsKeepTheirTableAndTextBeyondTheSourcesBuffer) {
  const auto changes = Snapshot({2, 1});
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].table, "t0");
  EXPECT_EQ(changes[1].table, "t0");
  EXPECT_EQ(changes[2].table, "t1");
  EXPECT_EQ(changes[1].values[0], "row 1");
  EXPECT_EQ(changes[2].values[0], "row 0");
}

TEST(RowMarker, EveryRowIsAReadAtTheConsistentPoint) {
  for (const Recorded& change : Snapshot({2})) {
    EXPECT_EQ(change.operation, event::Operation::kRead);
    EXPECT_EQ(change.lsn, Lsn(100));
    EXPECT_EQ(change.commit_end, Lsn(100));
    EXPECT_EQ(change.xid, 7u);
    EXPECT_EQ(change.source_time_us, 5);
  }
}

TEST(RowMarker, KeepsNullsEmptyAndAbsentValuesApart) {
  Recorder recorder;
  RowMarker marker({});
  marker.StartTable(Table("t", 4));
  const event::Value row[] = {event::Value::Null(), event::Value::Text(""),
                              event::Value{nullptr, 0, event::ValueKind::kAbsent},
                              event::Value::Text("x")};
  ASSERT_TRUE(marker.OnRow(row, recorder).ok());
  marker.EndTable();
  ASSERT_TRUE(marker.Finish(recorder).ok());
  ASSERT_EQ(recorder.changes.size(), 1u);
  EXPECT_THAT(recorder.changes[0].kinds,
              ElementsAre(event::ValueKind::kNull, event::ValueKind::kText,
                          event::ValueKind::kAbsent, event::ValueKind::kText));
  EXPECT_EQ(recorder.changes[0].values[1], "");
  EXPECT_EQ(recorder.changes[0].values[3], "x");
  EXPECT_FALSE(recorder.changes[0].xid.has_value());
}

TEST(RowMarker, SurvivesAHugeRowBetweenSmallOnes) {
  Recorder recorder;
  RowMarker marker({});
  marker.StartTable(Table("t", 2));
  const std::string huge(5 << 20, 'x');
  const std::vector<std::string> texts = {"small", huge, "again small"};
  for (const std::string& text : texts) {
    const event::Value row[] = {event::Value::Text(text), event::Value::Text("tail")};
    ASSERT_TRUE(marker.OnRow(row, recorder).ok());
  }
  marker.EndTable();
  ASSERT_TRUE(marker.Finish(recorder).ok());
  ASSERT_EQ(recorder.changes.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(recorder.changes[i].values[0] == texts[i]) << i;
    EXPECT_EQ(recorder.changes[i].values[1], "tail");
  }
}

// Rows of two lanes: each step is a lane and what it does.
struct LaneStep {
  size_t lane;
  enum { kStart, kRow, kEnd } what;
  PartPlace place = {};
  const char* text = "";
};

std::vector<std::string> InLanes(const std::vector<LaneStep>& steps) {
  constexpr const char* kNames[] = {"false", "true", "first", "first_in", "last_in", "last"};
  Recorder recorder;
  RowMarker marker({}, 2);
  for (const LaneStep& step : steps) {
    const event::Value value = event::Value::Text(step.text);
    if (step.what == LaneStep::kStart) {
      marker.StartPart(step.lane, step.place, Table("t" + std::to_string(step.place.table), 1));
    } else if (step.what == LaneStep::kEnd) {
      marker.EndPart(step.lane);
    } else {
      EXPECT_TRUE(marker.OnRow(step.lane, {&value, 1}, recorder).ok());
    }
  }
  EXPECT_TRUE(marker.Finish(recorder).ok());
  std::vector<std::string> rows;
  for (const Recorded& change : recorder.changes)
    rows.push_back(*change.values[0] + " " + kNames[static_cast<size_t>(change.marker)]);
  return rows;
}

TEST(RowMarker, PartsOfOneTableHaveOneFirstAndOneLast_SNP23) {
  EXPECT_THAT(InLanes({{0, LaneStep::kStart, {.table = 0, .part = 0, .parts = 2}},
                       {1, LaneStep::kStart, {.table = 0, .part = 1, .parts = 2}},
                       {1, LaneStep::kRow, {}, "c"},
                       {1, LaneStep::kRow, {}, "d"},
                       {0, LaneStep::kRow, {}, "a"},
                       {1, LaneStep::kEnd},
                       {0, LaneStep::kRow, {}, "b"},
                       {0, LaneStep::kEnd}}),
              ElementsAre("c true", "a first", "b true", "d last"));
}

TEST(RowMarker, TablesAtTheSameTimeHaveMarkersOfTheirOwn_SNP23) {
  EXPECT_THAT(InLanes({{0, LaneStep::kStart, {.table = 0}},
                       {1, LaneStep::kStart, {.table = 1}},
                       {0, LaneStep::kRow, {}, "a"},
                       {1, LaneStep::kRow, {}, "x"},
                       {1, LaneStep::kRow, {}, "y"},
                       {1, LaneStep::kEnd},
                       {0, LaneStep::kRow, {}, "b"},
                       {0, LaneStep::kEnd}}),
              ElementsAre("x first_in", "y last_in", "a first", "b last"));
}

TEST(RowMarker, EmptyPartsAtBothEndsLeaveTheMarkersToTheOthers_SNP23) {
  EXPECT_THAT(InLanes({{0, LaneStep::kStart, {.table = 0, .part = 0, .parts = 4}},
                       {0, LaneStep::kEnd},
                       {0, LaneStep::kStart, {.table = 0, .part = 1, .parts = 4}},
                       {1, LaneStep::kStart, {.table = 0, .part = 2, .parts = 4}},
                       {0, LaneStep::kRow, {}, "a"},
                       {0, LaneStep::kRow, {}, "b"},
                       {1, LaneStep::kRow, {}, "c"},
                       {1, LaneStep::kEnd},
                       {1, LaneStep::kStart, {.table = 0, .part = 3, .parts = 4}},
                       {1, LaneStep::kEnd},
                       {0, LaneStep::kEnd},
                       {0, LaneStep::kStart, {.table = 1}},
                       {0, LaneStep::kRow, {}, "z"},
                       {0, LaneStep::kEnd}}),
              ElementsAre("a first", "b true", "c last_in", "z last"));
}

TEST(RowMarker, APartThatTurnsOutEmptyLateLeavesFirstToARowOfTheNext_SNP23) {
  EXPECT_THAT(InLanes({{0, LaneStep::kStart, {.table = 0, .part = 0, .parts = 3}},
                       {1, LaneStep::kStart, {.table = 0, .part = 1, .parts = 3}},
                       {1, LaneStep::kRow, {}, "a"},
                       {1, LaneStep::kRow, {}, "b"},
                       {0, LaneStep::kEnd},
                       {1, LaneStep::kRow, {}, "c"},
                       {0, LaneStep::kStart, {.table = 0, .part = 2, .parts = 3}},
                       {0, LaneStep::kRow, {}, "d"},
                       {1, LaneStep::kEnd},
                       {0, LaneStep::kEnd}}),
              ElementsAre("a true", "b first", "c true", "d last"));
}

TEST(RowMarker, PartsEndInAnyOrderBeforeTheFirstThatHasRows_SNP23) {
  EXPECT_THAT(InLanes({{0, LaneStep::kStart, {.table = 1, .part = 0, .parts = 4}},
                       {1, LaneStep::kStart, {.table = 1, .part = 1, .parts = 4}},
                       {1, LaneStep::kEnd},
                       {1, LaneStep::kStart, {.table = 1, .part = 2, .parts = 4}},
                       {1, LaneStep::kRow, {}, "a"},
                       {1, LaneStep::kEnd},
                       {0, LaneStep::kEnd},
                       {0, LaneStep::kStart, {.table = 1, .part = 3, .parts = 4}},
                       {0, LaneStep::kRow, {}, "b"},
                       {0, LaneStep::kRow, {}, "c"},
                       {0, LaneStep::kEnd}}),
              ElementsAre("b first_in", "a true", "c last"));
}

TEST(RowMarker, PassesTheHandlersErrorOn) {
  Recorder recorder;
  recorder.fail_at = 1;
  RowMarker marker({});
  marker.StartTable(Table("t", 1));
  const event::Value row = event::Value::Text("x");
  EXPECT_TRUE(marker.OnRow({&row, 1}, recorder).ok());
  EXPECT_TRUE(absl::IsUnavailable(marker.OnRow({&row, 1}, recorder)));
}

}  // namespace
}  // namespace walduct::snapshot
