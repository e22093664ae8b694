// How a Redis server is reached. Immutable once built.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace walduct::redis {

struct RedisTls {
  bool enabled = false;
  bool checks_name = false;  // the certificate is to name the host
  // Stores of Java (JKS, PKCS12) or PEM. Empty: the system's authorities; no certificate of ours.
  std::string trust_store, trust_store_password;
  std::string key_store, key_store_password;
};

struct RedisOptions {
  std::string host;
  int port = 6379;
  std::string user, password;  // empty: none
  int database = 0;
  RedisTls tls;
  absl::Duration connect_timeout = absl::Seconds(2);
  absl::Duration answer_timeout = absl::Seconds(2);
  // Between two attempts to connect: the first pause, and the longest.
  absl::Duration retry_first = absl::Milliseconds(300);
  absl::Duration retry_most = absl::Seconds(10);
};

// For messages.
std::string AddressOf(const RedisOptions& options);

}  // namespace walduct::redis
