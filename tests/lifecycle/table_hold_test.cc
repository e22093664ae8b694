// What a role with rights on columns alone has in place of LOCK TABLE: a real server.
#include "incremental/chunks/table_hold.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "tests/support/postgres_server.h"

namespace walduct::incremental {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;

class TableHoldTest : public ::testing::Test {
 protected:
  TableHoldTest() {
    MustQuery(*admin_,
              "DROP ROLE IF EXISTS column_reader; CREATE ROLE column_reader LOGIN PASSWORD 'x';"
              "CREATE TABLE public.t(a int, b int, secret text) PARTITION BY LIST (a);"
              "CREATE TABLE public.one PARTITION OF public.t FOR VALUES IN (1);"
              "GRANT SELECT (a, b) ON public.t TO column_reader");
    postgres::DatabaseOptions database = database_;
    database.user = "column_reader";
    database.password = "x";
    reader_ = MustOpen(database);
  }
  ~TableHoldTest() override {
    reader_.reset();
    MustQuery(*admin_, "DROP OWNED BY column_reader; DROP ROLE column_reader");
  }

  // A view of the database, then the change, then the hold.
  absl::Status TakeAfter(const std::string& change) {
    EXPECT_TRUE(hold_.Prepare(*reader_, table_).ok());
    MustQuery(*reader_, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    MustQuery(*reader_, "SELECT pg_catalog.txid_current_snapshot()");
    if (!change.empty()) MustQuery(*admin_, change);
    absl::Status taken = hold_.Take(*reader_);
    held_ = MustQuery(*admin_,
                      "SELECT count(*) FROM pg_locks WHERE mode = 'AccessShareLock' AND relation = "
                      "'public.t'::regclass AND granted");
    MustQuery(*reader_, "ROLLBACK");
    return taken;
  }

  const TableId table_{"public", "t"};
  postgres::DatabaseOptions database_ = test_servers::PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> admin_ = MustOpen(database_);
  std::unique_ptr<postgres::Connection> reader_;
  TableHold hold_;
  std::string held_;
};

TEST_F(TableHoldTest, ColumnsAreEnough) {
  EXPECT_TRUE(TakeAfter("").ok());
  EXPECT_EQ(held_, "1");
}

TEST_F(TableHoldTest, WhatWasAlteredBehindTheViewIsBegunAgain) {
  for (const char* const change :
       {"ALTER TABLE public.t RENAME COLUMN b TO c; ALTER TABLE public.t RENAME COLUMN a TO b;"
        "ALTER TABLE public.t RENAME COLUMN c TO a",
        "ALTER TABLE public.t ALTER COLUMN secret TYPE int USING 0",
        "ALTER TABLE public.t DROP secret",
        "ALTER TABLE public.t RENAME TO u; CREATE TABLE public.t(a int, b int);"
        "GRANT SELECT (a, b) ON public.t TO column_reader"}) {
    const absl::Status taken = TakeAfter(change);
    EXPECT_TRUE(absl::IsUnavailable(taken)) << change << ": " << taken;
    EXPECT_TRUE(TakeAfter("").ok()) << "the next view is behind " << change;
  }
}

TEST_F(TableHoldTest, WhatTheViewCannotMissIsNothingNew) {
  EXPECT_TRUE(TakeAfter("ALTER TABLE public.t ADD more int").ok());
  EXPECT_TRUE(TakeAfter("INSERT INTO public.t VALUES (1, 2)").ok());
}

TEST_F(TableHoldTest, ARightThatWasTakenAwayIsAskedForAgain) {
  MustQuery(*admin_, "GRANT SELECT ON public.t TO column_reader");
  EXPECT_TRUE(TakeAfter("").ok());
  MustQuery(*admin_,
            "REVOKE SELECT ON public.t FROM column_reader; GRANT SELECT (a) ON public.t TO "
            "column_reader");
  EXPECT_TRUE(absl::IsPermissionDenied(TakeAfter("")));
  EXPECT_TRUE(*hold_.Refresh(*reader_));
  EXPECT_TRUE(TakeAfter("").ok());
  EXPECT_FALSE(*hold_.Refresh(*reader_));
}

}  // namespace
}  // namespace walduct::incremental
