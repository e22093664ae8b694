// Tokens for client credentials (RFC 6749, 4.4), requested from an endpoint over HTTP. libcurl is
// loaded with the first request (http/client.h).
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::security {

struct ClientCredentials {
  std::string endpoint;  // URL
  std::string client_id;
  std::string client_secret;
  std::string scope;    // empty: none
  std::string ca_file;  // PEM; both empty: the system's
  std::string ca_pem;
};

struct BearerToken {
  std::string value;
  std::string principal;
  int64_t expires_ms = 0;  // since the epoch
};

// Waits up to 5 s. Unavailable kafka_oauth_no_token: there is none.
absl::StatusOr<BearerToken> FetchToken(const ClientCredentials& client);

// The body of an endpoint's answer. As for Kafka's own client the token is a JSON web token that
// says when it ends. Unavailable: there is none.
absl::StatusOr<BearerToken> ReadToken(absl::string_view body);

}  // namespace walduct::security
