#include "kafka/oauth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kafka/client.h"
#include "kafka/durability.h"

namespace walduct::kafka {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

constexpr char kJaas[] =
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required "
    "clientId=\"me\" clientSecret=\"s3sam\" scope=\"kafka\" extension_logicalCluster=\"lkc-1\";";
constexpr char kEndpoint[] = "https://login.example.com/token";

Properties Java(Properties more = {}) {
  Properties java{{"sasl.mechanism", "OAUTHBEARER"},
                  {"sasl.oauthbearer.token.endpoint.url", kEndpoint}};
  for (const auto& [name, value] : more) java[name] = value;
  return java;
}

TEST(OAuthTest, OptionsOfTheLoginModule) {
  auto native = TranslateProperties(Java({{"sasl.jaas.config", kJaas},
                                          {"ssl.truststore.location", ""},
                                          {"sasl.login.callback.handler.class", "x"}}));
  ASSERT_TRUE(native.ok()) << native.status();
  const std::optional<OAuthOptions> options = TakeOAuth(&*native);
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->client.endpoint, kEndpoint);
  EXPECT_EQ(options->client.client_id, "me");
  EXPECT_EQ(options->client.client_secret, "s3sam");
  EXPECT_EQ(options->client.scope, "kafka");
  EXPECT_THAT(options->extensions, Contains(Pair("logicalCluster", "lkc-1")));
  EXPECT_THAT(*native, Not(Contains(Key(HasSubstr("oauthbearer"))))) << "librdkafka has none of it";
  EXPECT_THAT(*native, Contains(Pair("sasl.mechanism", "OAUTHBEARER")));
}

TEST(OAuthTest, AClientCanBeMadeWithoutAskingForAToken) {
  auto native =
      TranslateProperties(Java({{"sasl.jaas.config", kJaas}, {"security.protocol", "SASL_SSL"}}));
  ASSERT_TRUE(native.ok()) << native.status();
  EXPECT_EQ(CheckUsable(*native), absl::OkStatus());
  const auto violation = FindViolation(*native, "");
  EXPECT_TRUE(violation.ok()) << violation.status();
}

TEST(OAuthTest, PropertiesComeBeforeTheLoginModule) {
  auto native = TranslateProperties(Java({{"sasl.jaas.config", kJaas},
                                          {"sasl.oauthbearer.client.credentials.client.id", "you"},
                                          {"sasl.oauthbearer.scope", "other"}}));
  ASSERT_TRUE(native.ok()) << native.status();
  const std::optional<OAuthOptions> options = TakeOAuth(&*native);
  EXPECT_EQ(options->client.client_id, "you");
  EXPECT_EQ(options->client.client_secret, "s3sam");
  EXPECT_EQ(options->client.scope, "other");
}

TEST(OAuthTest, WhatIsMissingIsNamed) {
  const auto without = TranslateProperties({{"sasl.mechanism", "OAUTHBEARER"}});
  EXPECT_EQ(ErrorReason(without.status()), "kafka_oauth_incomplete");
  EXPECT_THAT(without.status().message(), HasSubstr("sasl.oauthbearer.token.endpoint.url"));
  const auto file = TranslateProperties(Java(
      {{"sasl.oauthbearer.token.endpoint.url", "file:///token"}, {"sasl.jaas.config", kJaas}}));
  EXPECT_EQ(ErrorReason(file.status()), "kafka_oauth_incomplete");
  const auto nobody = TranslateProperties(Java());
  EXPECT_EQ(ErrorReason(nobody.status()), "kafka_oauth_incomplete");
  EXPECT_THAT(ErrorHint(nobody.status()), HasSubstr("clientId"));
}

TEST(OAuthTest, OtherMechanismsTakeNothing) {
  Properties native{{"sasl.mechanism", "PLAIN"}, {"sasl.username", "x"}};
  EXPECT_EQ(TakeOAuth(&native), std::nullopt);
  EXPECT_EQ(native.size(), 2u);
}

}  // namespace
}  // namespace walduct::kafka
