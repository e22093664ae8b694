#include "replication/slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "postgres/errors/sqlstate.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

using postgres::SessionKind;
using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SlotTest : public ::testing::Test {
 protected:
  ~SlotTest() override {
    replication_.reset();
    for (const char* name : {"ours", "123", "other"}) EXPECT_TRUE(DropSlot(*sql_, name).ok());
  }
  std::string Run(absl::string_view sql) { return MustQuery(*sql_, sql); }
  absl::Status Usable(const std::string& name) {
    const auto slot = InspectSlot(*sql_, name);
    EXPECT_TRUE(slot.ok() && slot->has_value()) << slot.status();
    return CheckSlotUsable(*sql_, name, **slot);
  }
  static ReplicationOptions Named(const std::string& name) {
    ReplicationOptions options;
    options.slot_name = name;
    return options;
  }

  // A slot of ours as the catalog would show it.
  SlotState Ours() const {
    SlotState slot;
    slot.plugin = "pgoutput";
    slot.database = database_.dbname;
    slot.restart_lsn = Lsn(1);
    return slot;
  }

  postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> sql_ = MustOpen(database_);
  std::unique_ptr<postgres::Connection> replication_ =
      MustOpen(database_, SessionKind::kReplication);
};

TEST_F(SlotTest, MissingSlotIsAbsent) {
  const auto slot = InspectSlot(*sql_, "ours");
  ASSERT_TRUE(slot.ok()) << slot.status();
  EXPECT_FALSE(slot->has_value());
}

TEST_F(SlotTest, E37_CreatedSlotExportsASnapshotThatSeesTheSameRows) {
  Run("CREATE TABLE public.t(id int); INSERT INTO public.t VALUES (1)");
  const auto created = CreateSlot(*replication_, *sql_, Named("ours"));
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_TRUE(created->consistent_point.valid());
  Run("INSERT INTO public.t VALUES (2)");
  EXPECT_EQ(Run(absl::StrCat("BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT ",
                             postgres::QuoteLiteral(created->snapshot_name),
                             "; SELECT count(*) FROM public.t")),
            "1");
  Run("ROLLBACK");
  const auto slot = InspectSlot(*sql_, "ours");
  ASSERT_TRUE(slot.ok() && slot->has_value());
  EXPECT_EQ((*slot)->plugin, "pgoutput");
  EXPECT_EQ((*slot)->database, database_.dbname);
  EXPECT_EQ((*slot)->confirmed_flush_lsn, created->consistent_point);
  EXPECT_EQ((*slot)->wal_status, "reserved");
  EXPECT_TRUE(Usable("ours").ok());
}

TEST_F(SlotTest, NamesOfDigitsAreQuoted) {
  EXPECT_TRUE(CreateSlot(*replication_, *sql_, Named("123")).ok());
}

TEST_F(SlotTest, TemporarySlotEndsWithItsConnection) {
  ReplicationOptions options = Named("ours");
  options.temporary_slot = true;
  ASSERT_TRUE(CreateSlot(*replication_, *sql_, options).ok());
  EXPECT_EQ(Run("SELECT temporary FROM pg_replication_slots WHERE slot_name = 'ours'"), "t");
}

TEST_F(SlotTest, FAIL17_SlotCreatedByAnotherInTheMeantimeIsAborted) {
  ASSERT_TRUE(CreateSlot(*replication_, *sql_, Named("ours")).ok());
  const auto again = CreateSlot(*replication_, *sql_, Named("ours"));
  EXPECT_TRUE(absl::IsAborted(again.status())) << again.status();
  EXPECT_EQ(ErrorReason(again.status()), "slot_exists");
}

TEST_F(SlotTest, SLT04_OpenTransactionsAreNamedAndTheSlotIsGone) {
  const auto writer = MustOpen(database_);
  MustQuery(*writer, "BEGIN; SELECT txid_current()");
  const std::string pid = MustQuery(*writer, "SELECT pg_backend_pid()");
  ReplicationOptions options = Named("ours");
  options.create_slot_timeout = absl::Milliseconds(300);
  std::string told;
  const auto blocked =
      CreateSlot(*replication_, *sql_, options, nullptr,
                 [&told](const std::string& transactions) { told = transactions; });
  EXPECT_THAT(told, HasSubstr(absl::StrCat("pid ", pid))) << "before it waits";
  EXPECT_TRUE(absl::IsDeadlineExceeded(blocked.status())) << blocked.status();
  EXPECT_EQ(ErrorReason(blocked.status()), "slot_creation_blocked");
  EXPECT_THAT(std::string(blocked.status().message()), HasSubstr(absl::StrCat("pid ", pid)));
  EXPECT_THAT(std::string(blocked.status().message()),
              HasSubstr("waits for in-progress transactions"));
  EXPECT_FALSE((*InspectSlot(*sql_, "ours")).has_value());
  MustQuery(*writer, "COMMIT");
  EXPECT_TRUE(CreateSlot(*replication_, *sql_, Named("ours")).ok());
}

