#include "aws/credentials.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "aws/profile_file.h"
#include "aws/xml_text.h"
#include "base/error.h"
#include "base/json.h"
#include "base/percent.h"
#include "base/status_macros.h"
#include "base/whole_file.h"

namespace walduct::aws {
namespace {

using Code = absl::StatusCode;

// Before they expire.
constexpr absl::Duration kAhead = absl::Minutes(5);
// Whoever has given out nothing new is asked again then, as long as there are some that serve.
constexpr absl::Duration kAskAgain = absl::Seconds(30);
constexpr absl::Duration kTimeout = absl::Seconds(5), kConnectTimeout = absl::Seconds(1);

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : std::string(absl::StripAsciiWhitespace(value));
}

std::string FileOf(const char* variable, absl::string_view otherwise) {
  std::string path = Variable(variable);
  return !path.empty() ? path : absl::StrCat(Variable("HOME"), "/.aws/", otherwise);
}

absl::Status None(absl::string_view why, absl::string_view hint) {
  return Error(Code::kUnauthenticated, "aws_credentials_missing", why, hint);
}

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  const auto text = ReadWholeFile(path);
  if (!text)
    return None(absl::StrCat("the token's file '", path, "' cannot be read"),
                "mount it, or let this user read it");
  return std::string(absl::StripAsciiWhitespace(*text));
}

std::optional<Credentials> FromEnvironment() {
  Credentials found{.key_id = Variable("AWS_ACCESS_KEY_ID"),
                    .secret = Variable("AWS_SECRET_ACCESS_KEY"),
                    .token = Variable("AWS_SESSION_TOKEN"),
                    .expires = {},
                    .from = "the environment"};
  if (found.key_id.empty()) found.key_id = Variable("AWS_ACCESS_KEY");
  if (found.secret.empty()) found.secret = Variable("AWS_SECRET_KEY");
  if (found.key_id.empty() || found.secret.empty()) return std::nullopt;
  return found;
}

// The first that a profile asks for, of what is not done here.
std::string Unsupported(const Profile& profile) {
  for (const char* name : {"role_arn", "credential_process", "sso_session", "sso_account_id",
                           "web_identity_token_file", "login_session"}) {
    if (profile.contains(name)) return name;
  }
  return "";
}

}  // namespace

absl::StatusOr<Credentials> CredentialsIn(const std::string& json, absl::string_view from) {
  const rapidjson::Document answer = json::Parse(json);
  Credentials found{.key_id = json::TextIn(answer, "AccessKeyId"),
                    .secret = json::TextIn(answer, "SecretAccessKey"),
                    .token = json::TextIn(answer, "Token"),
                    .expires = {},
                    .from = std::string(from)};
  if (found.key_id.empty() || found.secret.empty())
    return Error(Code::kUnavailable, "aws_credentials_unreachable",
                 absl::StrCat(from, " answers without credentials"),
                 "see that a role is attached there");
  absl::Time expires;
  if (absl::ParseTime(absl::RFC3339_full, json::TextIn(answer, "Expiration"), &expires, nullptr))
    found.expires = expires;
  return found;
}

absl::StatusOr<std::unique_ptr<CredentialChain>> CredentialChain::Create(std::string profile,
                                                                         std::string region,
                                                                         Clock* clock) {
  ASSIGN_OR_RETURN(auto client,
                   http::Client::Create({.connect_timeout = kConnectTimeout, .timeout = kTimeout}));
  return std::unique_ptr<CredentialChain>(
      new CredentialChain(std::move(profile), std::move(region), clock, std::move(client)));
}

absl::StatusOr<const Credentials*> CredentialChain::Get() {
  if (current_ && IsDue()) {
    // What is there serves until it has expired, whoever gives out others.
    absl::StatusOr<Credentials> next = Find();
    again_ = clock_.Monotonic() + kAskAgain;
    if (next.ok() || clock_.Now() >= *current_->expires) {
      RETURN_IF_ERROR(next.status());
      current_ = *std::move(next);
    }
  }
  if (!current_) {
    ASSIGN_OR_RETURN(current_, Find());
  }
  return &*current_;
}

