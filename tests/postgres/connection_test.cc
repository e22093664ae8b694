#include "postgres/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/poller.h"
#include "postgres/connection_options.h"
#include "postgres/copy_reader.h"
#include "postgres/options.h"
#include "tests/support/postgres_server.h"

namespace walduct::postgres {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::HasSubstr;

absl::Status OpenStatus(const DatabaseOptions& database, SessionKind kind = SessionKind::kSql) {
  return Connection::Open({.database = database, .kind = kind, .environment = Environment::Real()})
      .status();
}

TEST(ConnectionTest, FAIL05_WrongPasswordIsUnauthenticated) {
  auto database = PostgresServer::Shared().CreateDatabase();
  database.password = "wrong";
  const absl::Status status = OpenStatus(database);
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_EQ(ErrorReason(status), "wrong_password");
  EXPECT_THAT(ErrorHint(status), HasSubstr("database.password"));
  EXPECT_THAT(ErrorHint(status), HasSubstr("FROM pg_roles WHERE rolname = '" + database.user + "'"))
      << "a role that is missing reads the same";
  EXPECT_EQ(ErrorReason(OpenStatus(database, SessionKind::kReplication)), "wrong_password");
}

TEST(ConnectionTest, APasswordIsReadAgainForEachConnection) {
  auto database = PostgresServer::Shared().CreateDatabase();
  const std::string right = database.password;
  std::string in_file = right;
  database.password = "old";
  database.password_source = [&] { return in_file; };
  EXPECT_TRUE(OpenStatus(database).ok());
  in_file = "not yet";
  EXPECT_EQ(ErrorReason(OpenStatus(database)), "password_refused");
  EXPECT_THAT(ErrorHint(OpenStatus(database)), HasSubstr("read again for each connection"));
  database.password_of_environment = true;
  EXPECT_THAT(ErrorHint(OpenStatus(database)),
              testing::AllOf(HasSubstr("restart the process with the new value"),
                             HasSubstr("ALTER ROLE \"" + database.user + "\" PASSWORD"),
                             testing::Not(HasSubstr("read again"))));
  database.password = right;
  database.password_source = [] { return std::optional<std::string>(); };
  EXPECT_TRUE(OpenStatus(database).ok()) << "a file that is away leaves the last password";
}

TEST(ConnectionTest, PRM02_ARoleWithoutConnectIsToldWhatToGrant) {
  auto database = PostgresServer::Shared().CreateDatabase();
  MustQuery(*MustOpen(database),
            absl::StrCat("DROP ROLE IF EXISTS unconnected; CREATE ROLE unconnected LOGIN PASSWORD "
                         "'x'; REVOKE CONNECT ON DATABASE \"",
                         database.dbname, "\" FROM PUBLIC"));
  database.user = "unconnected";
  database.password = "x";
  const absl::Status status = OpenStatus(database);
  EXPECT_EQ(ErrorReason(status), "may_not_connect") << status;
  EXPECT_THAT(ErrorHint(status), HasSubstr("GRANT CONNECT ON DATABASE"));
}

TEST(ConnectionTest, FAIL05_RoleThatMayNotLogInIsUnauthenticated) {
  auto database = PostgresServer::Shared().CreateDatabase();
  MustQuery(*MustOpen(database),
            "DROP ROLE IF EXISTS nologin; CREATE ROLE nologin NOLOGIN PASSWORD 'x'");
  database.user = "nologin";
  database.password = "x";
  EXPECT_EQ(ErrorReason(OpenStatus(database)), "role_may_not_log_in");
}

TEST(ConnectionTest, MissingDatabaseIsFailedPrecondition) {
  auto database = PostgresServer::Shared().CreateDatabase();
  database.dbname = "nowhere";
  const absl::Status status = OpenStatus(database);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "database_missing");
}

TEST(ConnectionTest, FAIL08_ServerThatIsNotThereIsUnavailable) {
  DatabaseOptions database = PostgresServer::Shared().CreateDatabase();
  database.port = "1";
  const absl::Status status = OpenStatus(database);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(ErrorReason(status), "postgres_unreachable");
}

