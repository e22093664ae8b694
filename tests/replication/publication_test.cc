#include "replication/publication/publication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "replication/publication_name.h"
#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::HasSubstr;

class PublicationTest : public ::testing::Test {
 protected:
  absl::Status Ensure(const std::string& include = ".*") { return EnsureAs(*session_, include); }
  absl::Status EnsureAs(postgres::Connection& connection, const std::string& include = ".*") {
    names::TableFilterOptions filter;
    filter.table_include = java::RegexList::OfChecked(include);
    postgres::Catalog catalog(*session_);
    const auto added = EnsurePublication(connection, options_,
                                         *catalog.CapturedTables(names::TableFilter(filter)));
    added_ = added.ok() ? *added : std::vector<PublishedTable>();
    return added.status();
  }
  std::string Run(absl::string_view sql) { return MustQuery(*session_, sql); }
  std::string Members() {
    return Run(
        "SELECT string_agg(prrelid::regclass::text, ',' ORDER BY prrelid::regclass::text) FROM "
        "pg_publication_rel");
  }

  postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> session_ = MustOpen(database_);
  ReplicationOptions options_;
  std::vector<PublishedTable> added_;  // by the last Ensure
};

TEST_F(PublicationTest, PUB01_AllTablesIsCreatedUnderItsNameAndKept) {
  options_.publication_name = "Custom Name";
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Run("SELECT pubname FROM pg_publication WHERE puballtables"), "Custom Name");
  const std::string oid = Run("SELECT oid FROM pg_publication");
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Run("SELECT oid FROM pg_publication"), oid);
}

TEST_F(PublicationTest, PUB02_FilteredNamesCapturedTablesOnly) {
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  Run("CREATE TABLE public.\"Odd\"\"Name\"(id int PRIMARY KEY); CREATE TABLE public.other(id int "
      "PRIMARY KEY)");
  ASSERT_TRUE(Ensure("public\\.Odd.*").ok());
  EXPECT_EQ(Members(), "public.\"Odd\"\"Name\"");
}

TEST_F(PublicationTest, PUB03_FilteredFollowsTheList) {
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  Run("CREATE TABLE public.a(id int PRIMARY KEY); CREATE TABLE public.b(id int PRIMARY KEY)");
  ASSERT_TRUE(Ensure("public.a").ok());
  ASSERT_TRUE(Ensure("public.b").ok());
  EXPECT_EQ(Members(), "public.b");
  ASSERT_EQ(added_.size(), 1u);
  EXPECT_EQ(added_.front().table, "b");
  ASSERT_TRUE(Ensure("public.b").ok());
  EXPECT_TRUE(added_.empty());
}

TEST_F(PublicationTest, PUB04_NothingIsAlteredForPartitionsThatDidNotChange) {
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  Run("CREATE TABLE public.p(id int PRIMARY KEY) PARTITION BY LIST (id);"
      "CREATE TABLE public.p1 PARTITION OF public.p FOR VALUES IN (1)");
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Members(), "public.p,public.p1");
  const std::string before =
      Run("SELECT string_agg(xmin::text || oid, ',' ORDER BY oid) FROM pg_publication_rel");
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Run("SELECT string_agg(xmin::text || oid, ',' ORDER BY oid) FROM pg_publication_rel"),
            before);
}

TEST_F(PublicationTest, PUB05_FilteredWithoutTablesFails) {
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  const absl::Status status = Ensure("nothing");
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "publication_without_tables");
}

TEST_F(PublicationTest, PUB06_DisabledTellsTheStatementAndCreatesNothing) {
  options_.publication_autocreate = PublicationAutocreate::kDisabled;
  Run("CREATE TABLE public.a(id int PRIMARY KEY)");
  const absl::Status status = Ensure();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "publication_missing");
  EXPECT_THAT(ErrorHint(status),
              HasSubstr("CREATE PUBLICATION \"dbz_publication\" FOR TABLE \"public\".\"a\""));
  EXPECT_EQ(Run("SELECT count(*) FROM pg_publication"), "0");
  // The name may be misspelt.
  Run("CREATE PUBLICATION other FOR TABLE public.a");
  Run("CREATE TABLE public.of_logs(id int PRIMARY KEY)");
  Run("CREATE PUBLICATION logs FOR TABLE public.of_logs");
  EXPECT_THAT(ErrorHint(Ensure("public.a")), HasSubstr("to its name (other)"))
      << "logs has none of the tables";
  Run("DROP PUBLICATION logs; DROP TABLE public.of_logs");
  EXPECT_THAT(ErrorHint(Ensure()), AllOf(HasSubstr("set publication.name to its name (other)"),
                                         HasSubstr("else CREATE PUBLICATION")));
  // That another connector reads by it is known to a doctor.
  postgres::Catalog catalog(*session_);
  const auto captured = *catalog.CapturedTables(names::TableFilter(names::TableFilterOptions()));
  const auto hint = [&](const std::set<std::string>& read) {
    return ErrorHint(CheckPublication(*session_, options_, captured, read).status());
  };
  EXPECT_THAT(hint({"third"}), HasSubstr("set publication.name to its name (other)"));
  EXPECT_THAT(hint({"other"}), ::testing::StartsWith("CREATE PUBLICATION"));
}

