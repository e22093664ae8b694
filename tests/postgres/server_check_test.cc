#include "postgres/server_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "names/table_filter.h"
#include "postgres/checks/money_check.h"
#include "postgres/checks/read_rights.h"
#include "postgres/options.h"
#include "tests/support/postgres_server.h"

namespace walduct::postgres {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::HasSubstr;

class ServerCheckTest : public ::testing::Test {
 protected:
  // A session of a new role, named for awkward quoting.
  std::unique_ptr<Connection> As(const std::string& attributes) {
    MustQuery(*admin_, absl::StrCat("DROP ROLE IF EXISTS \"Odd \"\"Role\""));
    MustQuery(*admin_,
              absl::StrCat("CREATE ROLE \"Odd \"\"Role\" LOGIN PASSWORD 'x' ", attributes));
    DatabaseOptions database = database_;
    database.user = "Odd \"Role";
    database.password = "x";
    return MustOpen(database);
  }
  std::vector<TableName> Tables() {
    Catalog catalog(*admin_);
    return *catalog.CapturedTables(names::TableFilter({}));
  }
  ~ServerCheckTest() override {
    MustQuery(*admin_, "DROP OWNED BY \"Odd \"\"Role\"; DROP ROLE \"Odd \"\"Role\"");
  }

  DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<Connection> admin_ = MustOpen(database_);
};

TEST_F(ServerCheckTest, AcceptsALogicalPrimary) {
  const auto session = As("REPLICATION");
  const auto server = CheckServer(*session);
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_EQ(server->version, session->server_version());
  EXPECT_FALSE(server->in_recovery);
  EXPECT_EQ(server->encoding, "UTF8");
}

// It may have been streamed: a commit that waits for a synchronous standby looks like this.
TEST_F(ServerCheckTest, ATransactionThatHasANumberHasBegun) {
  const auto session = As("REPLICATION");
  MustQuery(*admin_, "BEGIN");
  uint64_t xid = 0;
  ASSERT_TRUE(absl::SimpleAtoi(MustQuery(*admin_, "SELECT txid_current()"), &xid));
  const auto server = CheckServer(*session);
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_GT(server->next_xid, xid);
  MustQuery(*admin_, "ROLLBACK");
}

TEST_F(ServerCheckTest, PRM01_RoleWithoutReplicationIsToldTheStatement) {
  const auto server = CheckServer(*As(""));
  EXPECT_TRUE(absl::IsPermissionDenied(server.status())) << server.status();
  EXPECT_EQ(ErrorReason(server.status()), "role_may_not_replicate");
  EXPECT_EQ(ErrorHint(server.status()), "ALTER ROLE \"Odd \"\"Role\" REPLICATION");
}

TEST_F(ServerCheckTest, PRM01_AcceptsMembersOfACloudProvidersRole) {
  MustQuery(*admin_, "CREATE ROLE rds_replication");
  const auto session = As("IN ROLE rds_replication");
  const auto server = CheckServer(*session);
  EXPECT_TRUE(server.ok()) << server.status();
  MustQuery(*admin_, "DROP ROLE rds_replication");
}

TEST_F(ServerCheckTest, PRM02_NamesEveryTableThatCannotBeReadWithItsGrants) {
  MustQuery(*admin_,
            "CREATE TABLE public.ok(id int); CREATE TABLE public.\"no Select\"(id int);"
            "CREATE SCHEMA \"Closed\"; CREATE TABLE \"Closed\".t(id int)");
  const auto session = As("");
  MustQuery(*admin_, "GRANT SELECT ON public.ok, \"Closed\".t TO \"Odd \"\"Role\"");
  const absl::Status status = CheckReadRights(*session, Tables(), nullptr);
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_EQ(ErrorReason(status), "table_not_readable");
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("\"Closed\".\"t\", \"public\".\"no Select\""));
  EXPECT_EQ(ErrorHint(status),
            "GRANT USAGE ON SCHEMA \"Closed\" TO \"Odd \"\"Role\"; "
            "GRANT SELECT ON \"public\".\"no Select\" TO \"Odd \"\"Role\";");
}

