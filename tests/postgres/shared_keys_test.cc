#include "postgres/checks/shared_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "postgres/describe/catalog.h"
#include "postgres/oid_text.h"
#include "tests/support/postgres_server.h"

namespace walduct::postgres {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SharedKeysTest : public ::testing::Test {
 protected:
  Oid OidOf(const std::string& table) {
    return ParseOid(MustQuery(*session_, absl::StrCat("SELECT '", table, "'::regclass::oid")));
  }
  // What is found of one table, and what describing it says: "risk | better".
  std::vector<std::string> Found(const std::string& sql) {
    MustQuery(*session_, absl::StrCat("DROP TABLE IF EXISTS public.t; ", sql));
    const auto found = FindSharedKeys(*session_, {OidOf("public.t")});
    EXPECT_TRUE(found.ok()) << found.status();
    std::vector<std::string> texts;
    for (const SharedKey& key : *found) texts.push_back(absl::StrCat(key.risk, " | ", key.better));
    const auto described = Catalog(*session_).Describe(OidOf("public.t"));
    EXPECT_TRUE(described.ok());
    const bool is_key = !found->empty() && (*found)[0].is_key;
    EXPECT_EQ((*described)->key_risk, is_key ? (*found)[0].risk : "");
    return texts;
  }

  std::unique_ptr<Connection> session_ = MustOpen(PostgresServer::Shared().CreateDatabase());
};

TEST_F(SharedKeysTest, LeavesRowsOut) {
  EXPECT_THAT(Found("CREATE TABLE public.t(a int NOT NULL, b int NOT NULL);"
                    "CREATE UNIQUE INDEX i ON public.t(a) WHERE b > 0"),
              ElementsAre("unique index i (its WHERE leaves rows out) | "));
}

TEST_F(SharedKeysTest, HoldsNull) {
  EXPECT_THAT(Found("CREATE TABLE public.t(a int, \"B c\" int, d int NOT NULL UNIQUE,"
                    "CONSTRAINT a UNIQUE (a, \"B c\"))"),
              ElementsAre("unique index a (NULL is allowed in a and \"B c\") | d"));
  EXPECT_THAT(Found("CREATE TABLE public.t(a int UNIQUE NULLS NOT DISTINCT)"), IsEmpty());
}

TEST_F(SharedKeysTest, IsCheckedLate) {
  EXPECT_THAT(Found("CREATE TABLE public.t(a int PRIMARY KEY DEFERRABLE)"),
              ElementsAre("primary key t_pkey (it is checked at the end of a transaction) | "));
  EXPECT_THAT(
      Found("CREATE TABLE public.t(a int UNIQUE DEFERRABLE INITIALLY DEFERRED)"),
      ElementsAre("unique index t_a_key (NULL is allowed in a, it is checked at the end of a "
                  "transaction) | "));
}

TEST_F(SharedKeysTest, IsNotValid) {
  const std::string table =
      "CREATE TABLE public.t(a int NOT NULL, b int NOT NULL);"
      "CREATE UNIQUE INDEX i ON public.t(a);"
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'public.i'::regclass";
  EXPECT_THAT(Found(table), ElementsAre("i | "));
  EXPECT_THAT(Found(absl::StrCat(table, "; CREATE UNIQUE INDEX z ON public.t(b)")), IsEmpty())
      << "another one is the key";
}

TEST_F(SharedKeysTest, SoundKeysAreNotFound) {
  EXPECT_THAT(Found("CREATE TABLE public.t(a int PRIMARY KEY, b int UNIQUE);"
                    "CREATE UNIQUE INDEX i ON public.t(b) WHERE b > 0"),
              IsEmpty());
  EXPECT_THAT(Found("CREATE TABLE public.t(a int NOT NULL, b int);"
                    "CREATE UNIQUE INDEX i ON public.t(a) INCLUDE (b)"),
              IsEmpty());
  EXPECT_THAT(Found("CREATE TABLE public.t(a int); CREATE UNIQUE INDEX i ON public.t((a + 1))"),
              IsEmpty());
}

}  // namespace
}  // namespace walduct::postgres