bool CredentialChain::IsDue() const {
  const absl::Time now = clock_.Now();
  if (!current_->expires || now <= *current_->expires - kAhead) return false;
  return now >= *current_->expires || clock_.Monotonic() >= again_;
}

absl::StatusOr<Credentials> CredentialChain::Find() {
  if (!profile_.empty()) {
    ASSIGN_OR_RETURN(auto found, FromProfiles(profile_, true));
    return *std::move(found);
  }
  if (auto found = FromEnvironment()) return *std::move(found);
  const std::string named = Variable("AWS_PROFILE");
  ASSIGN_OR_RETURN(auto found, FromWebIdentity());
  if (!found) {
    ASSIGN_OR_RETURN(found, FromProfiles(named.empty() ? "default" : named, !named.empty()));
  }
  if (!found) {
    ASSIGN_OR_RETURN(found, FromContainer());
  }
  if (!found) {
    ASSIGN_OR_RETURN(found, FromInstance());
  }
  if (found) return *std::move(found);
  return None(
      "there are no credentials of AWS: none in the environment, in the profile files, of a "
      "container, of an instance",
      "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile in "
      "sink.….credentials.profile");
}

absl::StatusOr<http::Response> CredentialChain::Send(const http::ClientRequest& request) {
  if (deadline_) {
    const absl::Duration left = *deadline_ - clock_.Monotonic();
    if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError("no time is left");
    client_->SetTimeout(std::min(left, kTimeout));
  }
  return client_->Send(request);
}

absl::StatusOr<std::string> CredentialChain::Ask(const std::string& from,
                                                 const http::ClientRequest& request) {
  const auto failed = [&](absl::string_view why) {
    return Error(Code::kUnavailable, "aws_credentials_unreachable",
                 absl::StrCat("no credentials from ", from, ": ", why),
                 "it asks again; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go before it");
  };
  const absl::StatusOr<http::Response> answer = Send(request);
  if (!answer.ok()) return failed(answer.status().message());
  if (answer->status < 200 || answer->status >= 300)
    return failed(absl::StrCat("HTTP status ", answer->status));
  return answer->body;
}

// AssumeRoleWithWebIdentity of STS, which is not signed.
CredentialChain::Found CredentialChain::FromWebIdentity() {
  const std::string file = Variable("AWS_WEB_IDENTITY_TOKEN_FILE");
  const std::string role = Variable("AWS_ROLE_ARN");
  if (file.empty() || role.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const std::string token, ReadToken(file));
  const std::string given = Variable("AWS_ROLE_SESSION_NAME");
  std::string url = Variable("AWS_ENDPOINT_URL_STS");
  if (url.empty())
    url = absl::StrCat("https://sts.", region_, ".amazonaws.com",
                       absl::StartsWith(region_, "cn-") ? ".cn" : "", "/");
  ASSIGN_OR_RETURN(
      const std::string xml,
      Ask("STS",
          {.method = "POST",
           .url = url,
           .body = absl::StrCat(
               "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=", EncodePercent(role),
               "&RoleSessionName=", EncodePercent(given.empty() ? "walduct" : given),
               "&WebIdentityToken=", EncodePercent(token)),
           .headers = {"Content-Type: application/x-www-form-urlencoded"}}));
  Credentials found{.key_id = TextIn(xml, "AccessKeyId"),
                    .secret = TextIn(xml, "SecretAccessKey"),
                    .token = TextIn(xml, "SessionToken"),
                    .expires = {},
                    .from = "STS"};
  absl::Time expires;
  if (absl::ParseTime(absl::RFC3339_full, TextIn(xml, "Expiration"), &expires, nullptr))
    found.expires = expires;
  if (found.key_id.empty() || found.secret.empty())
    return Error(Code::kUnavailable, "aws_credentials_unreachable",
                 "STS answers without credentials", "check AWS_ROLE_ARN and who trusts the token");
  return found;
}

