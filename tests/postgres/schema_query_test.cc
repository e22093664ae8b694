// The catalog asked without waiting. What it answers is checked in catalog_test.cc.
#include "postgres/describe/schema_query.h"

#include <gtest/gtest.h>

#include "absl/strings/numbers.h"
#include "base/error.h"
#include "base/poller.h"
#include "postgres/options.h"
#include "tests/support/postgres_server.h"

namespace walduct::postgres {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;

constexpr absl::Duration kPatience = absl::Seconds(60);

class SchemaQueryTest : public ::testing::Test {
 protected:
  SchemaQueryTest() {
    MustQuery(*other_, "CREATE TABLE public.t(id int PRIMARY KEY, v text DEFAULT 'x')");
    uint32_t oid = 0;
    EXPECT_TRUE(
        absl::SimpleAtoi(MustQuery(*other_, "SELECT 'public.t'::regclass::oid::text"), &oid));
    relation_ = {.relation = Oid{oid},
                 .schema = "public",
                 .table = "t",
                 .columns = {{.name = "id", .type = Oid{23}, .part_of_identity = true},
                             {.name = "v", .type = Oid{25}}}};
  }

  // Polls until it answers, or until `enough`.
  template <typename Enough>
  absl::StatusOr<event::TableSchemaPtr> PollUntil(Enough enough) {
    const absl::Duration deadline = Clock::Real().Monotonic() + kPatience;
    while (Clock::Real().Monotonic() < deadline) {
      ++polls_;
      auto schema = query_.Poll();
      if (!schema.ok() || *schema != nullptr || enough()) return schema;
      Poller::Real().WaitReadable({query_.ready_fd()},
                                  std::min(query_.UntilDue(), absl::Seconds(1)));
    }
    return absl::DeadlineExceededError("no answer");
  }
  absl::StatusOr<event::TableSchemaPtr> Answer() {
    return PollUntil([] { return false; });
  }

  const DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<Connection> session_ = MustOpen(database_), other_ = MustOpen(database_);
  SchemaQuery query_{*session_, Clock::Real()};
  event::RelationDescription relation_;
  int polls_ = 0;
};

TEST_F(SchemaQueryTest, AnswersAndIsAskedAgain) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(query_.Ask(relation_).ok());
    const auto schema = Answer();
    ASSERT_TRUE(schema.ok()) << schema.status();
    EXPECT_EQ((*schema)->columns[1].default_expression, "'x'::text");
  }
}

// Whatever the catalog queries need: a lock held by another session delays the answer, and nothing
// else. (Superusers may lock the catalog itself; newer servers wait for the table as well.)
TEST_F(SchemaQueryTest, ALockIsWaitedForWithoutBlocking) {
  MustQuery(*other_, "BEGIN");
  MustQuery(*other_, "LOCK TABLE pg_catalog.pg_attrdef IN ACCESS EXCLUSIVE MODE");
  ASSERT_TRUE(query_.Ask(relation_).ok());
  const absl::Duration begin = Clock::Real().Monotonic();
  const absl::Duration long_enough = 2 * SchemaQuery::kLockTimeout + absl::Milliseconds(500);
  const auto waiting = PollUntil([&] { return Clock::Real().Monotonic() - begin > long_enough; });
  ASSERT_TRUE(waiting.ok()) << waiting.status();
  EXPECT_EQ(*waiting, nullptr) << "refused twice, asked again";
  EXPECT_LT(polls_, 100) << "waits, and does not spin";
  MustQuery(*other_, "COMMIT");
  const auto schema = Answer();
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ((*schema)->columns.size(), 2u);
}

// Streamed, and not shown yet: so it is while a synchronous standby is waited for.
TEST_F(SchemaQueryTest, ATransactionThatIsNotVisibleYetIsWaitedFor) {
  MustQuery(*other_, "BEGIN");
  uint32_t transaction = 0;
  ASSERT_TRUE(
      absl::SimpleAtoi(MustQuery(*other_, "SELECT txid_current() % 4294967296"), &transaction));
  relation_.transaction = transaction;
  ASSERT_TRUE(query_.Ask(relation_).ok());
  const absl::Duration begin = Clock::Real().Monotonic();
  const auto waiting = PollUntil([&] { return polls_ > 5; });
  ASSERT_TRUE(waiting.ok()) << waiting.status();
  EXPECT_EQ(*waiting, nullptr);
  MustQuery(*other_, "COMMIT");
  ASSERT_TRUE(Answer().ok());
  EXPECT_LT(Clock::Real().Monotonic() - begin, kPatience / 2);
}

