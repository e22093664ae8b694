// Who is let in, and what answers say besides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "access/guarded_pages.h"
#include "access/headers.h"
#include "access/passwords.h"

namespace walduct::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string Basic(const std::string& both) {
  return absl::StrCat("Basic ", absl::Base64Escape(both));
}

TEST(PasswordsTest, AdmitsWhoKnowsThePassword) {
  const Passwords passwords = *Passwords::Parse("alice=secret\nbob=a:b\n");
  EXPECT_TRUE(passwords.Admits(Basic("alice:secret")));
  EXPECT_TRUE(passwords.Admits("bASIC " + absl::Base64Escape("bob:a:b")));
  for (const std::string& wrong :
       {std::string(), std::string("Basic"), std::string("Basic ###"), Basic("alice"),
        Basic(":secret"), Basic("alice:"), Basic("alice:secre"), Basic("alice:secret1"),
        Basic("carol:secret"), "Bearer " + absl::Base64Escape("alice:secret")})
    EXPECT_FALSE(passwords.Admits(wrong)) << wrong;
}

TEST(PasswordsTest, AFileWithoutAnybodyIsRefused) {
  EXPECT_THAT(Passwords::Parse("# none\n").status().message(), HasSubstr("everybody"));
}

TEST(PasswordsTest, TheLoginFileNamesThem) {
  EXPECT_EQ(*CredentialsFile("// ours\nOther { a.B required x=\"1\"; };\n"
                             "KafkaConnect { /* here */\n"
                             " org.apache.kafka.connect.rest.basic.auth.extension."
                             "PropertyFileLoginModule required\n file=\"/etc/a//b.properties\";\n"
                             "};"),
            "/etc/a//b.properties");
  EXPECT_THAT(CredentialsFile("KafkaClient { };").status().message(), HasSubstr("KafkaConnect"));
  EXPECT_THAT(CredentialsFile("KafkaConnect { a.LdapLoginModule required; };").status().message(),
              HasSubstr("LdapLoginModule"));
  EXPECT_THAT(
      CredentialsFile("KafkaConnect { a.PropertyFileLoginModule required; };").status().message(),
      HasSubstr("file="));
  EXPECT_FALSE(CredentialsFile("KafkaConnect { a.PropertyFileLoginModule").ok());
}

http::Response Asked(const CrossOrigin& rules, const std::string& origin,
                     const std::string& asked_method = "") {
  http::Request request;
  request.method = asked_method.empty() ? "GET" : "OPTIONS";
  request.origin = origin;
  request.asked_method = asked_method;
  http::Response response;
  rules.AddTo(request, &response);
  return response;
}

// As Kafka Connect 4.1 answered.
TEST(CrossOriginTest, NamedOriginsMayAsk) {
  const CrossOrigin rules = *CrossOrigin::Parse("https://ui.example,https://b.example", "GET,PUT");
  EXPECT_THAT(Asked(rules, "").headers, ElementsAre(Pair("Vary", "Origin")));
  EXPECT_THAT(Asked(rules, "https://bad.example", "PUT").headers,
              ElementsAre(Pair("Vary", "Origin")));
  EXPECT_THAT(Asked(rules, "https://ui.example").headers,
              ElementsAre(Pair("Vary", "Origin"),
                          Pair("Access-Control-Allow-Origin", "https://ui.example")));
  EXPECT_THAT(
      Asked(rules, "https://b.example", "PUT").headers,
      ElementsAre(Pair("Vary", "Origin"), Pair("Access-Control-Allow-Origin", "https://b.example"),
                  Pair("Access-Control-Allow-Methods", "GET,PUT"),
                  Pair("Access-Control-Allow-Headers", "Content-Type"),
                  Pair("Access-Control-Max-Age", "60")));
}

TEST(CrossOriginTest, AnyOriginNoneAndPatterns) {
  EXPECT_EQ(Asked(*CrossOrigin::Parse("*", ""), "null").headers.size(), 2u);
  EXPECT_TRUE(Asked(*CrossOrigin::Parse("", "GET"), "https://ui.example").headers.empty());
  EXPECT_FALSE(CrossOrigin::Parse("https://*.example", "").ok());
}

TEST(HeaderRulesTest, SetAndAdd) {
  const HeaderRules rules = *HeaderRules::Parse(
      "set X-Frame-Options: DENY, \"add Cache-Control: no-cache, no-store\", addDate X-Then: 1000");
  http::Response response;
  response.headers = {{"x-frame-options", "other"}, {"Cache-Control", "private"}};
  rules.AddTo(absl::FromUnixSeconds(0), &response);
  EXPECT_THAT(response.headers,
              ElementsAre(Pair("Cache-Control", "private"), Pair("X-Frame-Options", "DENY"),
                          Pair("Cache-Control", "no-cache, no-store"),
                          Pair("X-Then", "Thu, 01 Jan 1970 00:00:01 GMT")));
}

TEST(HeaderRulesTest, WhatIsWrong) {
  for (const char* wrong : {"X-Frame-Options: DENY", "put X-A: b", "set X A: b", "set : b", "set X",
                            "setDate X-A: soon", "set Content-Type: text/html", "add X: a\nb"})
    EXPECT_FALSE(HeaderRules::Parse(wrong).ok()) << wrong;
  EXPECT_TRUE(HeaderRules::Parse("").ok());
}

class OnePage final : public http::Handler {
 public:
  http::Response Handle(const http::Request&) override { return {.body = "page"}; }
};

TEST(GuardedPagesTest, ThePasswordAndTheHeaders) {
  http::Request request;
  request.method = "GET";
  request.path = "/metrics";
  OnePage page;
  AccessOptions access{.headers = *HeaderRules::Parse("set X-Frame-Options: DENY")};
  GuardedPages pages(page, Clock::Real(), access);
  EXPECT_EQ(pages.Handle(request).body, "page");
  access.passwords = std::make_shared<Passwords>(*Passwords::Parse("alice=secret"));
  const http::Response refused = pages.Handle(request);
  EXPECT_EQ(refused.status, 401);
  EXPECT_THAT(refused.headers, ElementsAre(Pair("X-Frame-Options", "DENY")));
  request.authorization = "Basic YWxpY2U6c2VjcmV0";  // alice:secret
  EXPECT_EQ(pages.Handle(request).body, "page");
}

}  // namespace
}  // namespace walduct::access
