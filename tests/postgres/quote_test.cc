#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "postgres/connection.h"
#include "postgres/connection_options.h"
#include "postgres/connection_parameters.h"
#include "postgres/table_argument.h"

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

// A hint is copied into a shell.
TEST(TableArgumentTest, IsQuotedWhereItWouldBeReadOtherwise) {
  EXPECT_EQ(TableArgument("public", "Order_items2"), "public.Order_items2");
  EXPECT_EQ(TableArgument("a.b", "c"), R"('"a.b"."c"')");
  EXPECT_EQ(TableArgument("S ch", "it's"), R"('"S ch"."it'\''s"')");
  EXPECT_EQ(TableArgument("public", "a\"b$"), R"('"public"."a""b$"')");
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

// That a publication is missing is a warning in PostgreSQL 18, which a role may be set not to hear.
TEST(ConnectionParametersTest, HearsWarningsOfTheStreamWhateverTheRoleIsSetTo) {
  ConnectionOptions options = {.database = {}, .environment = Environment::Real()};
  EXPECT_EQ(StartupOptions(options).find("client_min_messages"), std::string::npos);
  options.kind = SessionKind::kReplication;
  EXPECT_NE(StartupOptions(options).find("-c client_min_messages=notice"), std::string::npos);
}

TEST(ConnectionParametersTest, E17_SwitchesOffTimeoutsThatNewerServersHave) {
  const auto asks = [](int version, absl::string_view name) {
    const ConnectionOptions options = {.database = {}, .environment = Environment::Real()};
    return absl::StrContains(SessionQuestion(options, version), name);
  };
  EXPECT_TRUE(asks(110022, "extra_float_digits', '3'")) << "floats lose digits there";
  EXPECT_FALSE(asks(130000, "extra_float_digits', '3'"));
  EXPECT_FALSE(asks(130000, "idle_session_timeout"));
  EXPECT_TRUE(asks(150020, "idle_session_timeout"));
  EXPECT_FALSE(asks(150020, "transaction_timeout', '0'"));
  EXPECT_TRUE(asks(170000, "transaction_timeout', '0'"));
}

// A pooler refuses or drops `options`: what they would have set is set otherwise, all of it.
TEST(ConnectionParametersTest, WithoutOptionsTheSameSettingsAreThereToBeSet) {
  for (const SessionKind kind : {SessionKind::kSql, SessionKind::kReplication}) {
    const ConnectionOptions options = {
        .database = {}, .kind = kind, .environment = Environment::Real()};
    const std::string at_start = StartupOptions(options);
    size_t found = 0;
    for (const auto& [name, value] : SettingsOf(options, 150000)) {
      EXPECT_NE(at_start.find(absl::StrCat("-c ", name, "=", value)), std::string::npos) << name;
      ++found;
    }
    // PgBouncer passes the options on to a walsender, and lets its own idea of some of them win.
    const std::string question = SessionQuestion(options, 150000);
    for (const auto& [name, value] : SettingsOf(options, 150000))
      EXPECT_NE(question.find(absl::StrCat("('", name, "', '", value, "', false)")),
                std::string::npos);
    // And the one that tells whether they have arrived.
    EXPECT_EQ(std::count(at_start.begin(), at_start.end(), '='), found + 1);
  }
  ConnectionOptions options = {.database = {}, .environment = Environment::Real()};
  EXPECT_TRUE(Parameters(options).contains("options"));
  options.startup_options = false;
  EXPECT_FALSE(Parameters(options).contains("options"));
}

}  // namespace
}  // namespace walduct::postgres
