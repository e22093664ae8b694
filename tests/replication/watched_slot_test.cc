#include "replication/watched_slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postgres/options.h"
#include "replication/options.h"
#include "replication/slot.h"
#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

using postgres::SessionKind;
using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using testing::SizeIs;

class WatchedSlotTest : public testing::Test {
 protected:
  WatchedSlotTest() {
    MustQuery(*sql_, "CREATE TABLE public.t(id int)");
    ReplicationOptions options;
    options.slot_name = "looked_at";
    EXPECT_TRUE(CreateSlot(*replication_, *sql_, options).ok());
  }
  ~WatchedSlotTest() override {
    replication_.reset();
    EXPECT_TRUE(DropSlot(*sql_, "looked_at").ok());
  }
  WatchedSlot Look() {
    const auto looks = ReadWatchedSlots(*sql_, {"looked_at"});
    EXPECT_TRUE(looks.ok()) << looks.status();
    return looks.ok() ? looks->front() : WatchedSlot();
  }
  // The end of the WAL, written or not.
  Lsn Inserted() { return *Lsn::Parse(MustQuery(*sql_, "SELECT pg_current_wal_insert_lsn()")); }

  postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> sql_ = MustOpen(database_);
  std::unique_ptr<postgres::Connection> replication_ =
      MustOpen(database_, SessionKind::kReplication);
};

TEST_F(WatchedSlotTest, OneAnswerForEachName) {
  const auto looks = ReadWatchedSlots(*sql_, {"not there", "looked_at", "a\"b\\"});
  ASSERT_TRUE(looks.ok()) << looks.status();
  ASSERT_THAT(*looks, SizeIs(3));
  EXPECT_EQ((*looks)[0].wal_status, "missing");
  EXPECT_EQ((*looks)[0].slot, "not there");
  EXPECT_EQ((*looks)[2].wal_status, "missing");
  const WatchedSlot& slot = (*looks)[1];
  EXPECT_EQ(slot.slot, "looked_at");
  EXPECT_EQ(slot.wal_status, "reserved");
  EXPECT_TRUE(slot.confirmed.valid());
  EXPECT_NE(slot.slot_xmin, 0u);
  EXPECT_GE(slot.wal_end, slot.confirmed);
  for (const WatchedSlot& look : *looks) {
    EXPECT_EQ(look.wal_end, slot.wal_end);
    EXPECT_EQ(look.next_xid, slot.next_xid);
  }
}

TEST_F(WatchedSlotTest, WhoReadsItIsNamed) {
  EXPECT_EQ(Look().reader, "");
  MustQuery(*replication_,
            "CREATE_REPLICATION_SLOT looked_at_too TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT");
  const auto looks = ReadWatchedSlots(*sql_, {"looked_at_too"});
  ASSERT_TRUE(looks.ok()) << looks.status();
  const std::string pid = MustQuery(*sql_,
                                    "SELECT active_pid FROM pg_replication_slots "
                                    "WHERE slot_name = 'looked_at_too'");
  EXPECT_THAT(looks->front().reader, testing::StartsWith("pid " + pid));
}

// What lag is judged by: a number that changes with the end of a transaction that writes, and only
// then.
TEST_F(WatchedSlotTest, NextXidMovesWithWhatIsCommitted) {
  const WatchedSlot before = Look();
  MustQuery(*sql_, "SELECT count(*) FROM public.t");
  EXPECT_EQ(Look().next_xid, before.next_xid) << "it has only read";
  const auto writer = MustOpen(database_);
  MustQuery(*writer, "SET synchronous_commit = on");
  MustQuery(*writer, "BEGIN; INSERT INTO public.t SELECT generate_series(1, 100000)");
  const WatchedSlot open = Look();
  EXPECT_EQ(open.next_xid, before.next_xid) << "it has not ended";
  EXPECT_GT(open.wal_end, before.wal_end) << "its WAL is written all the same";
  const Lsn inserted = Inserted();
  MustQuery(*writer, "COMMIT");
  const WatchedSlot after = Look();
  EXPECT_GT(static_cast<uint32_t>(after.next_xid), static_cast<uint32_t>(before.next_xid));
  EXPECT_GT(after.wal_end, inserted) << "a commit is written to its end";
}

// The id behind all that have ended stays where it is.
TEST_F(WatchedSlotTest, NextXidMovesWithTheEndOfAnOlderTransaction) {
  const auto older = MustOpen(database_);
  MustQuery(*older, "BEGIN; INSERT INTO public.t VALUES (1)");
  MustQuery(*sql_, "INSERT INTO public.t VALUES (2)");
  const WatchedSlot before = Look();
  MustQuery(*older, "COMMIT");
  const WatchedSlot after = Look();
  EXPECT_EQ(static_cast<uint32_t>(after.next_xid), static_cast<uint32_t>(before.next_xid));
  EXPECT_NE(after.next_xid, before.next_xid);
}

TEST_F(WatchedSlotTest, AnAsynchronousCommitIsWrittenOrTheLookIsPartial) {
  MustQuery(*sql_, "SET synchronous_commit = off");
  int partial = 0;
  for (int i = 0; i < 20; ++i) {
    const Lsn inserted = Inserted();
    MustQuery(*sql_, "INSERT INTO public.t SELECT generate_series(1, 100)");
    const WatchedSlot look = Look();
    EXPECT_TRUE(look.partial || look.wal_end > inserted);
    partial += look.partial;
  }
  EXPECT_GT(partial, 0) << "the writer of the WAL rests for 200 ms";
}

}  // namespace
}  // namespace walduct::replication