TEST_F(SchemaQueryTest, ATransactionThatStaysInvisibleIsNotWaitedForForEver) {
  MustQuery(*other_, "BEGIN");
  uint32_t transaction = 0;
  ASSERT_TRUE(
      absl::SimpleAtoi(MustQuery(*other_, "SELECT txid_current() % 4294967296"), &transaction));
  relation_.transaction = transaction;
  ASSERT_TRUE(query_.Ask(relation_).ok());
  const absl::Duration begin = Clock::Real().Monotonic();
  ASSERT_TRUE(Answer().ok());
  EXPECT_GE(Clock::Real().Monotonic() - begin, SchemaQuery::kSettleTimeout);
  EXPECT_LT(polls_, 200) << "waits, and does not spin";
  for (const uint32_t old : {transaction - 1, transaction - 2'000'000'000}) {
    relation_.transaction = old;
    ASSERT_TRUE(query_.Ask(relation_).ok());
    const absl::Duration asked = Clock::Real().Monotonic();
    ASSERT_TRUE(Answer().ok());
    EXPECT_LT(Clock::Real().Monotonic() - asked, SchemaQuery::kSettleTimeout) << old;
  }
}

TEST_F(SchemaQueryTest, AStatementOnTheSameSessionCancelsTheQuestion) {
  MustQuery(*other_, "BEGIN");
  MustQuery(*other_, "LOCK TABLE pg_catalog.pg_attrdef IN ACCESS EXCLUSIVE MODE");
  ASSERT_TRUE(query_.Ask(relation_).ok());
  const absl::Duration begin = Clock::Real().Monotonic();
  ASSERT_EQ(*query_.Poll(), nullptr);
  EXPECT_EQ(MustQuery(*session_, "SELECT 'free'"), "free");
  EXPECT_LT(Clock::Real().Monotonic() - begin, kPatience / 2);
  ASSERT_EQ(*query_.Poll(), nullptr) << "asked again";
  MustQuery(*other_, "COMMIT");
  const auto schema = Answer();
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ((*schema)->columns.size(), 2u);
}

TEST_F(SchemaQueryTest, TheSessionKeepsItsLockTimeout) {
  MustQuery(*session_, "SET lock_timeout = '7s'");
  ASSERT_TRUE(query_.Ask(relation_).ok());
  ASSERT_TRUE(Answer().ok());
  EXPECT_EQ(MustQuery(*session_, "SHOW lock_timeout"), "7s");
  ASSERT_TRUE(query_.Ask(relation_).ok());  // cancelled by the next statement
  EXPECT_EQ(MustQuery(*session_, "SHOW lock_timeout"), "7s");
}

TEST_F(SchemaQueryTest, ALostSessionIsAnError) {
  ASSERT_TRUE(query_.Ask(relation_).ok());
  ASSERT_TRUE(Answer().ok());
  MustQuery(*other_,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  const absl::Status asked = query_.Ask(relation_);
  const absl::Status answered = asked.ok() ? Answer().status() : asked;
  EXPECT_TRUE(absl::IsUnavailable(answered)) << answered;
}

TEST_F(SchemaQueryTest, AServerThatIsSilentEndsTheQuestion) {
  DatabaseOptions impatient = database_;
  impatient.query_timeout = absl::Milliseconds(300);
  const auto session = MustOpen(impatient);
  MustQuery(*other_, "BEGIN");
  MustQuery(*other_, "LOCK TABLE pg_catalog.pg_attrdef IN ACCESS EXCLUSIVE MODE");
  SchemaQuery query(*session, Clock::Real());
  ASSERT_TRUE(query.Ask(relation_).ok());
  absl::StatusOr<event::TableSchemaPtr> schema = nullptr;
  const absl::Duration deadline = Clock::Real().Monotonic() + kPatience;
  while (schema.ok() && Clock::Real().Monotonic() < deadline) {
    schema = query.Poll();
    Poller::Real().WaitReadable({query.ready_fd()}, absl::Milliseconds(50));
  }
  EXPECT_EQ(ErrorReason(schema.status()), "query_timeout");
}

}  // namespace
}  // namespace walduct::postgres
