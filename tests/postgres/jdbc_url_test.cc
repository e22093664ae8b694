#include "postgres/jdbc_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::postgres {
namespace {

using testing::HasSubstr;
using testing::Not;

JdbcUrl Parsed(absl::string_view url) {
  auto parsed = ParseJdbcUrl(url);
  EXPECT_TRUE(parsed.ok()) << url;
  return parsed.ok() ? *std::move(parsed) : JdbcUrl();
}

TEST(JdbcUrl, HasHostPortAndDatabase) {
  const JdbcUrl url = Parsed("jdbc:postgresql://db.example:5433/shop");
  EXPECT_EQ(url.database.hostname, "db.example");
  EXPECT_EQ(url.database.port, "5433");
  EXPECT_EQ(url.database.dbname, "shop");
  EXPECT_EQ(url.database.sslmode, "prefer");
}

TEST(JdbcUrl, DefaultsAreTheDrivers) {
  EXPECT_EQ(Parsed("jdbc:postgresql:shop").database.hostname, "localhost");
  EXPECT_EQ(Parsed("jdbc:postgresql:shop").database.dbname, "shop");
  EXPECT_EQ(Parsed("jdbc:postgresql:/?user=anna").database.dbname, "anna");
  EXPECT_EQ(Parsed("jdbc:postgresql://db/?user=anna").database.dbname, "anna");
  EXPECT_EQ(Parsed("jdbc:postgresql://[::1]/x").database.hostname, "::1");
}

TEST(JdbcUrl, HasSeveralHosts) {
  const JdbcUrl url = Parsed("jdbc:postgresql://a:5433,b:5434/x?targetServerType=primary");
  EXPECT_EQ(url.database.hostname, "a,b");
  EXPECT_EQ(url.database.port, "5433,5434");
  EXPECT_EQ(url.database.target_session_attrs, "primary");
}

TEST(JdbcUrl, ParametersAreDecoded) {
  const JdbcUrl url = Parsed(
      "jdbc:postgresql://h/x?user=a%40b&password=p+q%2B&currentSchema=s,%22T%22&"
      "sslmode=verify-ca&sslrootcert=/ca.pem&connectTimeout=3&socketTimeout=9&loggerLevel=OFF");
  EXPECT_EQ(url.database.user, "a@b");
  EXPECT_EQ(url.database.password, "p q+");
  EXPECT_EQ(url.schemas, "s,\"T\"");
  EXPECT_EQ(url.database.sslmode, "verify-ca");
  EXPECT_EQ(url.database.sslrootcert, "/ca.pem");
  EXPECT_EQ(url.database.connect_timeout, absl::Seconds(3));
}

TEST(JdbcUrl, SslAloneVerifies) {
  EXPECT_EQ(Parsed("jdbc:postgresql://h/x?ssl=true").database.sslmode, "verify-full");
  EXPECT_EQ(Parsed("jdbc:postgresql://h/x?ssl").database.sslmode, "verify-full");
  EXPECT_EQ(Parsed("jdbc:postgresql://h/x?ssl=false").database.sslmode, "prefer");
  EXPECT_EQ(Parsed("jdbc:postgresql://h/x?ssl=true&sslmode=require").database.sslmode, "require");
}

TEST(JdbcUrl, WhatIsNoneIsRefusedWithoutItsText) {
  for (const absl::string_view url :
       {"", "postgresql://h/x", "jdbc:mysql://h/x", "jdbc:postgresql://h:port:1/x?password=secret",
        "jdbc:postgresql://[::1/x?password=secret"}) {
    const auto parsed = ParseJdbcUrl(url);
    ASSERT_FALSE(parsed.ok()) << url;
    EXPECT_THAT(parsed.status().message(), HasSubstr("jdbc:postgresql://HOST"));
    EXPECT_THAT(parsed.status().message(), Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace walduct::postgres
