#include "outbox/cleaner.h"

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/error.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "outbox/options.h"
#include "tests/outbox/outbox_fixture.h"

namespace walduct::outbox {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;

using FenceTest = OutboxFixture;
using CleanerTest = OutboxFixture;

TEST_F(FenceTest, CommittedRowsAreBeforeIt) {
  CreateTable();
  Run("INSERT INTO public.outbox VALUES (1), (2)");
  const Fence fence = MustTakeFence();
  Run("INSERT INTO public.outbox VALUES (3)");
  EXPECT_EQ(MustClean(fence).rows, 2u);
  EXPECT_EQ(Ids(), "3");
}

TEST_F(FenceTest, ItsLsnIsNotBeforeTheCommitsOfSuchRows) {
  CreateTable();
  Run("SET synchronous_commit = off");
  Run("INSERT INTO public.outbox VALUES (1)");
  const std::string after_commit = MustQuery(*writing_, "SELECT pg_current_wal_insert_lsn()");
  EXPECT_GE(MustTakeFence().wal_end, Lsn::Parse(after_commit).value());
}

// Its row is visible when the rows are deleted, but its commit lies behind the fence's LSN.
TEST_F(FenceTest, ATransactionThatRanIsBehindIt) {
  CreateTable();
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN");
  MustQuery(*other, "INSERT INTO public.outbox VALUES (1)");
  Run("INSERT INTO public.outbox VALUES (2)");
  const Fence fence = MustTakeFence();
  MustQuery(*other, "COMMIT");
  MustClean(fence);
  EXPECT_EQ(Ids(), "1,2") << "2 is younger than the oldest running transaction";
  EXPECT_EQ(MustClean(MustTakeFence()).rows, 2u);
}

// A snapshot does not list subtransactions: one that looks finished may belong to a transaction
// that runs.
TEST_F(FenceTest, ASubtransactionOfARunningTransactionIsBehindIt) {
  CreateTable();
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN");
  MustQuery(*other, "SELECT txid_current()");
  MustQuery(*other, "SAVEPOINT s");
  MustQuery(*other, "INSERT INTO public.outbox VALUES (1)");
  MustQuery(*other, "RELEASE SAVEPOINT s");
  for (int i = 0; i < 5; ++i) Run("SELECT txid_current()");
  const Fence fence = MustTakeFence();
  MustQuery(*other, "COMMIT");
  EXPECT_EQ(MustClean(fence).rows, 0u);
  EXPECT_EQ(Ids(), "1");
}

TEST_F(CleanerTest, KeepsWhatIsYoungerThanTheRetention) {
  CreateTable();
  options_.retention = absl::Hours(24);
  Run("INSERT INTO public.outbox VALUES (1, now() - interval '25 hours'), (2, now() - interval "
      "'23 hours'), (3, NULL)");
  EXPECT_EQ(MustClean(MustTakeFence()).rows, 1u);
  EXPECT_EQ(Ids(), "2,3");
}

TEST_F(CleanerTest, WorksInBatches) {
  CreateTable();
  options_.batch_rows = 10;
  Run("INSERT INTO public.outbox SELECT generate_series(1, 35)");
  EXPECT_EQ(MustClean(MustTakeFence()).rows, 35u);
}

TEST_F(CleanerTest, CountsWithoutRemoving) {
  CreateTable();
  Run("INSERT INTO public.outbox SELECT generate_series(1, 5)");
  Cleaner cleaner({.connection = cleaning_.get(), .tables = Query(), .stopping = nullptr});
  EXPECT_EQ(cleaner.Count(MustTakeFence())->rows, 5u);
  EXPECT_EQ(Ids(), "1,2,3,4,5");
}

TEST_F(CleanerTest, PassesLockedRowsOver) {
  CreateTable();
  Run("INSERT INTO public.outbox VALUES (1), (2), (3)");
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN");
  MustQuery(*other, "SELECT * FROM public.outbox WHERE id = 2 FOR UPDATE");
  EXPECT_EQ(MustClean(MustTakeFence()).rows, 2u);
  EXPECT_EQ(Ids(), "2");
}

TEST_F(CleanerTest, DoesNotWaitForALockedTable) {
  CreateTable();
  Run("INSERT INTO public.outbox VALUES (1)");
  const Fence fence = MustTakeFence();
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN");
  MustQuery(*other, "LOCK TABLE public.outbox IN ACCESS EXCLUSIVE MODE");
  const absl::Duration begin = Clock::Real().Monotonic();
  EXPECT_EQ(MustClean(fence).rows, 0u);
  EXPECT_LT(Clock::Real().Monotonic() - begin, absl::Seconds(5));
}

// Another table of the publication is none of its business, even while nobody may open it.
TEST_F(CleanerTest, DoesNotOpenTheOtherTablesOfThePublication) {
  CreateTable();
  Run("CREATE TABLE public.other (id int)");
  Run("ALTER PUBLICATION pub ADD TABLE public.other");
  Run("INSERT INTO public.outbox VALUES (1)");
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN");
  MustQuery(*other, "DROP TABLE public.other");
  MustQuery(*cleaning_, "SET lock_timeout = '1s'");
  EXPECT_EQ(MustClean(MustTakeFence()).rows, 1u);
}

TEST_F(CleanerTest, StopsWhenAsked) {
  CreateTable();
  Cleaner cleaner(
      {.connection = cleaning_.get(), .tables = Query(), .stopping = [] { return true; }});
  Removed removed;
  EXPECT_TRUE(absl::IsCancelled(cleaner.Clean(MustTakeFence(), &removed)));
}

class PartitionTest : public OutboxFixture {
 protected:
  PartitionTest() {
    options_.cleanup = OutboxCleanup::kDropPartitions;
    options_.retention = absl::Hours(24);
    Run("CREATE TABLE public.outbox (id int, created_at timestamptz) PARTITION BY RANGE "
        "(created_at)");
    Run("CREATE TABLE public.old PARTITION OF public.outbox FOR VALUES FROM (MINVALUE) TO "
        "('2020-01-02')");
    Run("CREATE TABLE public.coming PARTITION OF public.outbox FOR VALUES FROM ('2020-01-02') TO "
        "('2999-01-01')");
    Run("CREATE TABLE public.rest PARTITION OF public.outbox DEFAULT");
    Run("CREATE PUBLICATION pub FOR TABLE public.outbox WITH (publish = 'insert', "
        "publish_via_partition_root)");
    Run("INSERT INTO public.outbox VALUES (1, '2020-01-01'), (2, '2020-02-01'), (3, '2999-06-01')");
  }
  std::string Partitions() {
    return MustQuery(*writing_,
                     "SELECT string_agg(relid::regclass::text, ',' ORDER BY 1) FROM "
                     "pg_partition_tree('public.outbox') WHERE isleaf");
  }
};

// PostgreSQL refuses to delete from a table that publishes deletes and has no replica identity.
TEST_F(PartitionTest, GoesOnAfterATableThatFails) {
  options_.tables = java::RegexList::OfChecked("public.a,public.outbox");
  options_.cleanup = OutboxCleanup::kDelete;
  Run("CREATE TABLE public.a (id int, created_at timestamptz)");
  Run("ALTER PUBLICATION pub ADD TABLE public.a");
  Run("ALTER PUBLICATION pub SET (publish = 'insert, delete')");
  Run("ALTER TABLE public.old REPLICA IDENTITY FULL");
  Cleaner cleaner({.connection = cleaning_.get(), .tables = Query(), .stopping = nullptr});
  Removed removed;
  EXPECT_TRUE(absl::IsFailedPrecondition(cleaner.Clean(MustTakeFence(), &removed)));
  EXPECT_EQ(removed.rows, 1u);
}

TEST_F(PartitionTest, DropsWhatIsPastTheRetention) {
  const Removed removed = MustClean(MustTakeFence());
  EXPECT_EQ(removed.partitions, 1u);
  EXPECT_EQ(removed.rows, 0u);
  EXPECT_EQ(Partitions(), "public.coming,public.rest");
  EXPECT_EQ(Ids(), "2,3");
}

TEST_F(PartitionTest, KeepsAPartitionWithARowBehindTheFence) {
  const Fence fence = MustTakeFence();
  Run("INSERT INTO public.outbox VALUES (4, '2020-01-01')");
  EXPECT_EQ(MustClean(fence).partitions, 0u);
  EXPECT_EQ(Ids(), "1,2,3,4");
}

TEST_F(PartitionTest, LeavesAPartitionBeingWritten) {
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN");
  MustQuery(*other, "INSERT INTO public.outbox VALUES (4, '2020-01-01')");
  EXPECT_EQ(MustClean(MustTakeFence()).partitions, 0u);
  MustQuery(*other, "COMMIT");
  EXPECT_EQ(Ids(), "1,2,3,4");
}

// Nobody made events of them.
TEST_F(PartitionTest, RowsOfBeforeAPartitionWasAttachedStay) {
  Run("CREATE TABLE public.foreign_rows (id int, created_at timestamptz)");
  Run("INSERT INTO public.foreign_rows VALUES (7, '2020-01-01')");
  Run("DROP TABLE public.old");
  Run("ALTER TABLE public.outbox ATTACH PARTITION public.foreign_rows FOR VALUES FROM (MINVALUE) "
      "TO ('2020-01-02')");
  Run("INSERT INTO public.outbox VALUES (8, '2020-01-01'), (2, '2020-02-01')");
  Cleaner cleaner({.connection = cleaning_.get(), .tables = Query(), .stopping = nullptr});
  Removed removed;
  EXPECT_EQ(ErrorReason(cleaner.Clean(MustTakeFence(), &removed)), "outbox_history");
  EXPECT_EQ(removed.partitions, 0u);
  options_.cleanup = OutboxCleanup::kDelete;
  EXPECT_EQ(ErrorReason(cleaner.Clean(MustTakeFence(), &removed)), "outbox_history");
  EXPECT_EQ(Ids(), "3,7") << "8 and the rows of the other partitions are events";
  options_.delete_history = true;
  EXPECT_TRUE(cleaner.Clean(MustTakeFence(), &removed).ok());
  EXPECT_EQ(Ids(), "3");
}

// DETACH … CONCURRENTLY commits halfway: the partition is still in the tree.
TEST_F(PartitionTest, APartitionBeingDetachedIsNotDropped) {
  Run("CREATE TABLE public.p (id int, created_at timestamptz) PARTITION BY RANGE (created_at)");
  Run("CREATE TABLE public.p1 PARTITION OF public.p FOR VALUES FROM (MINVALUE) TO ('2020-01-02')");
  Run("ALTER PUBLICATION pub SET TABLE public.p");
  Run("INSERT INTO public.p VALUES (1, '2020-01-01')");
  options_.tables = java::RegexList::OfChecked("public.p");
  const Fence fence = MustTakeFence();
  const auto reader = MustOpen(database_);
  MustQuery(*reader, "BEGIN");
  MustQuery(*reader, "SELECT count(*) FROM public.p");
  // Gives up waiting for the reader after the first half.
  Run("SET lock_timeout = '200ms'");
  EXPECT_FALSE(writing_->Run("ALTER TABLE public.p DETACH PARTITION public.p1 CONCURRENTLY").ok());
  MustQuery(*reader, "COMMIT");
  EXPECT_EQ(MustClean(fence).partitions, 0u);
  EXPECT_EQ(MustQuery(*writing_, "SELECT count(*) FROM public.p1"), "1");
}

TEST_F(CleanerTest, RowsOfBeforeATableWasPublishedStay) {
  CreateTable();
  Run("INSERT INTO public.outbox VALUES (1)");
  Run("CREATE TABLE public.late (id int)");
  TablesQuery query = Query();
  TableMemory memory = {
      .beginning = MarkServer(*cleaning_)->next_xid, .looked = false, .tables = {}};
  query.memory = &memory;
  ASSERT_TRUE(FindLeaves(*cleaning_, query).ok());
  options_.tables = java::RegexList::OfChecked("public.outbox,public.late");
  Run("INSERT INTO public.late VALUES (1)");
  Run("ALTER PUBLICATION pub ADD TABLE public.late");
  Run("INSERT INTO public.late VALUES (2)");
  Cleaner cleaner({.connection = cleaning_.get(), .tables = query, .stopping = nullptr});
  Removed removed;
  EXPECT_EQ(ErrorReason(cleaner.Clean(MustTakeFence(), &removed)), "outbox_history");
  EXPECT_EQ(removed.rows, 2u) << "one of each table";
  EXPECT_EQ(MustQuery(*writing_, "SELECT id FROM public.late"), "1");
}

// Under its old name it was not captured.
TEST_F(CleanerTest, RowsOfBeforeATableGotItsNameStay) {
  CreateTable();
  Run("CREATE TABLE public.parked (LIKE public.outbox INCLUDING ALL)");
  Run("ALTER PUBLICATION pub ADD TABLE public.parked");
  TableMemory memory = {
      .beginning = MarkServer(*cleaning_)->next_xid, .looked = false, .tables = {}};
  TablesQuery query = Query();
  query.memory = &memory;
  ASSERT_TRUE(FindLeaves(*cleaning_, query).ok());
  Run("INSERT INTO public.parked VALUES (1)");
  Run("ALTER TABLE public.outbox RENAME TO gone");
  Run("ALTER TABLE public.parked RENAME TO outbox");
  Run("INSERT INTO public.outbox VALUES (2)");
  Cleaner cleaner({.connection = cleaning_.get(), .tables = query, .stopping = nullptr});
  Removed removed;
  EXPECT_EQ(ErrorReason(cleaner.Clean(MustTakeFence(), &removed)), "outbox_history");
  EXPECT_EQ(Ids(), "1");
  Run("GRANT SELECT ON public.outbox TO PUBLIC");
  Run("INSERT INTO public.outbox VALUES (3)");
  EXPECT_EQ(ErrorReason(cleaner.Clean(MustTakeFence(), &removed)), "outbox_history");
  EXPECT_EQ(Ids(), "1") << "what changes a table that is known makes no history";
}

// Between the look into the catalog and the statement another table may get the name.
TEST_F(CleanerTest, ATableThatTookTheNameIsLeftAlone) {
  CreateTable();
  Run("INSERT INTO public.outbox VALUES (1)");
  Run("CREATE TABLE public.other (LIKE public.outbox)");
  Run("INSERT INTO public.other VALUES (2)");
  const Fence fence = MustTakeFence();
  const auto renaming = MustOpen(database_);
  bool renamed = false;
  Cleaner cleaner({.connection = cleaning_.get(), .tables = Query(), .stopping = [&] {
                     if (!std::exchange(renamed, true)) {
                       MustQuery(*renaming, "ALTER TABLE public.outbox RENAME TO gone");
                       MustQuery(*renaming, "ALTER TABLE public.other RENAME TO outbox");
                     }
                     return false;
                   }});
  Removed removed;
  EXPECT_TRUE(cleaner.Clean(fence, &removed).ok());
  EXPECT_EQ(removed.rows, 0u);
  EXPECT_EQ(Ids(), "2");
}

TEST_F(PartitionTest, DeletesFromTheDefaultPartition) {
  Run("ALTER TABLE public.outbox DETACH PARTITION public.old");
  Run("INSERT INTO public.outbox VALUES (5, '2019-01-01')");
  EXPECT_EQ(MustClean(MustTakeFence()).rows, 1u);
  EXPECT_EQ(Ids(), "2,3");
}

class RefusalTest : public OutboxFixture {
 protected:
  std::string Reason() { return ErrorReason(FindLeaves(*cleaning_, Query()).status()); }
};

TEST_F(RefusalTest, NoSuchTable) { EXPECT_EQ(Reason(), "outbox_no_tables"); }

TEST_F(RefusalTest, NotPublished) {
  Run("CREATE TABLE public.outbox (id int)");
  EXPECT_EQ(Reason(), "outbox_not_published");
  Run("CREATE PUBLICATION pub FOR TABLE public.outbox WITH (publish = 'update, delete')");
  EXPECT_EQ(Reason(), "outbox_not_published");
  Run("ALTER PUBLICATION pub SET (publish = 'insert')");
  EXPECT_EQ(Reason(), "");
  Run("ALTER PUBLICATION pub SET TABLE public.outbox WHERE (id > 0)");
  EXPECT_EQ(Reason(), "outbox_not_published");
}

// What the catalog says is what pg_publication_tables would say.
TEST_F(RefusalTest, APartitionIsPublishedAsTheServerSays) {
  Run("CREATE SCHEMA inner_one");
  Run("CREATE TABLE public.outbox (id int) PARTITION BY RANGE (id)");
  Run("CREATE TABLE inner_one.middle PARTITION OF public.outbox DEFAULT PARTITION BY RANGE (id)");
  Run("CREATE TABLE inner_one.leaf PARTITION OF inner_one.middle DEFAULT");
  for (const char* publication :
       {"FOR ALL TABLES", "FOR ALL TABLES WITH (publish_via_partition_root)",
        "FOR TABLE public.outbox", "FOR TABLE public.outbox WITH (publish_via_partition_root)",
        "FOR TABLE inner_one.middle WITH (publish_via_partition_root)",
        "FOR TABLE inner_one.leaf, public.outbox WITH (publish_via_partition_root)",
        "FOR TABLE inner_one.leaf", "FOR TABLES IN SCHEMA inner_one",
        "FOR TABLES IN SCHEMA inner_one WITH (publish_via_partition_root)",
        "FOR TABLES IN SCHEMA public, TABLE inner_one.leaf"}) {
    SCOPED_TRACE(publication);
    Run("DROP PUBLICATION IF EXISTS pub");
    Run(absl::StrCat("CREATE PUBLICATION pub ", publication));
    const std::string wanted = test_servers::MustQuery(
        *writing_, "SELECT format('%s.%s', schemaname, tablename) FROM pg_publication_tables");
    for (const char* name : {"public.outbox", "inner_one.middle", "inner_one.leaf"}) {
      names::TableFilterOptions one;
      one.table_include = java::RegexList::OfChecked(name);
      captured_ = names::TableFilter(one);
      EXPECT_EQ(Reason(), name == wanted ? "" : "outbox_not_captured") << name;
    }
  }
}

TEST_F(RefusalTest, NotCaptured) {
  CreateTable();
  names::TableFilterOptions other;
  other.table_include = java::RegexList::OfChecked("public.orders");
  captured_ = names::TableFilter(other);
  EXPECT_EQ(Reason(), "outbox_not_captured");
}

TEST_F(RefusalTest, Unlogged) {
  Run("CREATE UNLOGGED TABLE public.outbox (id int)");
  EXPECT_EQ(Reason(), "outbox_unlogged");
}

TEST_F(RefusalTest, NoTimeColumn) {
  options_.retention = absl::Hours(1);
  Run("CREATE TABLE public.outbox (id int, sent timestamp, created_at text)");
  Run("CREATE PUBLICATION pub FOR TABLE public.outbox");
  EXPECT_EQ(Reason(), "outbox_no_time_column");
  options_.time_column = "sent";
  EXPECT_EQ(Reason(), "");
  options_.time_column = "";
  Run("ALTER TABLE public.outbox ADD occurred_at timestamptz, ADD ts timestamptz");
  EXPECT_EQ(Reason(), "outbox_no_time_column") << "two candidates";
}

TEST_F(RefusalTest, NothingToDrop) {
  CreateTable();
  options_.cleanup = OutboxCleanup::kDropPartitions;
  EXPECT_EQ(Reason(), "outbox_not_partitioned");
}

TEST_F(RefusalTest, RowsThatNoEventIsMadeOf) {
  CreateTable();
  EXPECT_TRUE(CheckNoHistory(*cleaning_, Query()).ok());
  Run("INSERT INTO public.outbox VALUES (1)");
  EXPECT_EQ(ErrorReason(CheckNoHistory(*cleaning_, Query())), "outbox_history");
  options_.delete_history = true;
  EXPECT_TRUE(CheckNoHistory(*cleaning_, Query()).ok());
}

}  // namespace
}  // namespace walduct::outbox
