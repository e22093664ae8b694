#include "security/oauth_token.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace walduct::security {
namespace {

// {"sub":"alice","exp":1700000000} between two other parts.
constexpr char kWebToken[] = "e30.eyJzdWIiOiJhbGljZSIsImV4cCI6MTcwMDAwMDAwMH0.x";

TEST(OAuthTokenTest, TokensAreRead) {
  const auto token =
      ReadToken(std::string(R"({"access_token":")") + kWebToken + R"(","expires_in":300})");
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->value, kWebToken);
  EXPECT_EQ(token->principal, "alice");
  EXPECT_EQ(token->expires_ms, 1700000000'000);
}

TEST(OAuthTokenTest, AnswersWithoutATokenAreErrors) {
  for (const char* body :
       {"", "<html>", "[]", "{}", R"({"access_token":7})", R"({"error":"invalid_client"})",
        R"({"access_token":"abc","expires_in":60})", R"({"access_token":"e30.e30."})"}) {
    EXPECT_EQ(ErrorReason(ReadToken(body).status()), "kafka_oauth_no_token") << body;
  }
}

}  // namespace
}  // namespace walduct::security
