// amqp://user:password@host:port/vhost, as RabbitMQ's clients read it.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::rabbitmq {

struct Uri {
  std::string host, user, password, virtual_host;
  int port = 0;
  bool tls = false;  // amqps
  // Of its query.
  std::optional<int> heartbeat_seconds = {}, connect_timeout_ms = {};
};

// InvalidArgument: what is wrong with it, without its text, which may hold a password.
absl::StatusOr<Uri> ParseUri(absl::string_view text);

}  // namespace walduct::rabbitmq