TEST_F(ServerCheckTest, PRM02_AsksForTheColumnsThatAreReadAlone) {
  MustQuery(*admin_,
            "CREATE TABLE public.a(id int);"
            "CREATE TABLE public.b(id int, \"No te\" text, secret text)");
  const auto session = As("");
  const auto without_secret = [](const event::TableSchema& schema) {
    std::vector<uint16_t> wanted;
    for (uint16_t i = 0; i < schema.columns.size(); ++i) {
      if (schema.columns[i].name != "secret") wanted.push_back(i);
    }
    return wanted;
  };
  const auto nothing = [](const event::TableSchema&) { return std::vector<uint16_t>(); };
  MustQuery(*admin_, "GRANT SELECT ON public.a TO \"Odd \"\"Role\"");
  EXPECT_EQ(ErrorHint(CheckReadRights(*session, Tables(), nullptr)),
            "GRANT SELECT ON \"public\".\"b\" TO \"Odd \"\"Role\";");
  EXPECT_EQ(ErrorHint(CheckReadRights(*session, Tables(), without_secret)),
            "GRANT SELECT (\"id\", \"No te\") ON \"public\".\"b\" TO \"Odd \"\"Role\";");
  EXPECT_EQ(ErrorHint(CheckReadRights(*session, Tables(), nothing)),
            "GRANT SELECT ON \"public\".\"b\" TO \"Odd \"\"Role\";");
  MustQuery(*admin_, "GRANT SELECT (id) ON public.b TO \"Odd \"\"Role\"");
  EXPECT_TRUE(CheckReadRights(*session, Tables(), nothing).ok()) << "rows are counted";
  EXPECT_EQ(ErrorHint(CheckReadRights(*session, Tables(), nullptr)),
            "GRANT SELECT (\"No te\", \"secret\") ON \"public\".\"b\" TO \"Odd \"\"Role\";");
  MustQuery(*admin_, "GRANT SELECT (\"No te\") ON public.b TO \"Odd \"\"Role\"");
  EXPECT_TRUE(CheckReadRights(*session, Tables(), without_secret).ok());
  EXPECT_EQ(ErrorHint(CheckReadRights(*session, Tables(), without_secret, /*places=*/true)),
            "GRANT SELECT (ctid, xmin) ON \"public\".\"b\" TO \"Odd \"\"Role\";");
  MustQuery(*admin_, "GRANT SELECT (ctid, xmin) ON public.b TO \"Odd \"\"Role\"");
  EXPECT_TRUE(CheckReadRights(*session, Tables(), without_secret, /*places=*/true).ok());
  EXPECT_TRUE(CheckReadRights(*session, {}, nullptr).ok());
}

TEST_F(ServerCheckTest, PRM02_RightsAreThoseTheSessionHas) {
  MustQuery(*admin_,
            "CREATE TABLE public.a(id int); CREATE ROLE a_reader; GRANT SELECT ON public.a TO "
            "a_reader");
  const auto session = As("REPLICATION");
  EXPECT_FALSE(CheckReadRights(*session, Tables(), nullptr).ok());
  MustQuery(*admin_, "GRANT a_reader TO \"Odd \"\"Role\"; ALTER ROLE \"Odd \"\"Role\" NOINHERIT");
  MustQuery(*admin_, "REVOKE a_reader FROM \"Odd \"\"Role\"; GRANT a_reader TO \"Odd \"\"Role\"");
  EXPECT_FALSE(CheckReadRights(*session, Tables(), nullptr).ok())
      << "a member that inherits nothing";
  MustQuery(*session, "SET ROLE a_reader");
  EXPECT_TRUE(CheckReadRights(*session, Tables(), nullptr).ok());
  EXPECT_TRUE(CheckServer(*session).ok()) << "a walsender is of who has logged in";
  MustQuery(*session, "RESET ROLE");
  MustQuery(*admin_,
            "REVOKE a_reader FROM \"Odd \"\"Role\"; GRANT pg_read_all_data TO \"Odd \"\"Role\";"
            "ALTER ROLE \"Odd \"\"Role\" INHERIT");
  MustQuery(
      *admin_,
      "REVOKE pg_read_all_data FROM \"Odd \"\"Role\"; GRANT pg_read_all_data TO \"Odd \"\"Role\"");
  EXPECT_TRUE(CheckReadRights(*session, Tables(), nullptr).ok());
  MustQuery(*admin_, "DROP OWNED BY a_reader; DROP ROLE a_reader");
}

TEST_F(ServerCheckTest, PRM04_RefusesTablesWhosePoliciesHideRows) {
  MustQuery(
      *admin_,
      "CREATE TABLE public.secured(id int); ALTER TABLE public.secured ENABLE ROW LEVEL SECURITY;"
      "CREATE POLICY everything ON public.secured USING (true)");
  const auto session = As("");
  MustQuery(*admin_, "GRANT SELECT ON public.secured TO \"Odd \"\"Role\"");
  const absl::Status status = CheckReadRights(*session, Tables(), nullptr);
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_EQ(ErrorReason(status), "row_security_hides_rows");
  EXPECT_THAT(std::string(status.message()), HasSubstr("\"public\".\"secured\""));
  EXPECT_THAT(ErrorHint(status), HasSubstr("BYPASSRLS"));
  MustQuery(*admin_, "ALTER ROLE \"Odd \"\"Role\" BYPASSRLS");
  EXPECT_TRUE(CheckReadRights(*session, Tables(), nullptr).ok());
}