// As it was, though publish.via.partition.root is not set.
TEST_F(PublicationTest, TheStatementForARootWhosePartitionsNobodyCaptures) {
  options_.publication_autocreate = PublicationAutocreate::kDisabled;
  Run("CREATE TABLE public.ev(id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE "
      "public.ev_1 PARTITION OF public.ev FOR VALUES FROM (0) TO (9)");
  constexpr absl::string_view kByRoot = "WITH (publish_via_partition_root = true)";
  EXPECT_THAT(ErrorHint(Ensure("public.ev")), HasSubstr(kByRoot));
  EXPECT_THAT(ErrorHint(Ensure("public.ev,public.ev_1")), Not(HasSubstr(kByRoot)));
}

TEST_F(PublicationTest, PUB07_NoTables) {
  options_.publication_autocreate = PublicationAutocreate::kNoTables;
  Run("CREATE TABLE public.a(id int PRIMARY KEY)");
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Run("SELECT count(*) FROM pg_publication"), "1");
  EXPECT_EQ(Members(), "");
}

TEST_F(PublicationTest, PUB15_ConfiguredOperationsAreSetOnCreateAndOnAlter) {
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  options_.publish_operations = "insert,update";
  Run("CREATE TABLE public.a(id int PRIMARY KEY)");
  ASSERT_TRUE(Ensure().ok());
  constexpr absl::string_view kOperations =
      "SELECT concat(pubinsert, pubupdate, pubdelete, pubtruncate) FROM pg_publication";
  EXPECT_EQ(Run(kOperations), "ttff");
  options_.publish_operations = "insert";
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Run(kOperations), "tfff");
  options_.publish_operations.reset();
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Run(kOperations), "tfff");
}

TEST_F(PublicationTest, PUB25_UnloggedAndTemporaryTablesAreLeftOut) {
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  Run("CREATE TABLE public.a(id int PRIMARY KEY); CREATE UNLOGGED TABLE public.u(id int); CREATE "
      "TEMP TABLE t(id int)");
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Members(), "public.a");
}

TEST_F(PublicationTest, PUB29_PartitionRootIsSetOnCreateAndOnAnExistingPublication) {
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  Run("CREATE TABLE public.p(id int PRIMARY KEY) PARTITION BY LIST (id)");
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Run("SELECT pubviaroot FROM pg_publication"), "f");
  options_.publish_via_partition_root = true;
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Run("SELECT pubviaroot FROM pg_publication"), "t");
}

TEST_F(PublicationTest, FilteredCannotNarrowAPublicationForAllTables) {
  Run("CREATE TABLE public.a(id int PRIMARY KEY); CREATE PUBLICATION dbz_publication FOR ALL "
      "TABLES");
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  EXPECT_EQ(ErrorReason(Ensure()), "publication_for_all_tables");
}

TEST_F(PublicationTest, PUB22_RowFiltersAndColumnListsOfKeptTablesSurvive) {
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  Run("CREATE TABLE public.a(id int PRIMARY KEY, v int); CREATE TABLE public.b(id int PRIMARY KEY);"
      "CREATE PUBLICATION dbz_publication FOR TABLE public.a (id) WHERE (id > 0)");
  ASSERT_TRUE(Ensure().ok());
  EXPECT_EQ(Members(), "public.a,public.b");
  EXPECT_EQ(Run("SELECT count(*) FROM pg_publication_rel WHERE prqual IS NOT NULL AND prattrs IS "
                "NOT NULL"),
            "1");
}

