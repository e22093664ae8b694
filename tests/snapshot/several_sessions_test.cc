// Snapshots that several sessions read, against a real server.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "tests/snapshot/reader_fixture.h"

namespace walduct::snapshot {
namespace {

using event::SnapshotMarker;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using walduct::test_servers::MustQuery;

// 100 rows fill some blocks; what is written after the view began is in none of them.
TEST_F(SnapshotReaderTest, PartsTogetherAreTheTable_SNP23) {
  Execute(
      "CREATE TABLE a(id int, v text); INSERT INTO a SELECT i, repeat('x', 500) FROM "
      "generate_series(1, 100) i; CREATE TABLE b(id int); CREATE TABLE c(id int PRIMARY KEY) "
      "PARTITION BY RANGE (id); CREATE TABLE c1 PARTITION OF c FOR VALUES FROM (0) TO (5); "
      "CREATE TABLE c2 PARTITION OF c FOR VALUES FROM (5) TO (1000); INSERT INTO c SELECT "
      "generate_series(0, 199)");
  options_.threads = 3;
  Begin();
  Execute(
      "INSERT INTO a SELECT i, repeat('y', 500) FROM generate_series(101, 200) i; "
      "UPDATE a SET v = 'new' WHERE id < 50; DELETE FROM c WHERE id > 100");
  ASSERT_TRUE(ReadInParts(3).ok());
  std::map<std::string, std::multiset<int>> read;
  std::map<SnapshotMarker, int> markers;
  for (const Recorded& change : recorder_.changes) {
    read[change.table].insert(std::stoi(*change.values[0]));
    ++markers[change.marker];
  }
  EXPECT_THAT(read["a"], SizeIs(100));
  EXPECT_EQ(*read["a"].rbegin(), 100);
  EXPECT_EQ(std::set<int>(read["a"].begin(), read["a"].end()).size(), 100u);
  EXPECT_THAT(read["c"], SizeIs(200));
  EXPECT_EQ(std::set<int>(read["c"].begin(), read["c"].end()).size(), 200u);
  EXPECT_EQ(markers[SnapshotMarker::kFirst], 1);
  EXPECT_EQ(markers[SnapshotMarker::kLast], 1);
  EXPECT_EQ(recorder_.changes.back().marker, SnapshotMarker::kLast);
  EXPECT_EQ(recorder_.changes.back().phase, event::SnapshotPhase::kCompleted);
}

// 20 MB, in chunks of 8 MB.
TEST_F(SnapshotReaderTest, ATableThatWasNeverAnalyzedIsKnownByItsBlocks) {
  Execute(
      "CREATE TABLE a(id int, v text) WITH (autovacuum_enabled = off); ALTER TABLE a ALTER v SET "
      "STORAGE PLAIN; INSERT INTO a SELECT i, repeat('x', 2000) FROM generate_series(1, 10000) i");
  options_.threads = 2;
  Begin();
  double seen = 0;
  listener_.on_part_end = [&] {
    const metrics::SnapshotTable table = metrics_.snapshot.Read().tables[0];
    ASSERT_TRUE(table.share()->by_blocks);
    seen = std::max(seen, table.share()->value * (table.done ? 0 : 1));
  };
  ASSERT_TRUE(ReadInParts(2).ok());
  EXPECT_GE(seen, 0.5);
  const metrics::SnapshotTable table = metrics_.snapshot.Read().tables[0];
  EXPECT_EQ(table.chunks, 4u);
  EXPECT_EQ(table.blocks_read, *table.blocks);
  EXPECT_EQ(ShareText(table.share()), "100.0 by blocks");
  std::set<int> read;
  for (const Recorded& change : recorder_.changes) read.insert(std::stoi(*change.values[0]));
  EXPECT_THAT(recorder_.changes, SizeIs(10000));
  EXPECT_THAT(read, SizeIs(10000));
}

TEST_F(SnapshotReaderTest, TellsTheListenerOfParts_SNP23) {
  Execute("CREATE TABLE a(id int); INSERT INTO a VALUES (1), (2)");
  options_.multiplier = 2;
  Begin();
  ASSERT_TRUE(ReadInParts(1).ok());
  EXPECT_THAT(listener_.told, ElementsAre("begin public.a", "part 0 of 2", "part 0 read",
                                          "part 1 of 2", "part 1 read", "end public.a 2"));
}

TEST_F(SnapshotReaderTest, WholeTablesForEachSession_SNP23) {
  Execute(
      "CREATE TABLE a(id int); INSERT INTO a SELECT generate_series(1, 3000); CREATE TABLE b(id "
      "int); INSERT INTO b VALUES (1), (2)");
  options_.threads = 2;
  options_.whole_tables = true;
  Begin();
  ASSERT_TRUE(ReadInParts(2, /*whole_tables=*/true).ok());
  EXPECT_THAT(recorder_.changes, SizeIs(3002));
  const std::vector<SnapshotMarker> markers = recorder_.markers();
  EXPECT_EQ(std::count(markers.begin(), markers.end(), SnapshotMarker::kFirst), 0);
  EXPECT_EQ(std::count(markers.begin(), markers.end(), SnapshotMarker::kLast), 1);
}

// Two sessions of vacuumdb --full: one waits for `a`, of which a part is read, one has `b`.
// Who gives up waiting for `b` must not let the first one move the rows of `a` between its parts.
TEST_F(SnapshotReaderTest, ATableIsNotRewrittenBetweenItsParts_SNP32) {
  Execute(
      "CREATE TABLE a(id int, v text); INSERT INTO a SELECT i, repeat('x', 500) FROM "
      "generate_series(1, 4000) i; DELETE FROM a WHERE id <= 1900; CREATE TABLE b(id int); "
      "INSERT INTO b VALUES (1)");
  options_.threads = 2;
  const auto rewriter = walduct::test_servers::MustOpen(database_);
  const auto holder = walduct::test_servers::MustOpen(database_);
  const auto locks = [&](const char* mode, const char* granted) {
    return MustQuery(*writer_, absl::StrCat("SELECT count(*) FROM pg_locks WHERE relation = "
                                            "'public.a'::regclass AND mode = '",
                                            mode, "' AND granted = ", granted)) != "0";
  };
  std::thread vacuum;
  Begin();
  MustQuery(*holder, "BEGIN");
  MustQuery(*holder, "LOCK TABLE public.b IN ACCESS EXCLUSIVE MODE");
  listener_.on_part_begin = [&](const PartPlace& place) {
    if (place.part != 1 || vacuum.joinable()) return;
    while (!locks("AccessShareLock", "true")) absl::SleepFor(absl::Milliseconds(1));
    vacuum = std::thread([&] { (void)rewriter->Run("VACUUM FULL public.a"); });
    while (!locks("AccessExclusiveLock", "false")) absl::SleepFor(absl::Milliseconds(1));
  };
  listener_.on_wait = [&](int waits) {
    if (waits == 30) MustQuery(*holder, "COMMIT");
  };
  const absl::Status read = ReadInParts(2);
  workers_.clear();
  ASSERT_TRUE(EndSnapshot(*connection_).ok());
  vacuum.join();
  ASSERT_TRUE(read.ok()) << read;
  EXPECT_THAT(recorder_.changes, SizeIs(2100 + 1));
}

TEST_F(SnapshotReaderTest, ALockedTableIsReadAfterTheOthers_SNP32) {
  Execute(
      "CREATE TABLE a(id int); INSERT INTO a VALUES (1); CREATE TABLE b(id int); INSERT INTO b "
      "VALUES (1)");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  Execute("BEGIN; LOCK TABLE a IN ACCESS EXCLUSIVE MODE");
  SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
  while (reader.progress().tables_done == 0) {
    ASSERT_TRUE(reader.Step(recorder_, 5).ok());
    Poller::Real().WaitReadable({reader.ready_fd()}, absl::Milliseconds(10));
  }
  EXPECT_EQ(metrics_.snapshot_tables_remaining.value(), 1u);
  MustQuery(*writer_, "COMMIT");
  ASSERT_TRUE(ReadToEnd(reader).ok());
  EXPECT_THAT(TablesRead(), ElementsAre("b", "a"));
  EXPECT_THAT(recorder_.markers(),
              ElementsAre(SnapshotMarker::kLastInDataCollection, SnapshotMarker::kLast));
}

}  // namespace
}  // namespace walduct::snapshot
