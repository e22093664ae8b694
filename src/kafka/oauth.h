// SASL/OAUTHBEARER with client credentials: a token is requested (security/oauth_token.h) whenever
// librdkafka wants one, which needs no HTTP client of its own.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "security/named_values.h"
#include "security/oauth_token.h"

struct rd_kafka_conf_s;
struct rd_kafka_s;

namespace walduct::kafka {

struct OAuthOptions {
  security::ClientCredentials client;
  security::NamedValues extensions;  // of the SASL exchange
};

// What Java's properties say (those of Kafka's OAuthBearerLoginCallbackHandler, or the options of
// OAuthBearerLoginModule), under librdkafka's names. InvalidArgument names what is missing.
absl::Status TranslateOAuth(const security::NamedValues& java, const security::NamedValues& jaas,
                            security::NamedValues* out);

// Takes out of librdkafka's properties what is ours to do. Absent: another mechanism.
std::optional<OAuthOptions> TakeOAuth(security::NamedValues* properties);

// Tokens are fetched on a thread of librdkafka's. options must outlive the client.
void UseOAuth(const OAuthOptions& options, rd_kafka_conf_s* conf);
absl::Status StartOAuth(rd_kafka_s* handle);

}  // namespace walduct::kafka
