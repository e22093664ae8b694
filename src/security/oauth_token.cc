#include "security/oauth_token.h"

#include <rapidjson/document.h>

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "base/json.h"
#include "base/percent.h"
#include "http/client.h"

namespace walduct::security {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(5);  // less than a stop may take

absl::Status NoToken(absl::string_view what) {
  return Error(absl::StatusCode::kUnavailable, "kafka_oauth_no_token", what,
               "check sasl.oauthbearer.token.endpoint.url, the client's id and secret, and scope");
}

int64_t Number(const rapidjson::Document& document, const char* name) {
  const rapidjson::Value* const found = json::Find(document, name);
  return found != nullptr && found->IsNumber() ? static_cast<int64_t>(found->GetDouble()) : 0;
}

// The claims of a JSON web token; an opaque token has none.
rapidjson::Document Claims(absl::string_view token) {
  const std::vector<absl::string_view> parts = absl::StrSplit(token, '.');
  std::string json;
  const bool some = parts.size() >= 2 && absl::WebSafeBase64Unescape(parts[1], &json);
  return some ? json::Parse(json) : rapidjson::Document();
}

}  // namespace

absl::StatusOr<BearerToken> FetchToken(const ClientCredentials& client) {
  std::string body = "grant_type=client_credentials";
  if (!client.scope.empty()) absl::StrAppend(&body, "&scope=", EncodePercent(client.scope));
  const absl::StatusOr<http::Response> response = http::PostForm({.url = client.endpoint,
                                                                  .user = client.client_id,
                                                                  .password = client.client_secret,
                                                                  .body = body,
                                                                  .ca_file = client.ca_file,
                                                                  .ca_pem = client.ca_pem,
                                                                  .timeout = kPatience});
  if (!response.ok()) return NoToken(response.status().message());
  if (response->status != 200)
    return NoToken(absl::StrCat("the token endpoint answers with HTTP status ", response->status));
  return ReadToken(response->body);
}

absl::StatusOr<BearerToken> ReadToken(absl::string_view body) {
  const rapidjson::Document answer = json::Parse(body);
  BearerToken token;
  token.value = json::TextIn(answer, "access_token");
  if (token.value.empty()) return NoToken("the token endpoint's answer holds no access_token");
  const rapidjson::Document claims = Claims(token.value);
  token.principal = json::TextIn(claims, "sub");
  token.expires_ms = 1000 * Number(claims, "exp");
  if (token.principal.empty()) token.principal = "walduct";
  if (token.expires_ms > 0) return token;
  return NoToken("the token is not a JSON web token with an expiry (claim exp)");
}

}  // namespace walduct::security
