#include "postgres/background_statement.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/time/clock.h"
#include "base/error.h"
#include "postgres/connection_options.h"
#include "postgres/options.h"
#include "tests/support/postgres_server.h"

namespace walduct::postgres {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;

template <typename Condition>
bool Eventually(Condition condition) {
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (absl::Now() < deadline) {
    if (condition()) return true;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return false;
}

class BackgroundStatementTest : public ::testing::Test {
 protected:
  BackgroundStatementTest() { MustQuery(*session_, "CREATE TABLE public.beats(at timestamptz)"); }

  std::unique_ptr<BackgroundStatement> Make(const std::string& sql) {
    return std::make_unique<BackgroundStatement>(BackgroundStatement::Options{
        .open =
            [this](const StopCheck& stopping) {
              return Connection::Open({.database = database_,
                                       .application_name = "walduct beat",
                                       .keep_search_path = true,
                                       .stopping = stopping,
                                       .environment = Environment::Real()});
            },
        .clock = Environment::Real().clock,
        .sql = sql,
        .what = "heartbeat.action.query",
        .connector = "c",
        .told =
            [this](const absl::Status& status) {
              if (!status.ok()) hint_ = ErrorHint(status);
              (status.ok() ? worked_ : failed_) += 1;
            }});
  }
  std::string Beats() { return MustQuery(*session_, "SELECT count(*) FROM public.beats"); }

  std::string hint_;                        // of the last failure
  std::atomic<int> worked_{0}, failed_{0};  // as it tells
  DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<Connection> session_ = MustOpen(database_);
};

TEST_F(BackgroundStatementTest, RunsWhenAskedAndOnlyThen) {
  const auto statement = Make("INSERT INTO beats VALUES (now())");  // by the role's search_path
  EXPECT_EQ(Beats(), "0");
  statement->Request();
  ASSERT_TRUE(Eventually([&] { return statement->runs() == 1; }));
  statement->Request();
  ASSERT_TRUE(Eventually([&] { return statement->runs() == 2; }));
  EXPECT_EQ(Beats(), "2");
  EXPECT_EQ(statement->failures(), 0u);
}

TEST_F(BackgroundStatementTest, HBT04AFailureIsForgotten) {
  const auto statement = Make("INSERT INTO later VALUES (now())");
  statement->Request();
  ASSERT_TRUE(Eventually([&] { return statement->failures() == 1; }));
  EXPECT_EQ(hint_, "heartbeat.action.query names it: create it again, or correct the statement");
  MustQuery(*session_, "CREATE TABLE public.later(at timestamptz)");
  statement->Request();
  ASSERT_TRUE(Eventually([&] { return statement->runs() == 2; }));
  EXPECT_EQ(statement->failures(), 1u);
  EXPECT_TRUE(Eventually([&] { return worked_ == 1; }));
  EXPECT_EQ(failed_, 1);
  EXPECT_EQ(MustQuery(*session_, "SELECT count(*) FROM public.later"), "1");
}

TEST_F(BackgroundStatementTest, ASlowStatementHoldsNobodyUp) {
  auto statement = Make("SELECT pg_sleep(600)");
  const absl::Time begin = absl::Now();
  for (int i = 0; i < 1000; ++i) statement->Request();
  ASSERT_TRUE(Eventually([&] {
    return MustQuery(*session_,
                     "SELECT count(*) FROM pg_stat_activity WHERE query LIKE "
                     "'SELECT pg_sleep(600)%' AND state = 'active'") == "1";
  }));
  statement.reset();
  EXPECT_LT(absl::Now() - begin, absl::Seconds(60)) << "ended with its owner";
  EXPECT_TRUE(Eventually([&] {
    return MustQuery(*session_,
                     "SELECT count(*) FROM pg_stat_activity WHERE application_name = "
                     "'walduct beat'") == "0";
  }));
}

TEST_F(BackgroundStatementTest, ATerminatedSessionIsOpenedAnew) {
  const auto statement = Make("INSERT INTO beats VALUES (now())");
  statement->Request();
  ASSERT_TRUE(Eventually([&] { return statement->runs() == 1; }));
  MustQuery(*session_,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
            "application_name = 'walduct beat'");
  ASSERT_TRUE(Eventually([&] {
    statement->Request();
    return Beats() != "1";
  }));
}

}  // namespace
}  // namespace walduct::postgres