TEST(ConnectionTest, UnknownHostHasItsOwnReason) {
  DatabaseOptions database = PostgresServer::Shared().CreateDatabase();
  database.hostname = "no-such-host.invalid";
  EXPECT_EQ(ErrorReason(OpenStatus(database)), "unknown_host");
}

TEST(ConnectionTest, SEC02_TlsWantedButNotOfferedIsFailedPrecondition) {
  DatabaseOptions database = PostgresServer::Shared().CreateDatabase();
  database.sslmode = "require";
  const absl::Status status = OpenStatus(database);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "tls_failed");
}

TEST(ConnectionTest, SEC01_UnknownSslmodeIsInvalidArgument) {
  DatabaseOptions database = PostgresServer::Shared().CreateDatabase();
  database.sslmode = "maybe";
  EXPECT_EQ(ErrorReason(OpenStatus(database)), "sslmode_invalid");
}

TEST(ConnectionTest, P14_PinsTheTextOfValuesOnBothKindsOfSession) {
  const auto database = PostgresServer::Shared().CreateDatabase();
  const auto admin = MustOpen(database);
  for (const char* setting :
       {"DateStyle = 'German'", "IntervalStyle = 'sql_standard'", "TimeZone = 'Asia/Tokyo'",
        "extra_float_digits = '-5'", "bytea_output = 'escape'", "statement_timeout = '1ms'",
        "idle_session_timeout = '1min'", "lock_timeout = '5s'"}) {
    MustQuery(*admin, absl::StrCat("ALTER DATABASE ", database.dbname, " SET ", setting));
  }
  for (const SessionKind kind : {SessionKind::kSql, SessionKind::kReplication}) {
    const auto session = MustOpen(database, kind);
    EXPECT_EQ(MustQuery(*session, "SELECT '2024-05-06 07:08:09+00'::timestamptz"),
              "2024-05-06 07:08:09+00");
    EXPECT_EQ(MustQuery(*session, "SELECT '1 year 2 days'::interval"), "1 year 2 days");
    EXPECT_EQ(MustQuery(*session, "SELECT 0.1::float8 + 0.2::float8"), "0.30000000000000004");
    EXPECT_EQ(MustQuery(*session, "SELECT current_setting('extra_float_digits')"), "1");
    EXPECT_EQ(MustQuery(*session, "SELECT '\\x00ff'::bytea"), "\\x00ff");
    EXPECT_EQ(MustQuery(*session, "SELECT current_setting('client_encoding')"), "UTF8");
    EXPECT_EQ(MustQuery(*session, "SELECT current_setting('search_path')"), "pg_catalog");
    EXPECT_EQ(MustQuery(*session, "SELECT current_setting('lc_monetary')"), "C");
    EXPECT_EQ(MustQuery(*session, "SELECT current_setting('statement_timeout')"), "0");
    EXPECT_EQ(MustQuery(*session, "SELECT current_setting('lock_timeout')"), "0");
    EXPECT_EQ(MustQuery(*session, "SELECT current_setting('idle_session_timeout')"), "0");
  }
}

