#include "replication/sender_timeout.h"

#include <gtest/gtest.h>

#include "absl/cleanup/cleanup.h"
#include "postgres/sender_timeout.h"
#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

TEST(SenderTimeoutTest, IsThatOfOurSessions) {
  const auto sql = test_servers::MustOpen(test_servers::PostgresServer::Shared().CreateDatabase());
  EXPECT_EQ(*ReadSenderTimeout(*sql), absl::Minutes(1));
  const absl::Cleanup forgotten = [] { postgres::AskForSenderTimeout(absl::ZeroDuration()); };
  postgres::AskForSenderTimeout(absl::Seconds(9));
  EXPECT_EQ(*ReadSenderTimeout(*sql), absl::Seconds(9)) << "of the others the setting is told";
  EXPECT_EQ(StatusInterval(*ReadSenderTimeout(*sql), absl::Seconds(10)), absl::Seconds(3));
  test_servers::MustQuery(*sql, "SET wal_sender_timeout = 0");
  EXPECT_EQ(*ReadSenderTimeout(*sql), absl::Seconds(9));
}

}  // namespace
}  // namespace walduct::replication
