// Who signs: each place in which credentials are looked for, and their order.
#include "aws/credentials.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "aws/profile_file.h"
#include "base/error.h"
#include "tests/support/http_server.h"

namespace walduct::aws {
namespace {

using test::HttpAnswer;
using test::HttpCall;
using testing::HasSubstr;

TEST(ProfileFileTest, SectionsAreTold) {
  constexpr absl::string_view kText =
      "[default]\naws_access_key_id = A\n# c\naws_secret_access_key=B=\ns3 =\n  x = y\n"
      "[profile work]\nrole_arn = R\n[ other ]\nAWS_ACCESS_KEY_ID = C\n";
  EXPECT_EQ(ProfileIn(kText, "default"),
            (Profile{{"aws_access_key_id", "A"}, {"aws_secret_access_key", "B="}, {"s3", ""}}));
  EXPECT_EQ(ProfileIn(kText, "work"), (Profile{{"role_arn", "R"}}));
  EXPECT_EQ(ProfileIn(kText, "other"), (Profile{{"aws_access_key_id", "C"}}));
  EXPECT_TRUE(ProfileIn(kText, "none").empty());
}

constexpr const char* kVariables[] = {"AWS_ACCESS_KEY_ID",
                                      "AWS_SECRET_ACCESS_KEY",
                                      "AWS_SESSION_TOKEN",
                                      "AWS_ACCESS_KEY",
                                      "AWS_SECRET_KEY",
                                      "AWS_PROFILE",
                                      "AWS_SHARED_CREDENTIALS_FILE",
                                      "AWS_CONFIG_FILE",
                                      "AWS_WEB_IDENTITY_TOKEN_FILE",
                                      "AWS_ROLE_ARN",
                                      "AWS_ENDPOINT_URL_STS",
                                      "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                                      "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                      "AWS_CONTAINER_AUTHORIZATION_TOKEN",
                                      "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
                                      "AWS_EC2_METADATA_DISABLED",
                                      "AWS_EC2_METADATA_SERVICE_ENDPOINT"};

class CredentialChainTest : public testing::Test {
 protected:
  CredentialChainTest() {
    for (const char* name : kVariables) unsetenv(name);
    setenv("HOME", home_.c_str(), 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    std::filesystem::create_directories(home_ + "/.aws");
  }
  ~CredentialChainTest() override {
    for (const char* name : kVariables) unsetenv(name);
    std::filesystem::remove_all(home_);
  }
  void WriteFile(const std::string& name, absl::string_view text) const {
    std::ofstream(home_ + name) << text;
  }
  static absl::StatusOr<std::unique_ptr<CredentialChain>> Make(const std::string& profile = "") {
    return CredentialChain::Create(profile, "eu-central-1", &Clock::Real());
  }
  // key, secret, token.
  static std::string Found(const std::string& profile = "") {
    const auto chain = Make(profile);
    const auto found = (*chain)->Get();
    if (!found.ok()) return ErrorReason(found.status());
    return absl::StrCat((*found)->key_id, " ", (*found)->secret, " ", (*found)->token);
  }

  const std::string home_ = absl::StrCat(testing::TempDir(), "/aws-home-", getpid());
};

TEST_F(CredentialChainTest, NobodyIsToldWithWhatToType) {
  const auto found = (*Make())->Get();
  EXPECT_TRUE(absl::IsUnauthenticated(found.status()));
  EXPECT_EQ(ErrorReason(found.status()), "aws_credentials_missing");
  EXPECT_THAT(ErrorHint(found.status()), HasSubstr("AWS_ACCESS_KEY_ID"));
}

TEST_F(CredentialChainTest, TheEnvironmentGoesBeforeFiles) {
  WriteFile("/.aws/credentials", "[default]\naws_access_key_id=F\naws_secret_access_key=G\n");
  EXPECT_EQ(Found(), "F G ");
  setenv("AWS_ACCESS_KEY_ID", "A", 1);
  EXPECT_EQ(Found(), "F G ") << "one of two is nothing";
  setenv("AWS_SECRET_ACCESS_KEY", "B", 1);
  setenv("AWS_SESSION_TOKEN", "T", 1);
  EXPECT_EQ(Found(), "A B T");
  EXPECT_EQ(Found("default"), "F G ") << "a profile that is asked for by name";
}

TEST_F(CredentialChainTest, ProfilesOfBothFiles) {
  WriteFile("/.aws/config",
            "[profile work]\naws_access_key_id=W\naws_secret_access_key=X\n"
            "aws_session_token=Y\n[profile sso]\nsso_session=s\n");
  EXPECT_EQ(Found("work"), "W X Y");
  EXPECT_EQ(Found("sso"), "aws_profile_unsupported");
  EXPECT_EQ(Found("none"), "aws_credentials_missing");
  setenv("AWS_PROFILE", "work", 1);
  EXPECT_EQ(Found(), "W X Y");
}

constexpr char kAnswer[] =
    R"({"AccessKeyId":"I","SecretAccessKey":"J","Token":"K","Expiration":"2100-01-01T00:00:00Z"})";

TEST_F(CredentialChainTest, AContainerIsAskedWithItsToken) {
  test::HttpServer server([](const HttpCall& call) {
    return HttpAnswer{
        .status = absl::StrContains(call.headers, "Authorization: Bearer x") ? 200 : 403,
        .body = kAnswer};
  });
  setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", absl::StrCat(server.url(), "/creds").c_str(), 1);
  EXPECT_EQ(Found(), "aws_credentials_unreachable");
  WriteFile("/token", "Bearer x\n");
  setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", (home_ + "/token").c_str(), 1);
  EXPECT_EQ(Found(), "I J K");
  EXPECT_EQ(server.calls().back().line.substr(0, 10), "GET /creds");
}

TEST_F(CredentialChainTest, AnInstanceIsAskedBySessions) {
  test::HttpServer server([](const HttpCall& call) {
    if (absl::StartsWith(call.line, "PUT /latest/api/token")) return HttpAnswer{.body = "session"};
    if (!absl::StrContains(call.headers, "X-aws-ec2-metadata-token: session"))
      return HttpAnswer{.status = 401};
    if (absl::EndsWith(call.line, "/security-credentials/role")) return HttpAnswer{.body = kAnswer};
    return HttpAnswer{.body = "role\n"};
  });
  unsetenv("AWS_EC2_METADATA_DISABLED");
  setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url().c_str(), 1);
  EXPECT_EQ(Found(), "I J K");
  setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", test::DeadUrl().c_str(), 1);
  EXPECT_EQ(Found(), "aws_credentials_missing") << "this is no instance";
}

// As in a container whose hops are more than the instance lets its answers go.
TEST_F(CredentialChainTest, AnInstanceThatDoesNotAnswerIsToldWithItsHopLimit) {
  test::HttpServer server([](const HttpCall&) { return HttpAnswer{.never = true}; });
  unsetenv("AWS_EC2_METADATA_DISABLED");
  setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url().c_str(), 1);
  const auto chain = Make();
  (*chain)->EndAt(Clock::Real().Monotonic() + absl::Milliseconds(300));
  const absl::Status silent = (*chain)->Get().status();
  EXPECT_TRUE(absl::IsUnavailable(silent)) << silent;
  EXPECT_EQ(ErrorReason(silent), "aws_credentials_unreachable");
  EXPECT_THAT(ErrorHint(silent), HasSubstr("hop limit"));
  EXPECT_TRUE(absl::IsUnavailable((*chain)->Get().status())) << "no time is left";
}

TEST_F(CredentialChainTest, AWebIdentityIsExchanged) {
  test::HttpServer server([](const HttpCall& call) {
    const bool right = absl::StrContains(call.body, "RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr") &&
                       absl::StrContains(call.body, "WebIdentityToken=eyJ");
    return HttpAnswer{.status = right ? 200 : 400,
                      .body =
                          "<R><Credentials><AccessKeyId>I</AccessKeyId><SecretAccessKey>J&amp;"
                          "</SecretAccessKey><SessionToken>K</SessionToken>"
                          "<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></R>"};
  });
  WriteFile("/.aws/credentials", "[default]\naws_access_key_id=F\naws_secret_access_key=G\n");
  WriteFile("/token", "eyJ\n");
  setenv("AWS_ENDPOINT_URL_STS", absl::StrCat(server.url(), "/").c_str(), 1);
  setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/r", 1);
  EXPECT_EQ(Found(), "F G ") << "without a token there is no such identity";
  setenv("AWS_WEB_IDENTITY_TOKEN_FILE", (home_ + "/token").c_str(), 1);
  EXPECT_EQ(Found(), "I J& K") << "it goes before the profiles";
}

class MovedClock final : public Clock {
 public:
  absl::Time Now() override { return now; }
  absl::Duration Monotonic() override { return now - absl::UnixEpoch(); }
  absl::Time now = absl::Now();
};

TEST_F(CredentialChainTest, TheyAreRenewedBeforeTheyExpire) {
  MovedClock clock;
  int asked = 0;
  bool away = false;
  test::HttpServer server([&](const HttpCall&) {
    if (away) return HttpAnswer{.status = 500};
    return HttpAnswer{
        .body = absl::StrCat(
            R"({"AccessKeyId":"I)", ++asked,
            R"(","SecretAccessKey":"J","Token":"K","Expiration":")",
            absl::FormatTime(absl::RFC3339_sec, clock.now + absl::Hours(1), absl::UTCTimeZone()),
            R"("})")};
  });
  setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.url().c_str(), 1);
  const auto chain = CredentialChain::Create("", "eu-central-1", &clock);
  const auto key = [&] {
    const auto found = (*chain)->Get();
    return found.ok() ? (*found)->key_id : ErrorReason(found.status());
  };
  EXPECT_EQ(key(), "I1");
  clock.now += absl::Minutes(50);
  EXPECT_EQ(key(), "I1") << "not asked for again";
  clock.now += absl::Minutes(6);
  away = true;
  EXPECT_EQ(key(), "I1") << "they serve until they expire";
  away = false;
  const size_t calls = server.calls().size();
  EXPECT_EQ(key(), "I1");
  clock.now += absl::Seconds(29);
  EXPECT_EQ(key(), "I1");
  EXPECT_EQ(server.calls().size(), calls) << "whoever failed has half a minute";
  clock.now += absl::Seconds(1);
  EXPECT_EQ(key(), "I2");
  away = true;
  clock.now += absl::Hours(2);
  EXPECT_EQ(key(), "aws_credentials_unreachable");
  away = false;
  (*chain)->Discard();
  EXPECT_EQ(key(), "I3");
}

TEST_F(CredentialChainTest, WhoGivesOutTheSameAgainIsAskedEveryHalfMinute) {
  MovedClock clock;
  const absl::Time expires = clock.now + absl::Minutes(4);
  test::HttpServer server([&](const HttpCall&) {
    return HttpAnswer{.body = absl::StrCat(
                          R"({"AccessKeyId":"I","SecretAccessKey":"J","Token":"K","Expiration":")",
                          absl::FormatTime(absl::RFC3339_sec, expires, absl::UTCTimeZone()),
                          R"("})")};
  });
  setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.url().c_str(), 1);
  const auto chain = CredentialChain::Create("", "eu-central-1", &clock);
  for (int second = 0; second < 120; ++second) {
    ASSERT_TRUE((*chain)->Get().ok());
    clock.now += absl::Seconds(1);
  }
  EXPECT_EQ(server.calls().size(), 5u) << "at 0, twice, then each 30 s";
  clock.now = expires + absl::Seconds(1);
  ASSERT_TRUE((*chain)->Get().ok());
  EXPECT_EQ(server.calls().size(), 6u) << "what has expired is not waited with";
}

}  // namespace
}  // namespace walduct::aws