TEST_F(ServerCheckTest, SLT16_NoFreeSlot) {
  const auto session = As("REPLICATION");
  EXPECT_TRUE(CheckFreeSlot(*session).ok());
  MustQuery(
      *admin_,
      "SELECT pg_create_physical_replication_slot('filler_' || i) FROM generate_series(1, 16) i");
  const absl::Status status = CheckFreeSlot(*session);
  MustQuery(*admin_, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots");
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "no_free_slot");
  EXPECT_THAT(ErrorHint(status), HasSubstr("max_replication_slots"));
}

TEST(WalLevelTest, SLT16_WalLevelReplicaIsToldTheStatement) {
  PostgresServer& server = PostgresServer::Shared();
  server.RestartWith("wal_level", "replica");
  const auto status = CheckServer(*MustOpen(server.CreateDatabase())).status();
  server.RestartWith("wal_level", "");
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "wal_level_not_logical");
  EXPECT_THAT(ErrorHint(status), HasSubstr("ALTER SYSTEM SET wal_level = logical"));
}

TEST(WalSenderTest, SLT16_NoFreeWalSenderDoesNotCountOurOwn) {
  PostgresServer& server = PostgresServer::Shared();
  server.RestartWith("max_wal_senders", "1");
  {
    const auto session = MustOpen(server.CreateDatabase());
    const auto own = MustOpen(server.CreateDatabase(), SessionKind::kReplication);
    EXPECT_TRUE(CheckFreeSlot(*session).ok());
  }
  {
    // A role that may see nothing of a sender but whose it is.
    DatabaseOptions database = server.CreateDatabase();
    const auto admin = MustOpen(database);
    MustQuery(*admin, "CREATE ROLE sees_little LOGIN PASSWORD 'x' REPLICATION");
    {
      const auto of_others = MustOpen(database, SessionKind::kReplication);
      database.user = "sees_little";
      database.password = "x";
      EXPECT_EQ(ErrorReason(CheckFreeSlot(*MustOpen(database))), "no_free_wal_sender");
    }
    MustQuery(*admin,
              "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity "
              "WHERE backend_type = 'walsender'");
    const auto own = MustOpen(database, SessionKind::kReplication);
    EXPECT_TRUE(CheckFreeSlot(*MustOpen(database)).ok());
    MustQuery(*admin,
              "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity "
              "WHERE usename = 'sees_little'");
    MustQuery(*admin, "DROP ROLE sees_little");
  }
  server.RestartWith("max_wal_senders", "");
}

TEST(MoneyCheckTest, DomainsOverMoneyAreMoney) {
  const DatabaseOptions database = PostgresServer::Shared().CreateDatabase();
  const auto admin = MustOpen(database);
  MustQuery(*admin, "CREATE DOMAIN public.price AS money");
  MustQuery(*admin, "CREATE DOMAIN public.net AS public.price");
  MustQuery(*admin, "CREATE TABLE public.sums (a public.net, b public.net[], c numeric, d text[])");
  Catalog catalog(*admin);
  const auto tables = *catalog.CapturedTables(names::TableFilter({}));
  std::vector<std::string> asked;
  EXPECT_TRUE(CheckMoneyUnits(*admin, database, tables, [&](absl::string_view column) {
                asked.emplace_back(column);
                return false;
              }).ok());
  EXPECT_THAT(asked, ::testing::ElementsAre("public.sums.a", "public.sums.b"));
}

// Under "C", as here, money counts in hundredths; under ja_JP 1 is one unit, under ar_KW a
// thousand.
TEST(MoneyCheckTest, E64_MoneyThatIsNotCountedInHundredthsIsRefused) {
  const DatabaseOptions database = PostgresServer::Shared().CreateDatabase();
  const auto admin = MustOpen(database);
  MustQuery(*admin, "CREATE TABLE public.sums (id int PRIMARY KEY, \"m M\" money, list money[])");
  Catalog catalog(*admin);
  const auto tables = *catalog.CapturedTables(names::TableFilter({}));
  std::vector<std::string> asked;
  EXPECT_TRUE(CheckMoneyUnits(*admin, database, tables, [&](absl::string_view column) {
                asked.emplace_back(column);
                return column.back() == 't';
              }).ok());
  EXPECT_THAT(asked, ::testing::ElementsAre("public.sums.list"));
  EXPECT_TRUE(JudgeMoneyUnits("0000000000000064", "en_US.UTF-8", "public.sums.m").ok());
  for (const char* one : {"0000000000000001", "00000000000003e8"}) {
    const absl::Status status = JudgeMoneyUnits(one, "ja_JP.UTF-8", "public.sums.\"m M\"");
    EXPECT_EQ(ErrorReason(status), "money_units");
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("column public.sums.\"m M\" is of type money, and lc_monetary=ja_JP"));
  }
}

}  // namespace
}  // namespace walduct::postgres