// What a session gets through a pooler that takes no `options`, with the server itself behind it.
std::unique_ptr<Connection> MustOpenWithoutOptions(const DatabaseOptions& database,
                                                   SessionKind kind = SessionKind::kSql) {
  auto session = Connection::Open({.database = database,
                                   .kind = kind,
                                   .startup_options = false,
                                   .environment = Environment::Real()});
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

TEST(ConnectionTest, ASharedSessionPinsTheSameInEachTransactionAndLeavesNothingBehind) {
  auto database = PostgresServer::Shared().CreateDatabase();
  database.initial_statements = {"SET work_mem = '7MB'"};
  const auto admin = MustOpen(database);
  for (const char* setting :
       {"DateStyle = 'German'", "IntervalStyle = 'sql_standard'", "TimeZone = 'Asia/Tokyo'",
        "extra_float_digits = '-5'", "bytea_output = 'escape'", "statement_timeout = '77s'"}) {
    MustQuery(*admin, absl::StrCat("ALTER DATABASE ", database.dbname, " SET ", setting));
  }
  const auto session = MustOpenWithoutOptions(database);
  EXPECT_TRUE(session->shared());
  EXPECT_FALSE(admin->shared());
  ASSERT_TRUE(session->Set("lock_timeout", "5s").ok());
  ASSERT_TRUE(session->Set("lock_timeout", "6s").ok());
  EXPECT_FALSE(session->Set("no_such_setting", "1").ok());
  const char* const all =
      "SELECT '2024-05-06 07:08:09+00'::timestamptz || ' ' || '1 year 2 days'::interval || ' ' || "
      "(0.1::float8 + 0.2::float8)::text || ' ' || '\\x00ff'::bytea::text || ' ' || "
      "current_setting('search_path') || ' ' || current_setting('statement_timeout') || ' ' || "
      "current_setting('row_security') || ' ' || current_setting('work_mem') || ' ' || "
      "current_setting('lock_timeout')";
  const std::string pinned =
      "2024-05-06 07:08:09+00 1 year 2 days 0.30000000000000004 \\x00ff pg_catalog 0 off 7MB 6s";
  const auto alone = session->Query(OneRow(1), all);
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(alone->Get(0, 0), pinned);
  ASSERT_TRUE(session->Run("BEGIN ISOLATION LEVEL REPEATABLE READ").ok());
  EXPECT_EQ(MustQuery(*session, "SELECT current_setting('transaction_isolation')"),
            "repeatable read");
  EXPECT_EQ(MustQuery(*session, all), pinned);
  ASSERT_TRUE(session->Run("ROLLBACK").ok());
  const auto bound = session->Query(OneRow(2), "SELECT $1 || '$2', $2::int4 IS NULL",
                                    {"it's \\ here", std::nullopt});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(bound->Get(0, 0), "it's \\ here$2");
  EXPECT_EQ(bound->Get(0, 1), "t");
  // As another client of the pool would find it.
  pg_conn* const raw = session->raw();
  const Result left(PQexec(raw, all), 1);
  EXPECT_NE(left.Get(0, 0), pinned);
  for (const auto& [setting, before] :
       {std::pair("search_path", "\"$user\", public"), std::pair("lock_timeout", "0"),
        std::pair("work_mem", "4MB"), std::pair("row_security", "on"),
        std::pair("statement_timeout", "77s")}) {
    const Result now(PQexec(raw, absl::StrCat("SHOW ", setting).c_str()), 1);
    EXPECT_EQ(now.Get(0, 0), before) << setting;
  }
}

TEST(ConnectionTest, AReplicationSessionIsNotSharedAndPinsTheSameToItsEnd) {
  const auto database = PostgresServer::Shared().CreateDatabase();
  MustQuery(*MustOpen(database), absl::StrCat("ALTER DATABASE ", database.dbname,
                                              " SET IntervalStyle = 'sql_standard'"));
  const auto session = MustOpenWithoutOptions(database, SessionKind::kReplication);
  EXPECT_FALSE(session->shared());
  EXPECT_EQ(MustQuery(*session, "SELECT '1 year 2 days'::interval"), "1 year 2 days");
  EXPECT_EQ(MustQuery(*session, "SELECT current_setting('search_path')"), "pg_catalog");
  EXPECT_EQ(MustQuery(*session, "SELECT pg_backend_pid()"), absl::StrCat(session->backend_pid()));
  const auto bound = session->Query(OneRow(1), "SELECT $1::text", {"bound"});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(bound->Get(0, 0), "bound");
}

TEST(ConnectionTest, KeepsTheSearchPathForSqlOfTheUser) {
  auto session = Connection::Open({.database = PostgresServer::Shared().CreateDatabase(),
                                   .keep_search_path = true,
                                   .environment = Environment::Real()});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(MustQuery(**session, "SELECT current_setting('search_path')"), HasSubstr("public"));
}

TEST(ConnectionTest, RunsInitialStatementsOnSqlSessionsOnly) {
  auto database = PostgresServer::Shared().CreateDatabase();
  database.initial_statements = {"SET work_mem = '123MB'"};
  EXPECT_EQ(MustQuery(*MustOpen(database), "SELECT current_setting('work_mem')"), "123MB");
  EXPECT_NE(MustQuery(*MustOpen(database, SessionKind::kReplication),
                      "SELECT current_setting('work_mem')"),
            "123MB");
  database.initial_statements = {"nonsense"};
  const absl::Status status = OpenStatus(database);
  EXPECT_THAT(std::string(status.message()), HasSubstr("database.initial.statements"));
}

TEST(ConnectionTest, BindsParametersAndNulls) {
  const auto session = MustOpen(PostgresServer::Shared().CreateDatabase());
  const auto result = session->Query(OneRow(4), "SELECT $1::text, $2::text IS NULL, NULL, ''",
                                     {"it's", std::nullopt});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Get(0, 0), "it's");
  EXPECT_EQ(result->Get(0, 1), "t");
  EXPECT_TRUE(result->is_null(0, 2));
  EXPECT_FALSE(result->is_null(0, 3));
}

