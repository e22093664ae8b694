#include "postgres/denied_object.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "postgres/errors/sqlstate.h"
#include "tests/support/postgres_server.h"

namespace walduct::postgres {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;

TEST(DeniedObject, TheMessageNamesIt) {
  EXPECT_EQ(DeniedIn("x: permission denied for table My Table (SQLSTATE 42501)")->name, "My Table");
  EXPECT_EQ(DeniedIn("permission denied for materialized view v")->kind, "table");
  EXPECT_EQ(DeniedIn("permission denied for sequence s: why")->kind, "sequence");
  EXPECT_EQ(DeniedIn("permission denied for sequence s: why")->name, "s");
  EXPECT_FALSE(DeniedIn("permission denied for schema s"));
  EXPECT_FALSE(DeniedIn("keine Berechtigung f\u00fcr Tabelle t"));
}

TEST(DeniedObject, OfSeveralSchemasTheOneThatTheStatementMeans) {
  const std::vector<SchemaOfName> two = {{"sales", false}, {"presales", true}};
  EXPECT_EQ(SchemaMeant("update sales.beat set a = 1", "beat", two), "sales");
  EXPECT_EQ(SchemaMeant("update PreSales.Beat set a = 1", "beat", two), "presales");
  EXPECT_EQ(SchemaMeant("update \"sales\".beat set a = 1", "beat", two), "sales");
  EXPECT_EQ(SchemaMeant("update beat set a = 1", "beat", two), "presales") << "by the search_path";
  EXPECT_EQ(SchemaMeant("update sales.beats set a = 1", "beat", two), "presales");
  EXPECT_EQ(SchemaMeant("update sales.beat set a = 1 from presales.beat", "beat", two), "");
  EXPECT_EQ(SchemaMeant("update beat set a = 1", "beat", {{"a", true}, {"b", true}}), "");
  EXPECT_EQ(SchemaMeant("select f()", "beat", {{"sales", false}}), "sales") << "the only one";
  EXPECT_EQ(SchemaMeant("update beat set a = 1", "beat", {}), "");
}

TEST(DeniedObject, TheRightsAreThoseOfTheStatement) {
  EXPECT_EQ(RightsFor(" update t set a = 1"), "SELECT, UPDATE");
  EXPECT_EQ(RightsFor("insert into t values (1)"), "SELECT, INSERT");
  EXPECT_EQ(RightsFor("insert into t values (1) on conflict do nothing"), "SELECT, INSERT, UPDATE");
  EXPECT_EQ(RightsFor("DELETE FROM t"), "SELECT, DELETE");
  EXPECT_EQ(RightsFor("with x as (delete from t) select 1"), "SELECT, INSERT, UPDATE, DELETE");
}

TEST(DeniedObject, TheCatalogKnowsTheSchema) {
  const auto admin = MustOpen(PostgresServer::Shared().CreateDatabase());
  MustQuery(*admin,
            "CREATE SCHEMA sales; CREATE TABLE sales.heartbeat (id int); CREATE ROLE denied_beat; "
            "GRANT USAGE ON SCHEMA sales TO denied_beat; SET ROLE denied_beat");
  const std::string sql = "update sales.heartbeat set id = 2 where id = 1";
  const absl::Status denied = NameDenied(*admin, sql, admin->Run(sql));
  EXPECT_EQ(ErrorReason(denied), "permission_denied") << denied;
  EXPECT_EQ(ErrorHint(denied),
            "give the role the right SELECT, UPDATE on table \"sales\".\"heartbeat\"");
  MustQuery(*admin,
            "RESET ROLE; REVOKE ALL ON SCHEMA sales FROM denied_beat; "
            "DROP ROLE denied_beat");
  const absl::Status other = admin->Run("select * from nothing_there");
  EXPECT_EQ(NameDenied(*admin, "select * from nothing_there", other), other);
}

}  // namespace
}  // namespace walduct::postgres
