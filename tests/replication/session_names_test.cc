#include "replication/session_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

using testing::ElementsAre;

// Of two bytes each: 63 bytes end amid one.
std::string Letters(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "\xd0\xb6";
  return text;
}

TEST(SessionNames, AreTheConnectorsAndWhatForWhichOneIs) {
  EXPECT_EQ(StreamSession("shop"), "walduct shop stream");
  EXPECT_EQ(SessionName("shop", ""), "walduct shop");
}

TEST(SessionNames, AServerShowsTheirBeginning) {
  const std::string whole = StreamSession(std::string(60, 'a'));
  const std::string shown = "walduct " + std::string(55, 'a');
  EXPECT_THAT(ShownNames(whole), ElementsAre(shown));
  EXPECT_TRUE(SameSession(whole, shown));
  EXPECT_FALSE(SameSession(whole, whole));
  EXPECT_FALSE(SameSession("walduct shop stream", "walduct shop"));
  EXPECT_FALSE(SameSession("walduct shop stream", ""));
}

TEST(SessionNames, AServerShowsLettersOutsideAsciiAsItCan) {
  EXPECT_THAT(ShownNames("walduct \xc3\xbc"), ElementsAre("walduct ??", R"(walduct \xc3\xbc)"));
  EXPECT_FALSE(SameSession("walduct \xc3\xbc", "walduct ?"));
}

// What it makes of it is what is compared.
TEST(SessionNames, AreFoundOnAServer) {
  using test_servers::PostgresServer;
  const auto sql = test_servers::MustOpen(PostgresServer::Shared().CreateDatabase());
  for (const std::string& connector :
       {std::string("shop"), std::string("caf\xc3\xa9"), std::string(70, 'x'), Letters(28)}) {
    const std::string name = StreamSession(connector);
    ASSERT_TRUE(sql->Set("application_name", name).ok());
    const std::string shown = test_servers::MustQuery(
        *sql, "SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()");
    EXPECT_TRUE(SameSession(name, shown)) << shown;
  }
}

}  // namespace
}  // namespace walduct::replication
