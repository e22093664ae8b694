#include "replication/slot_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
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
using ::testing::HasSubstr;

constexpr absl::string_view kSlot = "locked";

class SlotLockTest : public ::testing::Test {
 protected:
  ~SlotLockTest() override {
    first_.reset();
    second_.reset();
    EXPECT_TRUE(DropSlot(*sql_, kSlot).ok());
  }
  static ReplicationOptions Options() {
    ReplicationOptions options;
    options.slot_name = std::string(kSlot);
    return options;
  }

  postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> sql_ = MustOpen(database_);
  std::unique_ptr<postgres::Connection> first_ = MustOpen(database_, SessionKind::kReplication);
  std::unique_ptr<postgres::Connection> second_ = MustOpen(database_, SessionKind::kReplication);
};

// Another release of walduct must take the same lock.
TEST(SlotLockKeyTest, IsWhatItHasAlwaysBeen) {
  EXPECT_EQ(SlotLockKey("debezium"), -4411345469323176002);
  EXPECT_NE(SlotLockKey("debezium"), SlotLockKey("debezium2"));
}

TEST_F(SlotLockTest, OneSessionHasItAndTheOtherIsToldWhich) {
  EXPECT_TRUE(TakeSlotLock(*first_, *sql_, kSlot).value());
  EXPECT_TRUE(CheckSlotLock(*sql_, kSlot, first_->backend_pid()).ok());
  const absl::Status held = TakeSlotLock(*second_, *sql_, kSlot).status();
  EXPECT_TRUE(absl::IsUnavailable(held)) << held;
  EXPECT_EQ(ErrorReason(held), "slot_held");
  EXPECT_THAT(held.message(), HasSubstr(absl::StrCat("(pid ", first_->backend_pid(), ", ")));
  const absl::Status others = CheckSlotLock(*sql_, kSlot, second_->backend_pid());
  EXPECT_EQ(ErrorReason(others), "slot_taken_over");
  EXPECT_THAT(others.message(), HasSubstr(absl::StrCat("pid ", first_->backend_pid())));
}

TEST_F(SlotLockTest, OwnWorkOnASlotIsToldFromThatOfOthers) {
  EXPECT_FALSE(WorksOnSlot(*sql_, kSlot, "walduct a stream").value());
  EXPECT_TRUE(TakeSlotLock(*first_, *sql_, kSlot).value());
  const std::string own =
      MustQuery(*sql_, absl::StrCat("SELECT application_name FROM pg_stat_activity WHERE pid = ",
                                    first_->backend_pid()));
  EXPECT_TRUE(WorksOnSlot(*sql_, kSlot, own).value());
  EXPECT_EQ(ErrorReason(WorksOnSlot(*sql_, kSlot, "walduct b stream").status()), "slot_held");
}

TEST_F(SlotLockTest, GoesWithItsSession) {
  const int pid = first_->backend_pid();
  EXPECT_TRUE(TakeSlotLock(*first_, *sql_, kSlot).value());
  first_.reset();
  EXPECT_TRUE(TakeSlotLock(*second_, *sql_, kSlot).value());
  EXPECT_EQ(ErrorReason(CheckSlotLock(*sql_, kSlot, pid)), "slot_taken_over");
  second_->Cancel();
  second_.reset();
  absl::Status released;
  do released = CheckSlotLock(*sql_, kSlot, pid);
  while (ErrorReason(released) == "slot_taken_over");
  EXPECT_EQ(ErrorReason(released), "slot_released");
}

TEST_F(SlotLockTest, OtherSlotsAndOtherDatabasesAreFree) {
  EXPECT_TRUE(TakeSlotLock(*first_, *sql_, kSlot).value());
  EXPECT_TRUE(TakeSlotLock(*second_, *sql_, "another").value());
  const postgres::DatabaseOptions elsewhere = PostgresServer::Shared().CreateDatabase();
  const auto sql = MustOpen(elsewhere);
  const auto replication = MustOpen(elsewhere, SessionKind::kReplication);
  EXPECT_TRUE(TakeSlotLock(*replication, *sql, kSlot).value());
  EXPECT_EQ(ErrorReason(CheckSlotLock(*sql, kSlot, 1)), "slot_taken_over");
}

// The export of a snapshot ends with the next statement of its session, not with those before.
TEST_F(SlotLockTest, ASlotIsCreatedUnderIt) {
  EXPECT_TRUE(TakeSlotLock(*first_, *sql_, kSlot).value());
  const auto created = CreateSlot(*first_, *sql_, Options());
  ASSERT_TRUE(created.ok()) << created.status();
  MustQuery(*sql_, "BEGIN ISOLATION LEVEL REPEATABLE READ");
  MustQuery(*sql_, absl::StrCat("SET TRANSACTION SNAPSHOT ",
                                postgres::QuoteLiteral(created->snapshot_name)));
  MustQuery(*sql_, "ROLLBACK");
  EXPECT_TRUE(CheckSlotLock(*sql_, kSlot, first_->backend_pid()).ok());
  EXPECT_EQ(ErrorReason(TakeSlotLock(*second_, *sql_, kSlot).status()), "slot_held");
}

TEST_F(SlotLockTest, ARoleThatMayNotLockGoesWithout) {
  MustQuery(*sql_,
            "REVOKE EXECUTE ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint) FROM PUBLIC");
  const std::string role = absl::StrCat("lockless_", sql_->backend_pid());
  MustQuery(*sql_, absl::StrCat("CREATE ROLE ", role, " LOGIN REPLICATION PASSWORD 'x'"));
  postgres::DatabaseOptions database = database_;
  database.user = role;
  database.password = "x";
  auto replication = MustOpen(database, SessionKind::kReplication);
  const auto taken = TakeSlotLock(*replication, *sql_, kSlot);
  EXPECT_TRUE(taken.ok() && !*taken) << taken.status();
  replication.reset();
  MustQuery(*sql_, absl::StrCat("DROP ROLE ", role));
}

}  // namespace
}  // namespace walduct::replication