TEST_F(PublicationTest, PRM05_RoleThatMayNotCreateIsToldTheStatement) {
  Run("CREATE TABLE public.a(id int PRIMARY KEY); DROP ROLE IF EXISTS publisher; CREATE ROLE "
      "publisher LOGIN PASSWORD 'x'");
  postgres::DatabaseOptions database = database_;
  database.user = "publisher";
  database.password = "x";
  const auto session = MustOpen(database);
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  const absl::Status status = EnsureAs(*session);
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_EQ(ErrorReason(status), "publication_not_permitted");
  EXPECT_THAT(ErrorHint(status),
              ::testing::AllOf(
                  ::testing::StartsWith("docs/security.md (filtered) has the grants"),
                  HasSubstr("CREATE PUBLICATION \"dbz_publication\" FOR TABLE \"public\".\"a\"")));
  // A superuser's, whatever is granted.
  options_.publication_autocreate = PublicationAutocreate::kAllTables;
  EXPECT_THAT(ErrorHint(EnsureAs(*session)), ::testing::Not(HasSubstr("docs/security.md")));
}

// As after publication.autocreate.mode=disabled.
TEST_F(PublicationTest, RoleThatDoesNotOwnThePublicationIsToldHowItGetsIt) {
  Run("CREATE TABLE public.a(id int PRIMARY KEY); CREATE PUBLICATION dbz_publication; DROP ROLE IF "
      "EXISTS pub_owner; CREATE ROLE pub_owner LOGIN PASSWORD 'x'; ALTER TABLE public.a OWNER TO "
      "pub_owner");
  postgres::DatabaseOptions database = database_;
  database.user = "pub_owner";
  database.password = "x";
  const auto session = MustOpen(database);
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  const absl::Status status = EnsureAs(*session);
  EXPECT_EQ(ErrorReason(status), "publication_not_permitted") << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("it does not own the publication"));
  const std::string owner = "ALTER PUBLICATION dbz_publication OWNER TO pub_owner";
  const std::string grants =
      "docs/security.md (filtered) has the grants with which this role does it itself; or ";
  EXPECT_THAT(
      ErrorHint(status),
      ::testing::AllOf(::testing::StartsWith(grants + "have a superuser run: " + owner + "; or"),
                       HasSubstr("ADD TABLE \"public\".\"a\"; and set "
                                 "publication.autocreate.mode=disabled")));
  Run(owner);
  EXPECT_TRUE(EnsureAs(*session).ok());
  EXPECT_EQ(Members(), "public.a");
  // It is the role's, and a table is not.
  Run("CREATE TABLE public.b(id int PRIMARY KEY)");
  const absl::Status table = EnsureAs(*session);
  EXPECT_EQ(ErrorReason(table), "publication_not_permitted") << table;
  EXPECT_THAT(ErrorHint(table),
              ::testing::AllOf(::testing::StartsWith(grants + "have the owner of the tables"),
                               ::testing::Not(HasSubstr("OWNER TO"))));
  Run("DROP OWNED BY pub_owner; DROP ROLE pub_owner");
}

TEST_F(PublicationTest, FoldedNameIsUsedOnlyWhenTheExactOneDoesNotExist) {
  Run("CREATE PUBLICATION my_pub FOR ALL TABLES");
  EXPECT_EQ(*ResolvePublicationName(*session_, "My_Pub"), "my_pub");
  const auto replication = MustOpen(database_, postgres::SessionKind::kReplication);
  EXPECT_EQ(*ResolvePublicationName(*replication, "My_Pub"), "my_pub");
  EXPECT_EQ(*ResolvePublicationName(*session_, "Other"), "Other");
  Run("CREATE PUBLICATION \"My_Pub\" FOR ALL TABLES");
  EXPECT_EQ(*ResolvePublicationName(*session_, "My_Pub"), "My_Pub");
}

TEST_F(PublicationTest, E24_WarnsOfTablesWhoseUpdatesTheServerRefuses) {
  Run("CREATE TABLE public.keyless(id int)");
  ::testing::internal::CaptureStderr();
  ASSERT_TRUE(Ensure().ok());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("public.keyless"));
  EXPECT_THAT(log, HasSubstr("REPLICA IDENTITY FULL"));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("REPLICA IDENTITY DEFAULT")));
}

