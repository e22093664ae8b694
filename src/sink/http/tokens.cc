#include "sink/http/tokens.h"

#include <rapidjson/document.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace walduct::sink {
namespace {

// Of its life, as Debezium Server has it.
constexpr double kUsed = 0.9;
// Of a token whose life nobody tells.
constexpr absl::Duration kUnknownLife = absl::Minutes(5);

absl::Duration LifeOf(const rapidjson::Document& answer, absl::Duration unit) {
  const rapidjson::Value* const life = json::Find(answer, "expires_in");
  if (life == nullptr || !life->IsNumber() || life->GetDouble() <= 0) return kUnknownLife;
  return unit * life->GetDouble();
}

absl::Status Refused(const std::string& url, absl::string_view what) {
  return Error(absl::StatusCode::kUnauthenticated, "http_login_refused",
               absl::StrCat(http::WithoutLogin(url), " ", what),
               "check sink.http.authentication.…: address, name, password");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tokens>> Tokens::Create(const HttpSinkOptions& options,
                                                       Clock* clock) {
  const bool oauth = options.login.kind == HttpLogin::Kind::kOAuth2;
  if (!oauth && options.login.kind != HttpLogin::Kind::kJwt) return nullptr;
  http::ClientOptions client{
      .proxy = options.proxy, .timeout = options.timeout, .tls = options.tls};
  if (oauth) client.basic = absl::StrCat(options.login.user, ":", options.login.password);
  ASSIGN_OR_RETURN(auto made, http::Client::Create(client));
  return std::unique_ptr<Tokens>(new Tokens(options, clock, std::move(made)));
}

absl::StatusOr<std::string> Tokens::Authorization() {
  if (clock_.Monotonic() < until_) return line_;
  const bool oauth = options_.login.kind == HttpLogin::Kind::kOAuth2;
  RETURN_IF_ERROR(oauth ? FetchOAuth() : FetchJwt());
  return line_;
}

absl::StatusOr<http::Response> Tokens::Send(const http::ClientRequest& request) {
  absl::StatusOr<http::Response> response = client_->Send(request);
  if (!response.ok() && ErrorReason(response.status()).empty())
    return Error(absl::StatusCode::kUnavailable, "http_unreachable",
                 absl::StrCat(http::WithoutLogin(request.url), ": ", response.status().message()),
                 "no token without it; see its log");
  if (!response.ok()) return response;
  if (response->status >= 500)
    return Error(absl::StatusCode::kUnavailable, "http_not_taken",
                 absl::StrCat(http::WithoutLogin(request.url), " answers with HTTP status ",
                              response->status),
                 "no token without it; see its log");
  if (response->status < 200 || response->status >= 300)
    return Refused(request.url, absl::StrCat("answers with HTTP status ", response->status));
  return response;
}

absl::Status Tokens::FetchOAuth() {
  std::string body = "grant_type=client_credentials";
  if (!options_.login.scope.empty()) {
    body += "&scope=";
    for (const char c : options_.login.scope) {
      if (c == ' ') {
        body.push_back('+');
      } else if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' ||
                 c == '_') {
        body.push_back(c);
      } else {
        absl::StrAppend(&body, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
      }
    }
  }
  ASSIGN_OR_RETURN(const http::Response response,
                   Send({.method = "POST",
                         .url = options_.login.url,
                         .body = body,
                         .headers = {"Content-Type: application/x-www-form-urlencoded"}}));
  const rapidjson::Document answer = json::Parse(response.body);
  const std::string token = json::TextIn(answer, "access_token");
  if (token.empty()) return Refused(options_.login.url, "answers without an access_token");
  line_ = absl::StrCat("Authorization: Bearer ", token);
  until_ = clock_.Monotonic() + kUsed * LifeOf(answer, absl::Seconds(1));
  return absl::OkStatus();
}

// The token is renewed with the other one while that is taken, else one logs in anew.
absl::Status Tokens::FetchJwt() {
  for (const bool renews : {true, false}) {
    if (renews && refresh_token_.empty()) continue;
    JsonWriter body;
    body.Object();
    if (renews) {
      body.Key("refresh_token").Text(refresh_token_);
    } else {
      body.Key("username").Text(options_.login.user);
      body.Key("password").Text(options_.login.password);
    }
    body.Key("token_expiry_in_minutes").Signed(options_.login.token_minutes);
    body.Key("refresh_token_expiry_in_minutes").Signed(options_.login.refresh_token_minutes);
    body.EndObject();
    const absl::StatusOr<http::Response> response =
        Send({.method = "POST",
              .url = absl::StrCat(options_.login.url,
                                  renews ? "auth/refreshToken" : "auth/authenticate"),
              .body = body.text(),
              .headers = {"Content-Type: application/json"}});
    if (renews && absl::IsUnauthenticated(response.status())) continue;
    RETURN_IF_ERROR(response.status());
    const rapidjson::Document answer = json::Parse(response->body);
    const std::string token = json::TextIn(answer, "jwt");
    if (token.empty()) return Refused(options_.login.url, "answers without a jwt");
    refresh_token_ = json::TextIn(answer, "jwt_refresh_token");
    // With the colon that Debezium Server sends.
    line_ = absl::StrCat("Authorization: Bearer: ", token);
    until_ = clock_.Monotonic() + kUsed * LifeOf(answer, absl::Milliseconds(1));
    return absl::OkStatus();
  }
  return Refused(options_.login.url, "renews no token");
}

}  // namespace walduct::sink
