// Where RabbitMQ is, and how a record becomes a message. Immutable once built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "rabbitmq/options.h"

namespace walduct::sink {

struct RabbitMqSinkOptions {
  enum class Routing : uint8_t { kStatic, kTopic, kKey };

  rabbitmq::RabbitOptions server;
  std::string exchange;           // empty: the topic's name
  bool default_exchange = false;  // goes before it
  Routing routing = Routing::kStatic;
  std::string routing_key;  // kStatic
  bool makes_queues = false, durable_queues = true, binds = false;
  std::string queue_type;  // empty: the virtual host's
  uint8_t delivery_mode = 2;
  std::string null_value = "default";
  bool headers_as_bytes = false;
  // What Debezium Server does not send: message id, type, timestamp, content type.
  bool names_messages = false;
  std::string content_type, type_header;
  std::string identity;  // of the connector, in message ids
  bool hands_back_unroutable = false, hands_back_refused = false;  // false: they wait
  size_t most_on_way = 1000;
  absl::Duration confirm_timeout = absl::Seconds(30);
  std::string letters;  // topic of dead letters; empty: none
  size_t buffer_bytes = 0;
};

}  // namespace walduct::sink