TEST(ConnectionTest, GivesTheLastResultOrTheFirstError) {
  const auto session = MustOpen(PostgresServer::Shared().CreateDatabase());
  EXPECT_EQ(MustQuery(*session, "SELECT 1; SELECT 2"), "2");
  const auto failed = session->Query(Rows(1), "SELECT 1/0; SELECT 2");
  EXPECT_EQ(ErrorReason(failed.status()), "data_exception");
  EXPECT_EQ(MustQuery(*session, "SELECT 3"), "3");
}

TEST(ConnectionTest, RowsWithoutColumnsAreAnError) {
  const auto connection = MustOpen(PostgresServer::Shared().CreateDatabase());
  EXPECT_EQ(ErrorReason(connection->Query(Rows(1), "SELECT FROM generate_series(1, 2)").status()),
            "malformed_answer");
  EXPECT_TRUE(connection->Query(OneRow(1), "SELECT 1").ok()) << "the session stays usable";
}

TEST(ConnectionTest, AnAnswerOfAnotherShapeIsAnError) {
  const auto connection = MustOpen(PostgresServer::Shared().CreateDatabase());
  const auto reason = [&](Shape shape, absl::string_view sql) {
    return ErrorReason(connection->Query(shape, sql).status());
  };
  EXPECT_EQ(reason(Rows(2), "SELECT 1"), "malformed_answer");
  EXPECT_EQ(reason(Rows(1), "SET work_mem = '9MB'"), "malformed_answer") << "no columns at all";
  EXPECT_EQ(reason(OneRow(1), "SELECT 1 WHERE false"), "malformed_answer");
  EXPECT_EQ(reason(Rows(1), "SELECT 1 WHERE false"), "");
  EXPECT_EQ(reason(OneRow(1), "SELECT 1, 2"), "") << "more is no harm";
  EXPECT_EQ(
      ErrorReason(
          connection->Query({.sql = "SELECT $1::int", .parameters = {"1"}, .answer = OneRow(2)})
              .status()),
      "malformed_answer");
}

TEST(ConnectionTest, AnAnswerOfAnotherShapeIsAnErrorAlsoWhenItIsPolledFor) {
  const auto connection = MustOpen(PostgresServer::Shared().CreateDatabase());
  ASSERT_TRUE(connection->Send({.sql = "SELECT 1", .parameters = {}, .answer = Rows(2)}).ok());
  absl::StatusOr<std::optional<Result>> polled = connection->PollResult();
  while (polled.ok() && !polled->has_value()) {
    Environment::Real().poller->WaitReadable({connection->ready_fd()}, absl::Seconds(1));
    polled = connection->PollResult();
  }
  EXPECT_EQ(ErrorReason(polled.status()), "malformed_answer");
}

TEST(ConnectionDeathTest, WhatWasNotAskedForIsNotRead) {
  const auto connection = MustOpen(PostgresServer::Shared().CreateDatabase());
  const auto result = connection->Query(OneRow(1), "SELECT 1, 2");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->Get(0, 0), "1");
  EXPECT_DEATH(result->Get(0, 1), "");
}

TEST(ConnectionTest, AUsersOwnStatementMayAnswerRowsWithoutColumns) {
  const auto connection = MustOpen(PostgresServer::Shared().CreateDatabase());
  EXPECT_TRUE(connection->Run("SELECT FROM generate_series(1, 2)").ok());
  EXPECT_EQ(ErrorReason(connection->Run("SELECT 1/0")), "data_exception");
  EXPECT_EQ(MustQuery(*connection, "SELECT 1"), "1") << "the session stays usable";
}

