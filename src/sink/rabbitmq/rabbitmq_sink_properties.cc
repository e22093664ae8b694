#include "sink/rabbitmq/rabbitmq_sink_properties.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "config/properties/address.h"
#include "rabbitmq/uri.h"
#include "sink/message_id.h"
#include "sink/rabbitmq/rabbitmq_server.h"

namespace walduct::sink {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kOwn = "walduct.sink.rabbitmq.";

std::string CheckAddresses(absl::string_view value) {
  const std::vector<std::string> addresses = AddressesIn(value);
  if (addresses.empty()) return "names no server";
  for (const std::string& address : addresses) {
    if (std::string why = config::CheckHostAndPort(address); !why.empty()) return why;
  }
  return "";
}

std::string CheckUri(absl::string_view value) {
  const auto uri = rabbitmq::ParseUri(value);
  return uri.ok() ? "" : std::string(uri.status().message());
}

std::string CheckPort(absl::string_view value) {
  int port = 0;
  return absl::SimpleAtoi(value, &port) && port > 0 && port < 65536 ? "" : "is not a port";
}

std::string CheckShort(absl::string_view value) {
  return value.size() <= 255 ? "" : "is longer than the 255 bytes that AMQP takes";
}

std::string CheckWindow(absl::string_view value) {
  int number = 0;
  return absl::SimpleAtoi(value, &number) && number > 0 && number <= 65535
             ? ""
             : "is not a number from 1 to 65535";
}

constexpr absl::string_view kJava = "it is for the Java client";

constexpr config::PropertyDefinition kRows[] = {
    {.name = "sink.rabbitmq.connection.uri",
     .type = kPassword,
     .doc =
         "RabbitMQ server of sink=rabbitmq, as amqp://user:password@host:port/vhost, or amqps:// "
         "for TLS. The following go before its parts. In Debezium Server's file this and the "
         "following are debezium.sink.rabbitmq.….",
     .fix = "use amqp://user:password@host:5672/vhost; what is no letter or digit in user, "
            "password and vhost is written as %2F",
     .validator = CheckUri},
    {.name = "sink.rabbitmq.connection.host", .default_value = "localhost", .doc = "Its host."},
    {.name = "sink.rabbitmq.connection.port",
     .type = kPositiveInt,
     .default_value = "5672",
     .doc = "Its AMQP port. Not set, with TLS: 5671.",
     .fix = "use a number from 1 to 65535",
     .validator = CheckPort},
    {.name = "sink.rabbitmq.connection.username", .default_value = "guest", .doc = "User."},
    {.name = "sink.rabbitmq.connection.password",
     .type = kPassword,
     .default_value = "guest",
     .doc = "Password of that user."},
    {.name = "sink.rabbitmq.connection.virtual.host", .default_value = "/", .doc = "Virtual host."},
    {.name = "sink.rabbitmq.connection.connection.heartbeat",
     .type = kNonNegativeInt,
     .default_value = "60",
     .doc = "Seconds between heartbeats; a server that sends none for twice as long is left. 0: "
            "none."},
    {.name = "sink.rabbitmq.connection.connection.timeout",
     .type = kPositiveInt,
     .default_value = "5000",
     .doc = "Time limit in milliseconds for connecting and logging in."},
    {.name = "sink.rabbitmq.connection.channel.rpc.timeout",
     .type = kPositiveInt,
     .default_value = "10000",
     .doc = "Time limit in milliseconds for the answer to a declaration."},
    {.name = "sink.rabbitmq.connection.client.properties.connection_name",
     .default_value = "walduct",
     .doc = "Name of the connection in RabbitMQ's lists."},
    {.name = "sink.rabbitmq.connection.connection.recovery.*",
     .support = kNoEffect,
     .doc = "The Java client connects again by itself.",
     .note = "walduct always does"},
    {.name = "sink.rabbitmq.connection.ssl.enabled",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Connect with TLS."},
    {.name = "sink.rabbitmq.connection.ssl.trust.store",
     .doc = "Authorities to trust: PEM, PKCS12 or JKS. Not set: the system's.",
     .aliases = "sink.rabbitmq.connection.ssl.trust-store"},
    {.name = "sink.rabbitmq.connection.ssl.trust.store.password",
     .type = kPassword,
     .doc = "Password of that store.",
     .aliases = "sink.rabbitmq.connection.ssl.trust-store-password"},
    {.name = "sink.rabbitmq.connection.ssl.key.store",
     .doc = "Our certificate and key: PEM, PKCS12 or JKS.",
     .aliases = "sink.rabbitmq.connection.ssl.key-store"},
    {.name = "sink.rabbitmq.connection.ssl.key.store.password",
     .type = kPassword,
     .doc = "Password of that store and its key.",
     .aliases = "sink.rabbitmq.connection.ssl.key-store-password"},
    {.name = "sink.rabbitmq.connection.ssl.validate.server.certificate",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Check the server's certificate where no store is set: with one it is always checked. "
            "The default is the Java client's; a warning says so.",
     .aliases = "sink.rabbitmq.connection.ssl.validate-server-certificate"},
    {.name = "sink.rabbitmq.connection.ssl.verify.hostname",
     .type = kBoolean,
     .default_value = "false",
     .doc = "The certificate has to name the host.",
     .aliases = "sink.rabbitmq.connection.ssl.verify-hostname"},
    {.name = "sink.rabbitmq.connection.ssl.*",
     .support = kNoEffect,
     .doc = "Types and algorithms of stores, version of TLS.",
     .note = "stores are told apart by their content, and TLS 1.2 and 1.3 are offered"},
    {.name = "sink.rabbitmq.connection.*",
     .support = kNoEffect,
     .doc = "What else the Java client has: threads, buffers, channels, frames.",
     .note = kJava},
    {.name = "sink.rabbitmq.exchange",
     .default_value = "",
     .doc = "Exchange. Empty: the topic's name.",
     .fix = "use a shorter name",
     .validator = CheckShort},
    {.name = "sink.rabbitmq.routingKey",
     .default_value = "",
     .doc = "Routing key of routingKey.source=static.",
     .fix = "use a shorter one",
     .validator = CheckShort},
    {.name = "sink.rabbitmq.routingKey.source",
     .type = kEnum,
     .default_value = "static",
     .doc = "static: routingKey. topic: the topic's name. key: the record's key as text, at most "
            "255 bytes.",
     .allowed = "static, topic, key"},
    {.name = "sink.rabbitmq.routingKeyFromTopicName",
     .type = kBoolean,
     .default_value = "false",
     .support = kNoEffect,
     .doc = "Deprecated in Debezium Server, and without effect there.",
     .note = "use sink.rabbitmq.routingKey.source=topic"},
    {.name = "sink.rabbitmq.autoCreateRoutingKey",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Declare a queue that has the routing key's name. It is bound to nothing, unless "
            "walduct.sink.rabbitmq.bind=true."},
    {.name = "sink.rabbitmq.routingKeyDurable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "That queue outlives a restart of the server."},
    {.name = "sink.rabbitmq.deliveryMode",
     .type = kEnum,
     .default_value = "2",
     .doc = "2: messages are written to disk. 1: they are not.",
     .allowed = "1, 2"},
    {.name = "sink.rabbitmq.ackTimeout",
     .type = kPositiveInt,
     .default_value = "30000",
     .doc = "How long in milliseconds nothing may be confirmed; then the connection is made anew, "
            "and what was not confirmed is sent again. Does not count while an alarm blocks "
            "publishers."},
    {.name = "sink.rabbitmq.null.value", .default_value = "default", .doc = "Body of a tombstone."},
    {.name = "walduct.sink.rabbitmq.addresses",
     .doc = "Nodes of a cluster, host:port with commas between them, tried one after the other. "
            "Goes before connection.host and .port.",
     .fix = "use host:port,host:port",
     .validator = CheckAddresses},
    {.name = "walduct.sink.rabbitmq.default.exchange",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Send to the default exchange, which leads to the queue that has the routing key's "
            "name. Debezium Server cannot."},
    {.name = "walduct.sink.rabbitmq.bind",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Bind the queues of autoCreateRoutingKey to the exchange, by the routing key."},
    {.name = "walduct.sink.rabbitmq.queue.type",
     .type = kEnum,
     .default_value = "default",
     .doc = "Type of those queues. default: the virtual host's.",
     .allowed = "default, classic, quorum, stream"},
    {.name = "walduct.sink.rabbitmq.unroutable",
     .type = kEnum,
     .default_value = "wait",
     .doc = "A message that no queue takes. wait: until one does. refuse: follows "
            "walduct.errors.refused.",
     .allowed = "wait, refuse"},
    {.name = "walduct.sink.rabbitmq.nack",
     .type = kEnum,
     .default_value = "wait",
     .doc = "A message that RabbitMQ refuses, as where a queue is full (reject-publish). wait: it "
            "is sent again each second. refuse: follows walduct.errors.refused.",
     .allowed = "wait, refuse"},
    {.name = "walduct.sink.rabbitmq.max.in.flight",
     .type = kPositiveInt,
     .default_value = "1000",
     .doc = "Messages that are not confirmed yet, at most. 1: nothing overtakes what RabbitMQ "
            "refuses, whoever makes room meanwhile.",
     .fix = "use a number from 1 to 65535",
     .validator = CheckWindow},
    {.name = "walduct.sink.rabbitmq.message.properties",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Send message id (of the change's position, the same after a restart), type and "
            "timestamp, which Debezium Server does not."},
    {.name = "walduct.sink.rabbitmq.content.type",
     .default_value = "application/json",
     .doc = "With message.properties: the content type. Empty: none.",
     .fix = "use a shorter one",
     .validator = CheckShort},
    {.name = "walduct.sink.rabbitmq.type.header",
     .default_value = "eventType",
     .doc = "With message.properties: the header whose value is the type. A record without it has "
            "its topic."},
    {.name = "walduct.sink.rabbitmq.headers.as.bytes",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Headers are byte arrays and not strings. debezium.format.header=jsonbytearray sets "
            "it."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> RabbitMqSinkProperties() { return kRows; }

void CheckRabbitMqSink(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("sink") != "rabbitmq") return;
  const rabbitmq::RabbitTls tls = BuildRabbitMqServer(properties).tls;
  if (tls.enabled && !tls.checks_certificate)
    findings->Warn("sink.rabbitmq.connection.ssl.validate.server.certificate",
                   "is not set, nor is a trust store: whoever answers in the server's place gets "
                   "the password and the records; set "
                   "sink.rabbitmq.connection.ssl.trust.store, or "
                   "sink.rabbitmq.connection.ssl.validate.server.certificate=true");
  const bool makes = properties.Boolean("sink.rabbitmq.autoCreateRoutingKey");
  const std::string routing = properties.Text("sink.rabbitmq.routingKey.source");
  const bool no_key = routing == "static" && properties.Text("sink.rabbitmq.routingKey").empty();
  if (makes && no_key)
    findings->Error("sink.rabbitmq.autoCreateRoutingKey",
                    "there is no routing key that a queue could be named by",
                    "set sink.rabbitmq.routingKey, or sink.rabbitmq.routingKey.source=topic");
  if (properties.Boolean("walduct.sink.rabbitmq.bind") && !makes)
    findings->Error("walduct.sink.rabbitmq.bind",
                    "has no effect without sink.rabbitmq.autoCreateRoutingKey",
                    "set sink.rabbitmq.autoCreateRoutingKey=true");
  if (!properties.Boolean("walduct.sink.rabbitmq.default.exchange")) return;
  if (!properties.Text("sink.rabbitmq.exchange").empty())
    findings->Error("walduct.sink.rabbitmq.default.exchange",
                    "cannot be true beside sink.rabbitmq.exchange", "remove one");
  if (no_key)
    findings->Error("walduct.sink.rabbitmq.default.exchange",
                    "needs a routing key, which is the queue's name",
                    "set sink.rabbitmq.routingKey, or sink.rabbitmq.routingKey.source=topic");
}

RabbitMqSinkOptions BuildRabbitMqSink(const config::PropertySet& properties) {
  const auto own = [&](absl::string_view name) { return absl::StrCat(kOwn, name); };
  RabbitMqSinkOptions options;
  options.server = BuildRabbitMqServer(properties);
  options.exchange = properties.Text("sink.rabbitmq.exchange");
  options.default_exchange = properties.Boolean(own("default.exchange"));
  options.routing_key = properties.Text("sink.rabbitmq.routingKey");
  using Routing = RabbitMqSinkOptions::Routing;
  const std::string routing = properties.Text("sink.rabbitmq.routingKey.source");
  options.routing = routing == "topic" ? Routing::kTopic
                    : routing == "key" ? Routing::kKey
                                       : Routing::kStatic;
  options.makes_queues = properties.Boolean("sink.rabbitmq.autoCreateRoutingKey");
  options.durable_queues = properties.Boolean("sink.rabbitmq.routingKeyDurable");
  options.binds = properties.Boolean(own("bind"));
  const std::string type = properties.Text(own("queue.type"));
  if (type != "default") options.queue_type = type;
  options.delivery_mode = properties.Text("sink.rabbitmq.deliveryMode") == "1" ? 1 : 2;
  options.null_value = properties.Text("sink.rabbitmq.null.value");
  options.headers_as_bytes = properties.Boolean(own("headers.as.bytes"));
  options.names_messages = properties.Boolean(own("message.properties"));
  options.content_type = properties.Text(own("content.type"));
  options.type_header = properties.Text(own("type.header"));
  options.identity = IdentityOf(properties);
  options.hands_back_unroutable = properties.Text(own("unroutable")) == "refuse";
  options.hands_back_refused = properties.Text(own("nack")) == "refuse";
  options.most_on_way = static_cast<size_t>(properties.Integer(own("max.in.flight")));
  options.confirm_timeout = properties.Milliseconds("sink.rabbitmq.ackTimeout");
  return options;
}

}  // namespace walduct::sink
