// RabbitMessage: a record as a message of AMQP, kept until it is confirmed. Belongs to one thread
// at a time.
#pragma once

#include <amqp.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "event/record.h"
#include "sink/kept_record.h"
#include "sink/rabbitmq/rabbitmq_sink_options.h"

namespace walduct::sink {

class RabbitMessage {
 public:
  // InvalidArgument: AMQP has no room for the routing key, the exchange or a header's name.
  absl::Status Assign(const event::Record& record, Ticket ticket,
                      const RabbitMqSinkOptions& options);

  absl::string_view body(const RabbitMqSinkOptions& options) const {
    return record.has_value() ? record.body() : absl::string_view(options.null_value);
  }
  // Borrows this, *headers and *entries.
  amqp_basic_properties_t Properties(const RabbitMqSinkOptions& options,
                                     std::vector<event::Header>* headers,
                                     std::vector<amqp_table_entry_t>* entries) const;
  size_t bytes() const { return record.kept_bytes() + exchange.size() + routing_key.size(); }

  KeptRecord record;
  std::string exchange, routing_key;
  std::string id, type;   // where options.names_messages
  int64_t timestamp = 0;  // in seconds; 0: none
  bool letter = false;
  // Of a message that no queue takes. Heartbeats say nothing that could be lost.
  bool mandatory = true;
};

}  // namespace walduct::sink
