// SASL/OAUTHBEARER with client credentials: a token is requested (security/oauth_token.h) whenever
// librdkafka wants one, which needs no HTTP client of its own.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "security/oauth_token.h"

struct rd_kafka_conf_s;
struct rd_kafka_s;

namespace walduct::kafka {

using NamedValues = std::map<std::string, std::string>;

struct OAuthOptions {
  security::ClientCredentials client;
  NamedValues extensions;  // of the SASL exchange
};

// What Java's properties say (those of Kafka's OAuthBearerLoginCallbackHandler, or the options of
// OAuthBearerLoginModule), under librdkafka's names. InvalidArgument names what is missing.
absl::Status TranslateOAuth(const NamedValues& java, const NamedValues& jaas, NamedValues* out);

// Takes out of librdkafka's properties what is ours to do. Absent: another mechanism.
std::optional<OAuthOptions> TakeOAuth(NamedValues* properties);

// Tokens are fetched on a thread of librdkafka's. options must outlive the client.
void UseOAuth(const OAuthOptions& options, rd_kafka_conf_s* conf);
absl::Status StartOAuth(rd_kafka_s* handle);

}  // namespace walduct::kafka