TEST_F(PublicationTest, ATableThatHasAKeyNeedsNoOther) {
  Run("CREATE TABLE public.keyed(id int PRIMARY KEY);"
      "ALTER TABLE public.keyed REPLICA IDENTITY NOTHING; CREATE TABLE public.\"Key d\"(id int "
      "PRIMARY KEY); ALTER TABLE public.\"Key d\" REPLICA IDENTITY NOTHING");
  constexpr absl::string_view kHint =
      R"(hint="ALTER TABLE public.\"Key d\" REPLICA IDENTITY DEFAULT; ALTER TABLE public.keyed )"
      R"(REPLICA IDENTITY DEFAULT; or )";
  for (const char* when : {"before it is made", "of the one that is there"}) {
    ::testing::internal::CaptureStderr();
    ASSERT_TRUE(Ensure().ok());
    const std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, HasSubstr(kHint)) << when;
    EXPECT_THAT(log, ::testing::Not(HasSubstr("REPLICA IDENTITY FULL"))) << when;
  }
}

// Where FULL would be refused as well, no hint says it.
TEST_F(PublicationTest, WarnsOfIdentitiesThatAreNotSent) {
  options_.publication_autocreate = PublicationAutocreate::kDisabled;
  Run("CREATE TABLE public.listed(id int PRIMARY KEY, a int);"
      "CREATE TABLE public.covered(id int PRIMARY KEY, a int);"
      "CREATE TABLE public.keyless(a int, b int);"
      "CREATE TABLE public.filtered(id int PRIMARY KEY, a int);"
      "CREATE PUBLICATION dbz_publication FOR TABLE public.listed(a), public.covered(id),"
      "public.keyless(a), public.filtered WHERE (a > 0)");
  ::testing::internal::CaptureStderr();
  ASSERT_TRUE(Ensure().ok());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("column list lacks columns of the replica identity"));
  EXPECT_THAT(log, HasSubstr("tables=public.listed"));
  EXPECT_THAT(log, HasSubstr("tables=public.filtered"));
  EXPECT_THAT(log, HasSubstr("under REPLICA IDENTITY FULL as well"));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("covered")));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("or ALTER TABLE")));
}

TEST_F(PublicationTest, AdviceWaitsForNoLockOnATable) {
  Run("CREATE TABLE public.a(id int PRIMARY KEY); CREATE TABLE public.locked(id int)");
  ASSERT_TRUE(Ensure("public.a").ok());
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN; LOCK TABLE public.locked IN ACCESS EXCLUSIVE MODE");
  Run("SET statement_timeout = '5s'");
  ::testing::internal::CaptureStderr();
  ASSERT_TRUE(Ensure("public.a").ok());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("public.locked"));
}

TEST_F(PublicationTest, AdviceThatCannotBeGivenStopsNothing) {
  ASSERT_TRUE(Ensure().ok());
  const auto other = MustOpen(database_);
  MustQuery(*other, "BEGIN; LOCK TABLE pg_inherits IN ACCESS EXCLUSIVE MODE");
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(Ensure().ok());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("could not be checked"));
  EXPECT_EQ(Run("SHOW lock_timeout"), "0");
}

TEST_F(PublicationTest, AdviceKnowsMembersOfSchemasAndPartitions) {
  Run("CREATE SCHEMA s; CREATE TABLE s.in_schema(id int); CREATE TABLE public.alone(id int);"
      "CREATE TABLE public.root(id int) PARTITION BY LIST (id);"
      "CREATE TABLE public.leaf PARTITION OF public.root FOR VALUES IN (1);"
      "CREATE PUBLICATION dbz_publication FOR TABLE public.root, TABLES IN SCHEMA s");
  ::testing::internal::CaptureStderr();
  ASSERT_TRUE(Ensure().ok());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("tables=\"public.leaf, s.in_schema\""));
  EXPECT_THAT(log, HasSubstr("tables=public.alone"));
}

TEST_F(PublicationTest, ATableDroppedAfterTheLookIsLeftOut) {
  options_.publication_autocreate = PublicationAutocreate::kFiltered;
  Run("CREATE TABLE public.a(id int PRIMARY KEY); CREATE TABLE public.b(id int PRIMARY KEY)");
  postgres::Catalog catalog(*session_);
  const auto captured = *catalog.CapturedTables(names::TableFilter({}));
  Run("DROP TABLE public.b");
  ASSERT_TRUE(EnsurePublication(*session_, options_, captured).ok());
  EXPECT_EQ(Members(), "public.a");
}

}  // namespace
}  // namespace walduct::replication
