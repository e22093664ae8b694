// SASL/OAUTHBEARER with client credentials (RFC 6749, 4.4): a token is requested from an endpoint
// over HTTP whenever librdkafka wants one. libcurl is loaded with the first request
// (http/client.h), and librdkafka needs none of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct rd_kafka_conf_s;
struct rd_kafka_s;

namespace walduct::kafka {

using NamedValues = std::map<std::string, std::string>;

struct OAuthOptions {
  std::string endpoint;  // URL
  std::string client_id;
  std::string client_secret;
  std::string scope;       // empty: none
  NamedValues extensions;  // of the SASL exchange
  std::string ca_file;     // PEM; both empty: the system's
  std::string ca_pem;
};

struct OAuthToken {
  std::string value;
  std::string principal;
  int64_t expires_ms = 0;  // since the epoch
};

// What Java's properties say (those of Kafka's OAuthBearerLoginCallbackHandler, or the options of
// OAuthBearerLoginModule), under librdkafka's names. InvalidArgument names what is missing.
absl::Status TranslateOAuth(const NamedValues& java, const NamedValues& jaas, NamedValues* out);

// Takes out of librdkafka's properties what is ours to do. Absent: another mechanism.
std::optional<OAuthOptions> TakeOAuth(NamedValues* properties);

// The body of an endpoint's answer. As for Kafka's own client the token is a JSON web token that
// says when it ends. Unavailable: there is none.
absl::StatusOr<OAuthToken> ReadToken(absl::string_view body);

// Tokens are fetched on a thread of librdkafka's. options must outlive the client.
void UseOAuth(const OAuthOptions& options, rd_kafka_conf_s* conf);
absl::Status StartOAuth(rd_kafka_s* handle);

}  // namespace walduct::kafka
