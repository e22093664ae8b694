// How a RabbitMQ is reached. Immutable once built.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "security/tls_context.h"

namespace walduct::rabbitmq {

struct Address {
  std::string host;
  int port = 0;
};

struct RabbitTls {
  bool enabled = false;
  bool checks_certificate = true;  // false: whatever the server shows is fine
  bool checks_name = false;        // it is to name the host
  security::ClientStores stores;
};

struct RabbitOptions {
  std::vector<Address> addresses;  // nodes of one cluster: tried one after the other
  std::string user = "guest", password = "guest", virtual_host = "/";
  RabbitTls tls;
  std::string connection_name = "walduct";            // as RabbitMQ shows it
  int heartbeat_seconds = 60;                         // 0: none
  absl::Duration connect_timeout = absl::Seconds(5);  // of connecting and logging in
  absl::Duration answer_timeout = absl::Seconds(10);  // of declarations
};

std::string TextOf(const Address& address);
// For messages: hosts and ports, no secret.
std::string AddressOf(const RabbitOptions& options);

}  // namespace walduct::rabbitmq
