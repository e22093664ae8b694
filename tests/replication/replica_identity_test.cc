#include "replication/publication/replica_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::HasSubstr;

class ReplicaIdentityTest : public ::testing::Test {
 protected:
  ReplicaIdentityTest() {
    Run("CREATE TABLE public.orders(id int PRIMARY KEY, code text NOT NULL);"
        "CREATE TABLE public.\"Odd Name\"(id int PRIMARY KEY, code text NOT NULL);"
        "CREATE UNIQUE INDEX orders_code ON public.orders(code);"
        "CREATE UNIQUE INDEX \"Odd_Code\" ON public.\"Odd Name\"(code)");
  }
  static ReplicaIdentityRule Rule(absl::string_view tables, const std::string& identity,
                                  const std::string& index = "") {
    return {.tables = java::RegexList::OfChecked(tables), .identity = identity, .index = index};
  }
  // The log of setting the identities.
  std::string Set(const std::vector<ReplicaIdentityRule>& rules) {
    ::testing::internal::CaptureStderr();
    EXPECT_TRUE(SetAs(*session_, rules).ok());
    return ::testing::internal::GetCapturedStderr();
  }
  absl::Status SetAs(postgres::Connection& connection,
                     const std::vector<ReplicaIdentityRule>& rules) {
    postgres::Catalog catalog(*session_);
    const names::TableFilter filter{names::TableFilterOptions{}};
    ReplicationOptions options;
    options.replica_identities = rules;
    return SetReplicaIdentities(connection, options, *catalog.CapturedTables(filter));
  }
  std::string Identity(const std::string& table) {
    return Run(absl::StrCat("SELECT relreplident FROM pg_class WHERE relname = '", table, "'"));
  }
  std::string Run(absl::string_view sql) { return MustQuery(*session_, sql); }

  postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> session_ = MustOpen(database_);
};

TEST_F(ReplicaIdentityTest, RID07SetForTheTablesThatMatch) {
  Set({Rule("public\\.o.*", "FULL")});
  EXPECT_EQ(Identity("orders"), "f");
  EXPECT_EQ(Identity("Odd Name"), "f") << "lists match whatever the case";
  Set({Rule("public.orders", "NOTHING"), Rule("public.Odd Name", "DEFAULT")});
  EXPECT_EQ(Identity("orders"), "n");
  EXPECT_EQ(Identity("Odd Name"), "d");
}

TEST_F(ReplicaIdentityTest, RID07AnIndexByItsNameOrItsFoldedName) {
  Set({Rule("public.orders", "INDEX", "ORDERS_CODE"),
       Rule("public.Odd Name", "INDEX", "Odd_Code")});
  EXPECT_EQ(Run("SELECT count(*) FROM pg_index WHERE indisreplident"), "2");
}

TEST_F(ReplicaIdentityTest, RID07WhatIsSetAlreadyIsLeftAlone) {
  Set({Rule("public.orders", "INDEX", "orders_code")});
  const std::string before = Run("SELECT xmin FROM pg_class WHERE relname = 'orders'");
  EXPECT_EQ(Set({Rule("public.orders", "INDEX", "orders_code")}), "");
  EXPECT_EQ(Run("SELECT xmin FROM pg_class WHERE relname = 'orders'"), before);
}

// The server would refuse every UPDATE and DELETE of the table.
TEST_F(ReplicaIdentityTest, AnIdentityThatIsNotSentIsNotSet) {
  Run("CREATE PUBLICATION dbz_publication FOR TABLE public.orders(id), public.\"Odd Name\"(code)");
  const std::string log =
      Set({Rule("public.orders", "FULL"), Rule("public.Odd Name", "INDEX", "Odd_Code")});
  EXPECT_THAT(log, HasSubstr("would refuse UPDATE and DELETE"));
  EXPECT_EQ(Identity("orders"), "d");
  EXPECT_EQ(Identity("Odd Name"), "i") << "its column is sent";
  Run("ALTER PUBLICATION dbz_publication SET TABLE public.orders(id), public.\"Odd Name\"(id);"
      "ALTER TABLE public.\"Odd Name\" REPLICA IDENTITY DEFAULT");
  EXPECT_THAT(Set({Rule("public.Odd Name", "INDEX", "Odd_Code")}), HasSubstr("columns=code"));
  EXPECT_EQ(Identity("Odd Name"), "d");
  Run("ALTER PUBLICATION dbz_publication SET (publish = 'insert')");
  Set({Rule("public.orders", "FULL")});
  EXPECT_EQ(Identity("orders"), "f") << "no UPDATE is published";
}

TEST_F(ReplicaIdentityTest, RID08SeveralEntriesForOneTableLeaveItAlone) {
  const std::string log = Set({Rule("public.orders", "FULL"), Rule("public.*", "NOTHING")});
  EXPECT_EQ(Identity("orders"), "d");
  EXPECT_EQ(Identity("Odd Name"), "n") << "the others are done";
  EXPECT_THAT(log, HasSubstr("several entries match the table"));
}

TEST_F(ReplicaIdentityTest, RID09WithoutOwnershipItGoesOn) {
  Run("CREATE ROLE no_owner LOGIN PASSWORD 'x'");
  postgres::DatabaseOptions other = database_;
  other.user = "no_owner";
  other.password = "x";
  const auto session = MustOpen(other);
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(SetAs(*session, {Rule("public.orders", "FULL")}).ok());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("does not own the table"));
  EXPECT_THAT(log, HasSubstr("ALTER TABLE"));
  EXPECT_EQ(Identity("orders"), "d");
  Run("DROP ROLE no_owner");
}

TEST_F(ReplicaIdentityTest, RID10MissingIndexIsToldOf) {
  EXPECT_THAT(Set({Rule("public.orders", "INDEX", "nothing_here")}), HasSubstr("nothing_here"));
  EXPECT_EQ(Identity("orders"), "d");
}

TEST_F(ReplicaIdentityTest, ALockedTableIsNotWaitedForLong) {
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN; LOCK TABLE public.orders IN ACCESS SHARE MODE");
  EXPECT_THAT(Set({Rule("public.orders", "FULL")}), HasSubstr("not changed"));
  EXPECT_EQ(Identity("orders"), "d");
}

}  // namespace
}  // namespace walduct::replication
