// How NATS servers are reached. Immutable once built.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace walduct::nats {

struct NatsOptions {
  std::vector<std::string> urls;  // nats://host:port, tls://…; of one cluster
  // The first that is set counts: jwt, credentials, nkey, user, token.
  std::string jwt, seed;    // texts
  std::string credentials;  // path of a file with both
  std::string nkey_seed;    // path of a file
  std::string user, password, token;
  bool tls = false;
  // Stores of Java (JKS, PKCS12) or PEM. Empty: the system's authorities; no certificate of ours.
  std::string trust_store, trust_store_password;
  std::string key_store, key_store_password, key_password;
  absl::Duration connect_timeout = absl::Seconds(2);
  // An acknowledgement takes so long at most.
  absl::Duration answer_timeout = absl::Seconds(5);
};

// For messages: hosts and ports, no secret.
std::string AddressOf(const NatsOptions& options);

}  // namespace walduct::nats