TEST(ConnectionTest, InitialStatementsMayAnswerRowsWithoutColumns) {
  DatabaseOptions database = PostgresServer::Shared().CreateDatabase();
  database.initial_statements = {"SELECT FROM generate_series(1, 2)", "SET work_mem = '9MB'"};
  EXPECT_EQ(MustQuery(*MustOpen(database), "SHOW work_mem"), "9MB");
}

TEST(ConnectionTest, CancelsAStatementAtItsTimeoutAndStaysUsable) {
  const auto session = MustOpen(PostgresServer::Shared().CreateDatabase());
  const auto result = session->QueryWithin(absl::Milliseconds(50), Rows(1), "SELECT pg_sleep(60)");
  EXPECT_TRUE(absl::IsDeadlineExceeded(result.status()));
  EXPECT_EQ(ErrorReason(result.status()), "query_timeout");
  EXPECT_EQ(MustQuery(*session, "SELECT 1"), "1");
}

TEST(ConnectionTest, FAIL01_TerminatedSessionIsUnavailableWithTheServersWords) {
  const auto database = PostgresServer::Shared().CreateDatabase();
  const auto victim = MustOpen(database);
  const std::string pid = MustQuery(*victim, "SELECT pg_backend_pid()");
  MustQuery(*MustOpen(database), absl::StrCat("SELECT pg_terminate_backend(", pid, ", 10000)"));
  const auto result = victim->Query(OneRow(1), "SELECT 1");
  EXPECT_TRUE(absl::IsUnavailable(result.status())) << result.status();
  EXPECT_EQ(ErrorReason(result.status()), "server_shutting_down");
}

TEST(CopyReaderTest, ReadsRowsNullsAndEscapes) {
  const auto session = MustOpen(PostgresServer::Shared().CreateDatabase());
  auto reader = CopyReader::Start(
      *session,
      "SELECT i, CASE WHEN i = 2 THEN NULL ELSE E'a\\tb' END FROM generate_series(1, 3) i", 2);
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::vector<std::string> rows;
  while (true) {
    const auto progress = (*reader)->Next();
    ASSERT_TRUE(progress.ok()) << progress.status();
    if (*progress == CopyReader::Progress::kEnd) break;
    if (*progress == CopyReader::Progress::kWouldBlock) continue;
    const event::RowView row = (*reader)->row();
    rows.push_back(absl::StrCat(row[0].text(), ":", row[1].is_text() ? row[1].text() : "null"));
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"1:a\tb", "2:null", "3:a\tb"}));
  EXPECT_EQ(MustQuery(*session, "SELECT 1"), "1");
}

TEST(CopyReaderTest, SNP21_CountsRowsOfATableWithoutColumns) {
  const auto session = MustOpen(PostgresServer::Shared().CreateDatabase());
  auto reader = CopyReader::Start(*session, "SELECT FROM generate_series(1, 3)", 0);
  ASSERT_TRUE(reader.ok()) << reader.status();
  int rows = 0;
  for (auto progress = (*reader)->Next(); progress.ok() && *progress != CopyReader::Progress::kEnd;
       progress = (*reader)->Next()) {
    if (*progress == CopyReader::Progress::kRow) ++rows;
  }
  EXPECT_EQ(rows, 3);
}

TEST(CopyReaderTest, ReportsAnErrorInTheMiddle) {
  const auto session = MustOpen(PostgresServer::Shared().CreateDatabase());
  auto reader = CopyReader::Start(*session, "SELECT 1/(3-i) FROM generate_series(1, 5) i", 1);
  ASSERT_TRUE(reader.ok()) << reader.status();
  absl::StatusOr<CopyReader::Progress> progress = CopyReader::Progress::kWouldBlock;
  while (progress.ok() && *progress != CopyReader::Progress::kEnd) progress = (*reader)->Next();
  EXPECT_EQ(ErrorReason(progress.status()), "data_exception");
  EXPECT_EQ(MustQuery(*session, "SELECT 1"), "1");
}

