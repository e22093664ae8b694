#include "kafka/oauth.h"

#include <librdkafka/rdkafka.h>

#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "security/oauth_token.h"

namespace walduct::kafka {
namespace {

constexpr absl::string_view kEndpoint = "sasl.oauthbearer.token.endpoint.url";
constexpr absl::string_view kScope = "sasl.oauthbearer.scope";
constexpr absl::string_view kClientId = "sasl.oauthbearer.client.id";
constexpr absl::string_view kClientSecret = "sasl.oauthbearer.client.secret";
constexpr absl::string_view kExtension = "sasl.oauthbearer.extension.";

absl::Status Missing(absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "kafka_oauth_incomplete",
               absl::StrCat(what, ": needed with sasl.mechanism=OAUTHBEARER"), hint);
}

std::string First(const security::NamedValues& java, const security::NamedValues& jaas,
                  const std::string& name, const std::string& option) {
  const auto found = java.find(name);
  if (found != java.end() && !found->second.empty()) return found->second;
  const auto old = jaas.find(option);
  return old == jaas.end() ? std::string() : old->second;
}

std::string Take(security::NamedValues* properties, absl::string_view name) {
  const auto node = properties->extract(std::string(name));
  return node.empty() ? std::string() : node.mapped();
}

// On librdkafka's background thread. It asks again ten seconds after a failure, and before a token
// ends.
void OnRefresh(rd_kafka_t* handle, const char*, void* opaque) {
  const auto& options = *static_cast<const OAuthOptions*>(opaque);
  absl::StatusOr<security::BearerToken> token = security::FetchToken(options.client);
  char text[512];
  if (token.ok()) {
    std::vector<const char*> extensions;
    for (const auto& [name, value] : options.extensions) {
      extensions.push_back(name.c_str());
      extensions.push_back(value.c_str());
    }
    const rd_kafka_resp_err_t error = rd_kafka_oauthbearer_set_token(
        handle, token->value.c_str(), token->expires_ms, token->principal.c_str(),
        extensions.data(), extensions.size(), text, sizeof(text));
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    token = Error(absl::StatusCode::kUnavailable, "kafka_oauth_no_token", text);
  }
  log::Warn("no token for Kafka; asking again", {{"endpoint", options.client.endpoint},
                                                 {"error", std::string(token.status().message())},
                                                 {"reason", ErrorReason(token.status())},
                                                 {"hint", ErrorHint(token.status())}});
  rd_kafka_oauthbearer_set_token_failure(handle, std::string(token.status().message()).c_str());
}

}  // namespace

absl::Status TranslateOAuth(const security::NamedValues& java, const security::NamedValues& jaas,
                            security::NamedValues* out) {
  const std::string endpoint = First(java, jaas, std::string(kEndpoint), "");
  if (!absl::StartsWith(endpoint, "https://") && !absl::StartsWith(endpoint, "http://")) {
    return Missing(kEndpoint,
                   "set it to the http or https URL that gives tokens for client credentials; "
                   "other ways to get a token (files, assertions) are not supported");
  }
  const std::string id =
      First(java, jaas, "sasl.oauthbearer.client.credentials.client.id", "clientId");
  const std::string secret =
      First(java, jaas, "sasl.oauthbearer.client.credentials.client.secret", "clientSecret");
  if (id.empty() || secret.empty()) {
    return Missing("sasl.jaas.config",
                   "write it as: org.apache.kafka.common.security.oauthbearer."
                   "OAuthBearerLoginModule required clientId=\"…\" clientSecret=\"…\" "
                   "scope=\"…\"; (or set sasl.oauthbearer.client.credentials.client.id and "
                   "….client.secret)");
  }
  (*out)[std::string(kEndpoint)] = endpoint;
  (*out)[std::string(kClientId)] = id;
  (*out)[std::string(kClientSecret)] = secret;
  if (const std::string scope = First(java, jaas, std::string(kScope), "scope"); !scope.empty())
    (*out)[std::string(kScope)] = scope;
  for (const auto& [option, value] : jaas) {
    absl::string_view name = option;
    if (absl::ConsumePrefix(&name, "extension_")) (*out)[absl::StrCat(kExtension, name)] = value;
  }
  return absl::OkStatus();
}

std::optional<OAuthOptions> TakeOAuth(security::NamedValues* properties) {
  OAuthOptions options;
  options.client.endpoint = Take(properties, kEndpoint);
  options.client.client_id = Take(properties, kClientId);
  options.client.client_secret = Take(properties, kClientSecret);
  options.client.scope = Take(properties, kScope);
  for (auto at = properties->begin(); at != properties->end();) {
    absl::string_view name = at->first;
    const bool ours = absl::ConsumePrefix(&name, kExtension);
    if (ours) options.extensions.emplace(name, at->second);
    at = ours ? properties->erase(at) : std::next(at);
  }
  if (options.client.endpoint.empty()) return std::nullopt;
  for (const auto& [name, place] : {std::pair("ssl.ca.location", &options.client.ca_file),
                                    std::pair("ssl.ca.pem", &options.client.ca_pem)}) {
    if (const auto found = properties->find(name); found != properties->end())
      *place = found->second;
  }
  return options;
}

void UseOAuth(const OAuthOptions& options, rd_kafka_conf_s* conf) {
  rd_kafka_conf_set_opaque(conf, const_cast<OAuthOptions*>(&options));
  rd_kafka_conf_set_oauthbearer_token_refresh_cb(conf, OnRefresh);
  rd_kafka_conf_enable_sasl_queue(conf, 1);
}

absl::Status StartOAuth(rd_kafka_s* handle) {
  rd_kafka_error_t* const error = rd_kafka_sasl_background_callbacks_enable(handle);
  if (error == nullptr) return absl::OkStatus();
  const absl::Status status =
      Error(absl::StatusCode::kInternal, "kafka_oauth_failed", rd_kafka_error_string(error));
  rd_kafka_error_destroy(error);
  return status;
}

}  // namespace walduct::kafka