CredentialChain::Found CredentialChain::FromProfiles(const std::string& name, bool asked_for) {
  const std::string files[] = {FileOf("AWS_SHARED_CREDENTIALS_FILE", "credentials"),
                               FileOf("AWS_CONFIG_FILE", "config")};
  bool there = false;
  for (const std::string& file : files) {
    const auto text = ReadWholeFile(file);
    if (!text) continue;
    const Profile profile = ProfileIn(*text, name);
    there = there || !profile.empty();
    const auto key = profile.find("aws_access_key_id");
    const auto secret = profile.find("aws_secret_access_key");
    if (key != profile.end() && secret != profile.end()) {
      const auto token = profile.find("aws_session_token");
      return Credentials{.key_id = key->second,
                         .secret = secret->second,
                         .token = token == profile.end() ? "" : token->second,
                         .expires = {},
                         .from = absl::StrCat("profile ", name, " of ", file)};
    }
    if (const std::string what = Unsupported(profile); !what.empty())
      return Error(Code::kUnauthenticated, "aws_profile_unsupported",
                   absl::StrCat("profile '", name, "' of ", file, " gets credentials by ", what,
                                ", which walduct does not do"),
                   "give it to the environment: eval \"$(aws configure export-credentials "
                   "--profile NAME --format env)\", or name a profile with aws_access_key_id");
  }
  if (!asked_for) return std::nullopt;
  return None(absl::StrCat("there is no profile '", name, "' with aws_access_key_id in ", files[0],
                           " or ", files[1]),
              there ? "add aws_access_key_id and aws_secret_access_key to it"
                    : "aws configure --profile NAME makes it");
}

CredentialChain::Found CredentialChain::FromContainer() {
  const std::string path = Variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  std::string url = Variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!path.empty()) url = absl::StrCat("http://169.254.170.2", path);
  if (url.empty()) return std::nullopt;
  http::ClientRequest request{.url = url};
  std::string token = Variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string file = Variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty()) {
    ASSIGN_OR_RETURN(token, ReadToken(file));
  }
  if (!token.empty()) request.headers.push_back(absl::StrCat("Authorization: ", token));
  ASSIGN_OR_RETURN(const std::string answer, Ask("the container's endpoint", request));
  return CredentialsIn(answer, "the container's endpoint");
}

CredentialChain::Found CredentialChain::FromInstance() {
  if (absl::EqualsIgnoreCase(Variable("AWS_EC2_METADATA_DISABLED"), "true")) return std::nullopt;
  std::string url = Variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (url.empty()) url = "http://169.254.169.254";
  if (absl::EndsWith(url, "/")) url.pop_back();
  const std::string from = "the instance's endpoint";
  const absl::StatusOr<http::Response> token =
      Send({.method = "PUT",
            .url = url + "/latest/api/token",
            .headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"}});
  if (absl::IsCancelled(token.status())) return token.status();
  // Nobody there: this is no instance. Where it is one, and its answer does not come so far as into
  // a container, the connection is taken all the same.
  const bool nobody = absl::IsUnavailable(token.status()) && !client_->connected();
  if (nobody && !is_instance_) return std::nullopt;
  if (!token.ok() || token->status != 200)
    return Error(Code::kUnavailable, "aws_credentials_unreachable",
                 absl::StrCat(from, " gives out no token: ",
                              token.ok() ? absl::StrCat("HTTP status ", token->status)
                                         : std::string(token.status().message())),
                 "it speaks IMDSv2 alone; a container needs a hop limit of 2");
  is_instance_ = true;
  const std::vector<std::string> with = {absl::StrCat("X-aws-ec2-metadata-token: ", token->body)};
  const std::string roles = url + "/latest/meta-data/iam/security-credentials/";
  ASSIGN_OR_RETURN(const std::string role, Ask(from, {.url = roles, .headers = with}));
  ASSIGN_OR_RETURN(
      const std::string answer,
      Ask(from, {.url = absl::StrCat(roles, absl::StripAsciiWhitespace(role)), .headers = with}));
  return CredentialsIn(answer, from);
}

}  // namespace walduct::aws
