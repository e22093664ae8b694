// Snapshots against a real server: what is read, in which view, and what fails.
#include "snapshot/snapshot_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/poller.h"
#include "names/table_filter.h"
#include "postgres/options.h"
#include "snapshot/options.h"
#include "snapshot/rewritten_table.h"
#include "snapshot/transaction.h"
#include "tests/snapshot/reader_fixture.h"
#include "tests/support/postgres_server.h"

namespace walduct::snapshot {
namespace {

using event::SnapshotMarker;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using walduct::test_servers::MustOpen;
using walduct::test_servers::MustQuery;

TEST_F(SnapshotReaderTest, ReadsAllTablesWithMarkers_SNP12) {
  Execute(
      "CREATE TABLE a_empty(id int); CREATE TABLE b(id int); CREATE TABLE c(id int); "
      "INSERT INTO b SELECT generate_series(1, 3); INSERT INTO c VALUES (9)");
  Begin();
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(TablesRead(), ElementsAre("b", "b", "b", "c"));
  EXPECT_THAT(recorder_.markers(),
              ElementsAre(SnapshotMarker::kFirstInDataCollection, SnapshotMarker::kTrue,
                          SnapshotMarker::kLastInDataCollection, SnapshotMarker::kLast));
  EXPECT_EQ(recorder_.changes.back().phase, event::SnapshotPhase::kCompleted);
  EXPECT_EQ(recorder_.changes.front().commit_end, Lsn(4711));
}

TEST_F(SnapshotReaderTest, EmptyTablesGiveNoEvent_SNP29) {
  Execute("CREATE TABLE a(id int)");
  Begin();
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(recorder_.changes, IsEmpty());
}

TEST_F(SnapshotReaderTest, TablesWithoutColumnsAreNoObstacle_SNP21) {
  Execute(
      "CREATE TABLE a(); INSERT INTO a DEFAULT VALUES; CREATE TABLE b(id int); INSERT INTO b "
      "VALUES (1)");
  Begin();
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(TablesRead(), ElementsAre("b"));
}

TEST_F(SnapshotReaderTest, SeesTheDatabaseAsWhenItBegan_SNP15) {
  Execute("CREATE TABLE a(id int); CREATE TABLE b(id int); INSERT INTO a VALUES (1)");
  Begin();
  Execute("INSERT INTO a VALUES (2); INSERT INTO b VALUES (1); DELETE FROM a WHERE id = 1");
  ASSERT_TRUE(Read().ok());
  ASSERT_THAT(TablesRead(), ElementsAre("a"));
  EXPECT_EQ(recorder_.changes[0].values[0], "1");
}

TEST_F(SnapshotReaderTest, AdoptsAnExportedSnapshot_SNP13) {
  Execute("CREATE TABLE a(id int); INSERT INTO a VALUES (1)");
  const auto exporter = MustOpen(database_);
  MustQuery(*exporter, "BEGIN ISOLATION LEVEL REPEATABLE READ");
  const std::string name = MustQuery(*exporter, "SELECT pg_export_snapshot()");
  Execute("INSERT INTO a VALUES (2)");
  Begin(name);
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(TablesRead(), SizeIs(1));
}

TEST_F(SnapshotReaderTest, ASnapshotThatIsGoneIsAnErrorAndLeavesNoTransaction_SNP20) {
  const auto origin = BeginOnSnapshot(*connection_, {.snapshot_name = "00000003-0000001B-1"});
  EXPECT_THAT(std::string(origin.status().message()),
              HasSubstr("exported with the replication slot"));
  EXPECT_EQ(StateOfReader(), "idle");
}

TEST_F(SnapshotReaderTest, TheServerNoticesAReaderThatDied) {
  Begin();
  const auto interval =
      connection_->Query(postgres::Rows(1), "SHOW client_connection_check_interval");
  ASSERT_TRUE(interval.ok());
  EXPECT_EQ(interval->Get(0, 0), "10s");
}

TEST_F(SnapshotReaderTest, LeavesNoTransactionBehind_SNP20) {
  Execute("CREATE TABLE a(id int); INSERT INTO a VALUES (1)");
  Begin();
  ASSERT_TRUE(Read().ok());
  EXPECT_EQ(StateOfReader(), "idle in transaction");
  ASSERT_TRUE(EndSnapshot(*connection_).ok());
  EXPECT_EQ(StateOfReader(), "idle");
  ASSERT_TRUE(EndSnapshot(*connection_).ok()) << "harmless twice";
}

TEST_F(SnapshotReaderTest, KnowsItsTransactionAndTime) {
  const std::string before =
      MustQuery(*writer_, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8");
  Begin();
  const std::string after =
      MustQuery(*writer_, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8");
  EXPECT_GE(origin_.time_us, std::stoll(before));
  EXPECT_LE(origin_.time_us, std::stoll(after));
  EXPECT_EQ(std::to_string(origin_.xid.value()), MustQuery(*connection_, "SELECT txid_current()"));
}

TEST_F(SnapshotReaderTest, ValuesAreThoseOfTheStream_SNP37) {
  Execute(
      "CREATE TABLE a(t text, n text, b bytea); "
      "INSERT INTO a VALUES (E'\\\\N', NULL, '\\x00ff'), (E'tab\\t newline\\n return\\r "
      "back\\\\slash', '', '')");
  Begin();
  ASSERT_TRUE(Read().ok());
  ASSERT_THAT(recorder_.changes, SizeIs(2));
  EXPECT_THAT(recorder_.changes[0].values, ElementsAre("\\N", std::nullopt, "\\x00ff"));
  EXPECT_THAT(recorder_.changes[1].values,
              ElementsAre("tab\t newline\n return\r back\\slash", "", "\\x"));
}

TEST_F(SnapshotReaderTest, QuotesEveryName_SNP25) {
  Execute(
      "CREATE SCHEMA \"S.1\"; CREATE TABLE \"S.1\".\"table_with_pk.1#2/3\"(\"Se\"\"lect\" int, "
      "\"order\" int); "
      "INSERT INTO \"S.1\".\"table_with_pk.1#2/3\" VALUES (1, 2)");
  Begin();
  ASSERT_TRUE(Read().ok());
  ASSERT_THAT(recorder_.changes, SizeIs(1));
  EXPECT_THAT(recorder_.changes[0].values, ElementsAre("1", "2"));
}

TEST_F(SnapshotReaderTest, GeneratedColumnsAreIncludedAndDroppedOnesAreNot) {
  Execute(
      "CREATE TABLE a(id int, gone int, twice int GENERATED ALWAYS AS (id * 2) STORED); "
      "INSERT INTO a VALUES (4); ALTER TABLE a DROP COLUMN gone");
  Begin();
  ASSERT_TRUE(Read().ok());
  ASSERT_THAT(recorder_.changes, SizeIs(1));
  EXPECT_THAT(recorder_.changes[0].values, ElementsAre("4", "8"));
}

TEST_F(SnapshotReaderTest, ARootGivesTheRowsOfItsPartitions_SNP40) {
  Execute(
      "CREATE TABLE a(id int) PARTITION BY RANGE (id); "
      "CREATE TABLE a1 PARTITION OF a FOR VALUES FROM (0) TO (10); "
      "CREATE TABLE a2 PARTITION OF a FOR VALUES FROM (10) TO (20); INSERT INTO a VALUES (1), "
      "(11)");
  Begin();
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(TablesRead(), ElementsAre("a", "a", "a1", "a2"));
}

TEST_F(SnapshotReaderTest, AnOverrideChoosesRowsAndOrder_SNP18) {
  Execute(
      "CREATE TABLE a(id int, t text, n int); INSERT INTO a VALUES (1, 'one', 1), (2, 'two', 2), "
      "(3, 'three', 3)");
  options_.select_overrides["public.a"] =
      "SELECT t, now(), id FROM public.a WHERE id < 3 ORDER BY id DESC -- not all";
  Begin();
  ASSERT_TRUE(Read().ok());
  ASSERT_THAT(recorder_.changes, SizeIs(2));
  EXPECT_THAT(recorder_.changes[0].values, ElementsAre("2", "two", std::nullopt));
  EXPECT_THAT(recorder_.changes[1].values, ElementsAre("1", "one", std::nullopt));
  EXPECT_EQ(recorder_.changes[0].kinds[2], event::ValueKind::kAbsent);
}

TEST_F(SnapshotReaderTest, AnOverrideThatDoesNotWorkNamesItsTableAndWantsQualifiedNames_SNP18) {
  Execute("CREATE TABLE a(id int)");
  options_.select_overrides["public.a"] = "SELECT id FROM a";
  Begin();
  const absl::Status status = Read();
  EXPECT_THAT(std::string(status.message()), HasSubstr("snapshot of table public.a"));
  EXPECT_THAT(ErrorHint(status), HasSubstr("public.a"));
}

TEST_F(SnapshotReaderTest, AnOverrideWithoutTheTablesColumnsIsRefused_SNP18) {
  Execute("CREATE TABLE a(id int)");
  options_.select_overrides["public.a"] = "SELECT count(*) FROM public.a";
  Begin();
  const absl::Status status = Read();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(status), "override_without_columns");
}

TEST_F(SnapshotReaderTest, ATableThatFailsFailsTheWhole) {
  Execute(
      "CREATE TABLE a(id int); CREATE TABLE b(id int); "
      "INSERT INTO a SELECT generate_series(1, 2000); INSERT INTO b VALUES (1)");
  options_.select_overrides["public.a"] =
      "SELECT id / (1990 - id) AS id FROM public.a ORDER BY a.id";
  Begin();
  const absl::Status status = Read();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("snapshot of table public.a"));
  for (const Recorded& change : recorder_.changes) {
    EXPECT_EQ(change.phase, event::SnapshotPhase::kRunning);
    EXPECT_EQ(change.table, "a");
  }
}

TEST_F(SnapshotReaderTest, WaitsForALockNoLongerThanTheTimeout_SNP32) {
  Execute("CREATE TABLE a(id int)");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN; LOCK TABLE public.a IN ACCESS EXCLUSIVE MODE");
  SnapshotReader reader(*connection_, clock_, metrics_,
                        {.tables = *std::move(plan),
                         .origin = origin_,
                         .explain_lock = [](const absl::Status& error) {
                           return absl::Status(error.code(),
                                               absl::StrCat(error.message(), ": pid 12 has it"));
                         }});
  int put_off = 0;
  const absl::Status read = ReadToEnd(reader, &put_off);
  EXPECT_EQ(put_off, SnapshotReader::kLockTries - 1);
  EXPECT_THAT(std::string(read.message()), HasSubstr("public.a"));
  EXPECT_THAT(std::string(read.message()), HasSubstr("pid 12 has it"));
}

TEST_F(SnapshotReaderTest, ATableThatIsLockedDoesNotHoldUpTheCaller) {
  Execute("CREATE TABLE a(id int); INSERT INTO a VALUES (1)");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  MustQuery(*connection_, "SET LOCAL lock_timeout = '60s'");
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN; LOCK TABLE public.a IN ACCESS EXCLUSIVE MODE");
  SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(reader.Step(recorder_, 7).value(), SnapshotReader::Progress::kWouldBlock);
  MustQuery(*other, "COMMIT");
  ASSERT_TRUE(ReadToEnd(reader).ok());
  EXPECT_THAT(TablesRead(), ElementsAre("a"));
}

TEST_F(SnapshotReaderTest, GivenUpWhileItWaitsForALockItFreesTheConnection) {
  Execute("CREATE TABLE a(id int)");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  MustQuery(*connection_, "SET LOCAL lock_timeout = '60s'");
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN; LOCK TABLE public.a IN ACCESS EXCLUSIVE MODE");
  {
    SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
    EXPECT_EQ(reader.Step(recorder_, 7).value(), SnapshotReader::Progress::kWouldBlock);
  }
  ASSERT_TRUE(EndSnapshot(*connection_).ok());
  EXPECT_EQ(MustQuery(*connection_, "SELECT 1"), "1");
}

TEST_F(SnapshotReaderTest, LocksTablesAgainstChangesOfTheirShape) {
  Execute("CREATE TABLE a(id int)");
  Begin();
  ASSERT_TRUE(LockTables(*connection_, {Table("a")}).ok());
  EXPECT_EQ(MustQuery(*writer_, "SELECT mode FROM pg_locks WHERE relation = 'public.a'::regclass"),
            "AccessShareLock");
}

TEST_F(SnapshotReaderTest, SNP32_ALockThatIsNotGivenNamesTheTable) {
  Execute("CREATE TABLE a(id int)");
  Begin();
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN; LOCK TABLE public.a IN ACCESS EXCLUSIVE MODE");
  const absl::Status status = LockTables(*connection_, {Table("a")});
  EXPECT_EQ(ErrorReason(status), "lock_timeout");
  EXPECT_THAT(std::string(status.message()), HasSubstr("locking public.a"));
}

TEST_F(SnapshotReaderTest, GoesOnWithoutATableThatWasDroppedBeforeItWasLocked) {
  Execute("CREATE TABLE a(id int); CREATE TABLE b(id int)");
  const postgres::TableName a = Table("a"), b = Table("b");
  Begin();
  Execute("DROP TABLE a");
  ASSERT_TRUE(LockTables(*connection_, {a, b}).ok());
  EXPECT_EQ(MustQuery(*writer_, "SELECT mode FROM pg_locks WHERE relation = 'public.b'::regclass"),
            "AccessShareLock");
}

TEST_F(SnapshotReaderTest, GoesOnWithoutATableThatWasDroppedBeforeItWasPlanned) {
  Execute("CREATE TABLE a(id int); CREATE TABLE b(id int); INSERT INTO b VALUES (1)");
  options_.select_overrides["public.a"] = "SELECT id FROM public.a";
  Begin();
  // The transaction's view of pg_class is from before the drop.
  MustQuery(*connection_, "SELECT count(*) FROM pg_class");
  Execute("DROP TABLE a");
  ASSERT_TRUE(Read().ok());
  EXPECT_THAT(TablesRead(), ElementsAre("b"));
}

TEST_F(SnapshotReaderTest, GoesOnWithoutTablesThatWereDroppedBeforeTheirTurn) {
  Execute(
      "CREATE TABLE a(id int); CREATE TABLE b(id int); CREATE TABLE c(id int); CREATE TABLE d(id "
      "int); INSERT INTO b VALUES (1); INSERT INTO d VALUES (1)");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  // Another table of the old name is not the one that was planned.
  Execute("DROP TABLE a; DROP TABLE c; CREATE TABLE c(other text)");
  SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
  const absl::Status read = ReadToEnd(reader);
  ASSERT_TRUE(read.ok()) << read;
  EXPECT_THAT(TablesRead(), ElementsAre("b", "d"));
  EXPECT_EQ(metrics_.snapshot_tables_remaining.value(), 0u);
}

TEST_F(SnapshotReaderTest, ATableThatWasRenamedIsNotPassedOver) {
  Execute("CREATE TABLE a(id int); INSERT INTO a VALUES (1)");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  Execute("ALTER TABLE a RENAME TO z");
  SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
  EXPECT_EQ(ErrorReason(ReadToEnd(reader)), "table_renamed");
}

TEST_F(SnapshotReaderTest, ATableThatTheViewShowsEmptySinceItWasRewrittenIsNotRead) {
  Execute("CREATE TABLE a(id int); INSERT INTO a VALUES (1); CREATE TABLE b(id int)");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  Execute("ALTER TABLE a ALTER COLUMN id TYPE bigint");
  SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
  const absl::Status read = ReadToEnd(reader);
  EXPECT_EQ(ErrorReason(read), "table_rewritten");
  EXPECT_THAT(std::string(read.message()), HasSubstr("public.a"));
  EXPECT_EQ(metrics_.snapshot_tables_remaining.value(), 2u);
}

TEST_F(SnapshotReaderTest, WhatShowsItsRowsOrHasNoneIsNoRewrittenTable) {
  Execute(
      "CREATE TABLE emptied(id int); CREATE TABLE moved(id int); CREATE TABLE none(id int); "
      "INSERT INTO emptied VALUES (1); INSERT INTO moved VALUES (1)");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  Execute("TRUNCATE emptied; ALTER TABLE none ALTER COLUMN id TYPE bigint");
  MustQuery(*writer_, "VACUUM FULL public.moved");
  SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
  ASSERT_TRUE(ReadToEnd(reader).ok());
  EXPECT_THAT(TablesRead(), ElementsAre("moved"));
}

TEST_F(SnapshotReaderTest, APartitionThatWasRewrittenIsMissedAmongTheOthers) {
  Execute(
      "CREATE TABLE p(id int) PARTITION BY RANGE (id); "
      "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); "
      "CREATE UNLOGGED TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20); "
      "INSERT INTO p VALUES (1), (11)");
  Begin();
  const postgres::TableName p = Table("p");
  auto shown = HidesRows(*connection_, p, true);
  ASSERT_TRUE(shown.ok()) << shown.status();
  EXPECT_FALSE(*shown);
  Execute("ALTER TABLE p2 SET LOGGED");
  EXPECT_THAT(MustQuery(*connection_, "SELECT count(*) FROM public.p"), "1");
  shown = HidesRows(*connection_, p, true);
  ASSERT_TRUE(shown.ok()) << shown.status();
  EXPECT_TRUE(*shown);
}

TEST_F(SnapshotReaderTest, TheHandlersErrorEndsItAsItIs) {
  Execute("CREATE TABLE a(id int); INSERT INTO a SELECT generate_series(1, 100)");
  recorder_.fail_at = 5;
  Begin();
  EXPECT_EQ(Read(), absl::UnavailableError("broker gone"));
  EXPECT_THAT(recorder_.changes, SizeIs(4));
}

TEST_F(SnapshotReaderTest, AbandonedHalfWayItFreesTheConnection_FAIL13) {
  Execute("CREATE TABLE a(id int); INSERT INTO a SELECT generate_series(1, 500000)");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  {
    SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
    ASSERT_TRUE(reader.Step(recorder_, 10).ok());
    EXPECT_EQ(metrics_.snapshot_running.value(), 1u);
  }
  EXPECT_EQ(metrics_.snapshot_running.value(), 0u);
  ASSERT_TRUE(EndSnapshot(*connection_).ok());
  EXPECT_EQ(MustQuery(*connection_, "SELECT 1"), "1");
}

TEST_F(SnapshotReaderTest, TellsHowFarItIs) {
  Execute(
      "CREATE TABLE a(id int); CREATE TABLE b(id int); INSERT INTO a SELECT generate_series(1, "
      "10); "
      "INSERT INTO b SELECT generate_series(1, 30); ANALYZE a, b");
  Begin();
  auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
  EXPECT_EQ(reader.progress().estimated_remaining_rows, 40u);
  EXPECT_EQ(metrics_.snapshot_tables_remaining.value(), 2u);
  while (reader.progress().tables_done == 0) ASSERT_TRUE(reader.Step(recorder_, 5).ok());
  clock_.now += absl::Seconds(10);
  EXPECT_EQ(reader.progress().rows, 10u);
  EXPECT_EQ(reader.progress().tables_total, 2u);
  EXPECT_EQ(reader.progress().estimated_remaining_rows, 30u);
  EXPECT_EQ(EstimatedTimeLeft(reader.progress()), absl::Seconds(30));
  EXPECT_EQ(metrics_.snapshot_tables_remaining.value(), 1u);
  ASSERT_TRUE(ReadToEnd(reader).ok());
  EXPECT_EQ(metrics_.snapshot_rows.value(), 40u);
}

TEST_F(SnapshotReaderTest, EstimatesPartitionsWithTheirRoot) {
  Execute(
      "CREATE TABLE a(id int) PARTITION BY RANGE (id); "
      "CREATE TABLE a1 PARTITION OF a FOR VALUES FROM (0) TO (10); "
      "INSERT INTO a SELECT generate_series(0, 9); ANALYZE a; ANALYZE a1; CREATE TABLE "
      "never_analyzed(id int)");
  Begin();
  const auto plan = Plan();
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_THAT(*plan, SizeIs(3));
  EXPECT_EQ((*plan)[0].estimated_rows, 10);
  EXPECT_EQ((*plan)[1].estimated_rows, 10);
  EXPECT_FALSE((*plan)[2].estimated_rows.has_value());
}

TEST_F(SnapshotReaderTest, TheCurrentLsnMovesWithWrites) {
  const auto before = ReadCurrentLsn(*connection_);
  Execute("SET synchronous_commit = on; CREATE TABLE a(id int)");
  const auto after = ReadCurrentLsn(*connection_);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_TRUE(before->valid());
  EXPECT_LT(*before, *after);
}

}  // namespace
}  // namespace walduct::snapshot