// To a role without pg_read_all_stats the server does not say since when another one's are open.
TEST_F(SlotTest, SLT04_WhatTheRoleMayNotSeeIsLeftOut) {
  const auto writer = MustOpen(database_);
  MustQuery(*writer, "BEGIN; SELECT txid_current()");
  ReplicationOptions options = Named("ours");
  options.create_slot_timeout = absl::Milliseconds(300);
  const auto seen = CreateSlot(*replication_, *sql_, options);
  EXPECT_THAT(std::string(seen.status().message()), HasSubstr("\", since 2"));
  Run("CREATE ROLE blind; SET ROLE blind");
  const auto blocked = CreateSlot(*replication_, *sql_, options);
  Run("RESET ROLE; DROP ROLE blind");
  EXPECT_EQ(ErrorReason(blocked.status()), "slot_creation_blocked");
  EXPECT_THAT(std::string(blocked.status().message()),
              AllOf(HasSubstr("application \""), HasSubstr("\")"), Not(HasSubstr("since"))));
  MustQuery(*writer, "COMMIT");
}

TEST_F(SlotTest, SLT04_PreparedTransactionsAreNamed) {
  Run("BEGIN; SELECT txid_current(); PREPARE TRANSACTION 'forgotten'");
  ReplicationOptions options = Named("ours");
  options.create_slot_timeout = absl::Milliseconds(300);
  const auto blocked = CreateSlot(*replication_, *sql_, options);
  Run("ROLLBACK PREPARED 'forgotten'");
  EXPECT_THAT(std::string(blocked.status().message()), HasSubstr("forgotten"));
}

TEST_F(SlotTest, SLT16_NoFreeSlotIsFailedPrecondition) {
  Run("SELECT pg_create_physical_replication_slot('filler_' || i) FROM generate_series(1, 16) i");
  const auto created = CreateSlot(*replication_, *sql_, Named("ours"));
  Run("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name LIKE "
      "'filler%'");
  EXPECT_TRUE(absl::IsFailedPrecondition(created.status())) << created.status();
  EXPECT_EQ(ErrorReason(created.status()), "no_free_slot");
}

TEST_F(SlotTest, SLT03_SlotOfAnotherDatabase) {
  const auto elsewhere = MustOpen(PostgresServer::Shared().CreateDatabase());
  MustQuery(*elsewhere, "SELECT pg_create_logical_replication_slot('other', 'pgoutput')");
  const absl::Status status = Usable("other");
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "slot_wrong_database");
}

TEST_F(SlotTest, SLT03_PhysicalSlot) {
  Run("SELECT pg_create_physical_replication_slot('other')");
  const absl::Status status = Usable("other");
  EXPECT_EQ(ErrorReason(status), "slot_wrong_plugin");
  EXPECT_THAT(std::string(status.message()), HasSubstr("physical"));
}

TEST_F(SlotTest, SLT03_SlotOfAnotherPlugin) {
  SlotState slot = Ours();
  slot.plugin = "wal2json";
  EXPECT_EQ(ErrorReason(CheckSlotUsable(*sql_, "other", slot)), "slot_wrong_plugin");
}

TEST_F(SlotTest, SLT02_SlotInUseNamesItsReader) {
  ASSERT_TRUE(CreateSlot(*replication_, *sql_, Named("ours")).ok());
  MustQuery(*sql_, "CREATE PUBLICATION p FOR ALL TABLES");
  ASSERT_TRUE(
      replication_
          ->Run(
              "START_REPLICATION SLOT ours LOGICAL 0/0 (proto_version '1', publication_names 'p')")
          .ok());
  const absl::Status status = Usable("ours");
  EXPECT_TRUE(absl::IsAborted(status)) << status;
  EXPECT_EQ(ErrorReason(status), "slot_in_use");
  EXPECT_THAT(std::string(status.message()),
              testing::ContainsRegex("backend pid [0-9]+, application \"walduct test\", client "
                                     "127.0.0.1, role .*, since 20[0-9-]+ [0-9:]+ UTC"));
  EXPECT_THAT(ErrorHint(status), testing::ContainsRegex("may be another walduct.*SELECT "
                                                        "pg_terminate_backend\\(PID\\)"));
}

