#include "sink/rabbitmq/rabbit_message.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "sink/message_id.h"

namespace walduct::sink {
namespace {

constexpr size_t kShortText = 255;  // AMQP's short string

absl::Status Refused(absl::string_view reason, absl::string_view what, size_t size,
                     absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, reason,
               absl::StrCat(what, " of ", size, " bytes: AMQP takes ", kShortText), hint);
}

amqp_bytes_t BytesOf(absl::string_view text) {
  return {.len = text.size(), .bytes = const_cast<char*>(text.data())};
}

}  // namespace

absl::Status RabbitMessage::Assign(const event::Record& from, Ticket ticket,
                                   const RabbitMqSinkOptions& options) {
  using Routing = RabbitMqSinkOptions::Routing;
  letter = !options.letters.empty() && from.topic == options.letters;
  mandatory = !from.heartbeat;
  exchange = letter || options.default_exchange ? ""
             : options.exchange.empty()         ? std::string(from.topic)
                                                : options.exchange;
  routing_key = letter || options.routing == Routing::kTopic ? std::string(from.topic)
                : options.routing == Routing::kStatic        ? options.routing_key
                                                             : std::string(from.key.value_or(""));
  if (routing_key.size() > kShortText)
    return Refused("record_refused", "a routing key", routing_key.size(),
                   "take it from the topic or set it (sink.rabbitmq.routingKey.source=topic, "
                   "static), or shorten the key with a transform");
  if (exchange.size() > kShortText)
    return Refused("topic_name_invalid", "the name of an exchange", exchange.size(),
                   "let a transform give the topic another name, or set sink.rabbitmq.exchange");
  type.clear();
  for (const event::Header& header : from.headers) {
    if (header.name.size() > kShortText)
      return Refused("record_refused", "the name of a header", header.name.size(),
                     "rename it with a transform");
    if (header.name == options.type_header) type = std::string(header.value.substr(0, kShortText));
  }
  record.Keep(from, ticket);
  if (!options.names_messages) return absl::OkStatus();
  id = MessageId(options.identity, from.id);
  if (type.empty()) type = std::string(from.topic.substr(0, kShortText));
  timestamp = from.timestamp_ms.value_or(from.made_ms.value_or(0)) / 1000;
  return absl::OkStatus();
}

amqp_basic_properties_t RabbitMessage::Properties(const RabbitMqSinkOptions& options,
                                                  std::vector<event::Header>* headers,
                                                  std::vector<amqp_table_entry_t>* entries) const {
  amqp_basic_properties_t properties{};
  properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_HEADERS_FLAG;
  properties.delivery_mode = options.delivery_mode;
  const uint8_t kind = options.headers_as_bytes ? AMQP_FIELD_KIND_BYTES : AMQP_FIELD_KIND_UTF8;
  entries->clear();
  for (const event::Header& header : record.AsRecord(headers).headers) {
    amqp_table_entry_t entry{};
    entry.key = BytesOf(header.name);
    entry.value.kind = header.is_null ? static_cast<uint8_t>(AMQP_FIELD_KIND_VOID) : kind;
    if (!header.is_null) entry.value.value.bytes = BytesOf(header.value);
    entries->push_back(entry);
  }
  properties.headers = {.num_entries = static_cast<int>(entries->size()),
                        .entries = entries->data()};
  if (!options.names_messages) return properties;
  properties.type = BytesOf(type);
  properties._flags |= AMQP_BASIC_TYPE_FLAG;
  if (!id.empty()) {
    properties.message_id = BytesOf(id);
    properties._flags |= AMQP_BASIC_MESSAGE_ID_FLAG;
  }
  if (timestamp > 0) {
    properties.timestamp = static_cast<uint64_t>(timestamp);
    properties._flags |= AMQP_BASIC_TIMESTAMP_FLAG;
  }
  if (!options.content_type.empty()) {
    properties.content_type = BytesOf(options.content_type);
    properties._flags |= AMQP_BASIC_CONTENT_TYPE_FLAG;
  }
  return properties;
}

}  // namespace walduct::sink