TEST(CopyReaderTest, LeavesTheSessionUsableWhenAbandoned) {
  const auto session = MustOpen(PostgresServer::Shared().CreateDatabase());
  {
    auto reader =
        CopyReader::Start(*session, "SELECT repeat('x', 1000), generate_series(1, 100000000)", 2);
    ASSERT_TRUE(reader.ok()) << reader.status();
  }
  EXPECT_EQ(MustQuery(*session, "SELECT 1"), "1");
}

// The server has not read the statement when the cancellation comes, and would forget it.
class OvertakenStatementTest : public ::testing::Test {
 protected:
  ~OvertakenStatementTest() override { Wake(); }
  void Wake() {
    kill(session_->backend_pid(), SIGCONT);
    if (waker_.joinable()) waker_.join();
  }
  void Sleep() {
    ASSERT_EQ(kill(session_->backend_pid(), SIGSTOP), 0);
    waker_ = std::thread([pid = session_->backend_pid()] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      kill(pid, SIGCONT);
    });
  }

  std::unique_ptr<Connection> session_ = MustOpen(PostgresServer::Shared().CreateDatabase());
  std::thread waker_;
};

TEST_F(OvertakenStatementTest, ACopyIsCancelledAgain) {
  Sleep();
  {
    auto reader = CopyReader::Start(*session_, "SELECT pg_sleep(600)", 1);
    ASSERT_TRUE(reader.ok()) << reader.status();
  }
  Wake();
  EXPECT_EQ(MustQuery(*session_, "SELECT 1"), "1");
}

TEST_F(OvertakenStatementTest, AQuestionIsCancelledAgain) {
  Sleep();
  ASSERT_TRUE(session_->Send({.sql = "SELECT pg_sleep(600)", .parameters = {}, .answer = {}}).ok());
  EXPECT_EQ(MustQuery(*session_, "SELECT 1"), "1");
}

TEST_F(OvertakenStatementTest, WhatIsNotEvenCancelledIsAnErrorOfWhatComesNext) {
  ASSERT_EQ(kill(session_->backend_pid(), SIGSTOP), 0);
  ASSERT_TRUE(session_->Send({.sql = "SELECT pg_sleep(600)", .parameters = {}, .answer = {}}).ok());
  EXPECT_EQ(ErrorReason(session_->Query(OneRow(1), "SELECT 1").status()), "query_timeout");
}

// What the first row is in place of.
absl::Status FirstError(Connection& session, absl::string_view select) {
  auto reader = CopyReader::Start(session, select, 1);
  if (!reader.ok()) return reader.status();
  while (true) {
    const auto next = (*reader)->Next();
    if (!next.ok() || *next != CopyReader::Progress::kWouldBlock) return next.status();
    Poller::Real().WaitReadable({(*reader)->ready_fd()}, absl::Seconds(5));
  }
}

TEST(CopyReaderTest, RefusesAnotherNumberOfColumns) {
  const auto session = MustOpen(PostgresServer::Shared().CreateDatabase());
  EXPECT_EQ(ErrorReason(FirstError(*session, "SELECT 1, 2")), "copy_malformed");
  EXPECT_EQ(MustQuery(*session, "SELECT 1"), "1");
}

TEST(CopyReaderTest, PRM04_FailsInsteadOfHidingRows) {
  auto database = PostgresServer::Shared().CreateDatabase();
  const auto admin = MustOpen(database);
  MustQuery(
      *admin,
      "DROP ROLE IF EXISTS limited; CREATE ROLE limited LOGIN PASSWORD 'x';"
      "CREATE TABLE public.secured(id int PRIMARY KEY); INSERT INTO public.secured VALUES (1), (2);"
      "ALTER TABLE public.secured ENABLE ROW LEVEL SECURITY;"
      "CREATE POLICY first_only ON public.secured USING (id = 1); GRANT SELECT ON public.secured "
      "TO "
      "limited");
  database.user = "limited";
  database.password = "x";
  const auto session = MustOpen(database);
  EXPECT_EQ(ErrorReason(FirstError(*session, "SELECT id FROM public.secured")),
            "row_security_hides_rows");
}

}  // namespace
}  // namespace walduct::postgres
