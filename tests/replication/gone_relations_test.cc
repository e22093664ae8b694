#include "replication/gone_relations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::ElementsAre;

class GoneRelationsTest : public ::testing::Test {
 protected:
  uint32_t Number(const std::string& expression) {
    uint32_t number = 0;
    EXPECT_TRUE(absl::SimpleAtoi(
        MustQuery(*session_, absl::StrCat("SELECT (", expression, ")::text")), &number));
    return number;
  }
  Oid OidOf(const std::string& table) {
    return Oid{Number(absl::StrCat("'public.", table, "'::regclass::oid"))};
  }

  std::unique_ptr<postgres::Connection> session_ =
      MustOpen(PostgresServer::Shared().CreateDatabase());
};

TEST_F(GoneRelationsTest, ThoseThatTheCatalogHasNot) {
  MustQuery(*session_, "CREATE TABLE public.gone (id int)");
  MustQuery(*session_, "CREATE TABLE public.stays (id int)");
  const Oid gone = OidOf("gone");
  const Oid stays = OidOf("stays");
  MustQuery(*session_, "DROP TABLE public.gone");
  const uint32_t newest = Number("txid_snapshot_xmax(txid_current_snapshot()) & 4294967295") - 1;
  const absl::StatusOr<GoneRelations> answer = FindGoneRelations(
      *session_,
      {{gone, newest}, {stays, newest}, {Oid{4000000000}, newest + 10}, {Oid{4000000001}, 0}});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->gone, ElementsAre(gone, Oid{4000000001}))
      << "the third may be of a transaction that is not shown yet";
  EXPECT_EQ(MustQuery(*session_, absl::StrCat("SELECT ('", answer->end.ToString(),
                                              "' BETWEEN pg_lsn '0/1' AND "
                                              "pg_current_wal_insert_lsn())::text")),
            "true");
}

TEST_F(GoneRelationsTest, NothingToAsk) {
  const absl::StatusOr<GoneRelations> answer = FindGoneRelations(*session_, {});
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer->gone.empty());
}

}  // namespace
}  // namespace walduct::replication