TEST_F(SlotTest, SLT13_LostSlotIsFailedPrecondition) {
  SlotState slot = Ours();
  EXPECT_TRUE(CheckSlotUsable(*sql_, "ours", slot).ok());
  slot.wal_status = "lost";
  EXPECT_EQ(ErrorReason(CheckSlotUsable(*sql_, "ours", slot)), "slot_lost");
  slot.wal_status = "";  // before PostgreSQL 13
  slot.restart_lsn = Lsn();
  EXPECT_EQ(ErrorReason(CheckSlotUsable(*sql_, "ours", slot)), "slot_lost");
}

TEST_F(SlotTest, SLT14_InvalidationReasonIsTold) {
  SlotState slot = Ours();
  slot.invalidation_reason = "idle_timeout";
  EXPECT_THAT(std::string(CheckSlotUsable(*sql_, "ours", slot).message()),
              HasSubstr("idle_timeout"));
}

TEST_F(SlotTest, SLT04_SlotStillBeingCreatedIsInUseNotLost) {
  SlotState slot = Ours();
  slot.restart_lsn = Lsn();
  slot.active = true;
  slot.active_pid = 1;
  EXPECT_EQ(ErrorReason(CheckSlotUsable(*sql_, "ours", slot)), "slot_in_use");
}

// A server whose timeline has just changed, or another one behind the same address.
TEST_F(SlotTest, AVerdictIsThatOfTheSlotsRow) {
  ASSERT_TRUE(CreateSlot(*replication_, *sql_, Named("ours")).ok());
  const auto both = [this](const std::string& name, const absl::Status& error) {
    const absl::Status ended = ExplainEnd(*sql_, name, error);
    EXPECT_EQ(ExplainStart(*sql_, name, error), ended);
    return ended;
  };
  const absl::Status removed =
      postgres::StatusFromSqlState("58P01", "requested WAL segment 0001 has already been removed");
  for (const absl::Status& error :
       {removed, postgres::StatusFromSqlState("42704", "replication slot \"ours\" does not exist"),
        postgres::StatusFromSqlState("55000", "can no longer access replication slot \"ours\""),
        postgres::StatusFromSqlState("55000", "it was not created in this database")}) {
    EXPECT_TRUE(IsSlotVerdict(error)) << error;
    const absl::Status denied = both("ours", error);
    EXPECT_TRUE(absl::IsUnavailable(denied)) << denied;
    EXPECT_EQ(ErrorReason(denied), "slot_disputed");
    EXPECT_THAT(std::string(denied.message()),
                AllOf(HasSubstr(std::string(error.message())), HasSubstr("wal_status reserved")));
    EXPECT_THAT(ErrorHint(denied), HasSubstr("pg_drop_replication_slot('NAME')"));
    EXPECT_EQ(both("other", error), error) << "no row denies it";
  }
  const auto elsewhere = MustOpen(PostgresServer::Shared().CreateDatabase());
  MustQuery(*elsewhere, "SELECT pg_create_logical_replication_slot('other', 'pgoutput')");
  EXPECT_EQ(ErrorReason(both("other", removed)), "slot_wrong_database");
  const absl::Status other = absl::UnavailableError("away");
  EXPECT_EQ(both("ours", other), other);
}

TEST_F(SlotTest, SLT01_DropIsFineTwice) {
  ASSERT_TRUE(CreateSlot(*replication_, *sql_, Named("ours")).ok());
  EXPECT_TRUE(DropSlot(*sql_, "ours").ok());
  EXPECT_FALSE((*InspectSlot(*sql_, "ours")).has_value());
  EXPECT_TRUE(DropSlot(*sql_, "ours").ok());
}

TEST_F(SlotTest, FAIL18_IdentifiesTheSystem) {
  const auto system = IdentifySystem(*replication_);
  ASSERT_TRUE(system.ok()) << system.status();
  EXPECT_EQ(system->system_identifier, Run("SELECT system_identifier FROM pg_control_system()"));
  EXPECT_EQ(system->timeline, 1u);
  EXPECT_TRUE(system->wal_end.valid());
}

}  // namespace
}  // namespace walduct::replication
