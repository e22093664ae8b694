#include <gtest/gtest.h>

#include <map>

#include "postgres/connection.h"
#include "postgres/connection_options.h"
#include "postgres/connection_parameters.h"

namespace walduct::postgres {
namespace {

TEST(QuoteTest, SEC05_DoublesQuotesInIdentifiers) {
  EXPECT_EQ(QuoteIdentifier("Mixed Case"), "\"Mixed Case\"");
  EXPECT_EQ(QuoteIdentifier("a\"; DROP TABLE x; --"), "\"a\"\"; DROP TABLE x; --\"");
  EXPECT_EQ(QuoteIdentifier(""), "\"\"");
}

TEST(QuoteTest, SEC05_NeverSplitsNamesAtDots) {
  EXPECT_EQ(QuoteQualified("a.b", "c.d"), "\"a.b\".\"c.d\"");
}

TEST(QuoteTest, SEC05_DoublesQuotesInLiteralsAndKeepsBackslashes) {
  EXPECT_EQ(QuoteLiteral("it's"), "'it''s'");
  EXPECT_EQ(QuoteLiteral("a\\'b"), "'a\\''b'");
}

std::map<std::string, std::string> Parameters(const ConnectionOptions& options,
                                              bool kerberos = false) {
  std::map<std::string, std::string> found;
  for (const auto& [keyword, value] : ConnectionParameters(options, kerberos))
    found[keyword] = value;
  return found;
}

TEST(ConnectionParametersTest, SEC01_PassesTlsToBothKindsOfSession) {
  ConnectionOptions options = {.database = {}, .environment = Environment::Real()};
  options.database.sslmode = "verify-full";
  options.database.sslrootcert = "/ca.pem";
  options.database.sslcert = "/c.pem";
  options.database.sslkey = "/k.pem";
  options.database.sslpassword = "s";
  for (const SessionKind kind : {SessionKind::kSql, SessionKind::kReplication}) {
    options.kind = kind;
    auto found = Parameters(options);
    EXPECT_EQ(found["sslmode"], "verify-full");
    EXPECT_EQ(found["sslrootcert"], "/ca.pem");
    EXPECT_EQ(found["sslcert"], "/c.pem");
    EXPECT_EQ(found["sslkey"], "/k.pem");
    EXPECT_EQ(found["sslpassword"], "s");
  }
}

TEST(ConnectionParametersTest, LeavesLibpqItsDefaultsForWhatIsNotGiven) {
  const auto found = Parameters({.database = {}, .environment = Environment::Real()});
  EXPECT_FALSE(found.contains("password"));
  EXPECT_FALSE(found.contains("sslcert"));
  EXPECT_FALSE(found.contains("replication"));
}

TEST(ConnectionParametersTest, EncryptsWithTicketsOnlyWhereThereMayBeSome) {
  const ConnectionOptions options = {.database = {}, .environment = Environment::Real()};
  EXPECT_EQ(Parameters(options, /*kerberos=*/false).at("gssencmode"), "disable");
  EXPECT_FALSE(Parameters(options, /*kerberos=*/true).contains("gssencmode"));
}

TEST(ConnectionParametersTest, FAIL04_AsksForKeepalivesUnlessSwitchedOff) {
  ConnectionOptions options = {.database = {}, .environment = Environment::Real()};
  EXPECT_EQ(Parameters(options)["keepalives"], "1");
  EXPECT_EQ(Parameters(options)["tcp_user_timeout"], "35000");
  options.database.tcp_keepalive = false;
  EXPECT_EQ(Parameters(options)["keepalives"], "0");
  EXPECT_FALSE(Parameters(options).contains("tcp_user_timeout"));
}

TEST(ConnectionParametersTest, PinsRowSecurityOnlyWhereTablesAreRead) {
  ConnectionOptions options = {.database = {}, .environment = Environment::Real()};
  EXPECT_NE(StartupOptions(options).find("row_security=off"), std::string::npos);
  options.kind = SessionKind::kReplication;
  EXPECT_EQ(StartupOptions(options).find("row_security"), std::string::npos);
}

TEST(ConnectionParametersTest, E17_SwitchesOffTimeoutsThatNewerServersHave) {
  EXPECT_EQ(VersionedSettings(110022), "SET extra_float_digits = 3") << "floats lose digits there";
  EXPECT_EQ(VersionedSettings(130000), "");
  EXPECT_EQ(VersionedSettings(150020), "SET idle_session_timeout = 0");
  EXPECT_EQ(VersionedSettings(170000), "SET idle_session_timeout = 0; SET transaction_timeout = 0");
}

}  // namespace
}  // namespace walduct::postgres
