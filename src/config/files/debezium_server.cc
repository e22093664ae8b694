#include "config/files/debezium_server.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "config/files/quarkus_expression.h"

namespace walduct::config {
namespace {

constexpr absl::string_view kDebezium = "debezium.";
constexpr absl::string_view kSource = "debezium.source.";
constexpr absl::string_view kSink = "debezium.sink.";
constexpr absl::string_view kFormat = "debezium.format.";
constexpr absl::string_view kSinkType = "debezium.sink.type";
constexpr absl::string_view kHttpHost = "quarkus.http.host";
constexpr absl::string_view kHttpPort = "quarkus.http.port";
constexpr absl::string_view kKafka = "debezium.sink.kafka.";
constexpr absl::string_view kProducer = "debezium.sink.kafka.producer.";
constexpr absl::string_view kParts[] = {"key", "value", "header"};
// Those that walduct has, too.
constexpr absl::string_view kSinks[] = {
    "kafka", "redis", "nats-jetstream", "rabbitmq", "http", "kinesis", "sqs", "sns"};

struct Format {
  absl::string_view name, converter;
};
constexpr Format kFormats[] = {
    {"json", "org.apache.kafka.connect.json.JsonConverter"},
    {"jsonbytearray", "org.apache.kafka.connect.json.JsonConverter"},
    {"simplestring", "org.apache.kafka.connect.storage.StringConverter"},
    {"string", "org.apache.kafka.connect.storage.StringConverter"},
    {"binary", "io.debezium.converters.BinaryDataConverter"},
    {"avro", "io.confluent.connect.avro.AvroConverter"},
    {"protobuf", "io.confluent.connect.protobuf.ProtobufConverter"},
    {"cloudevents", "io.debezium.converters.CloudEventsConverter"},
};

absl::Status Refused(absl::string_view property, absl::string_view value, absl::string_view what,
                     absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "debezium_server",
               absl::StrCat("property '", property, "': value '", value, "' ", what), hint);
}

absl::Status RefuseSink(absl::string_view sink) {
  if (sink.empty())
    return Error(absl::StatusCode::kInvalidArgument, "debezium_server",
                 absl::StrCat("property '", kSinkType, "': A value is required"),
                 absl::StrCat("write ", kSinkType, "=kafka"));
  if (sink == "rabbitmqstream")
    return Refused(kSinkType, sink,
                   "is RabbitMQ's stream protocol, which walduct does not speak; it writes to "
                   "streams through AMQP",
                   absl::StrCat("write ", kSinkType,
                                "=rabbitmq, debezium.sink.rabbitmq.routingKey.source=topic, "
                                "debezium.sink.rabbitmq.autoCreateRoutingKey=true, "
                                "walduct.sink.rabbitmq.default.exchange=true and "
                                "walduct.sink.rabbitmq.queue.type=stream"));
  if (sink == "eventhubs")
    return Refused(kSinkType, sink,
                   "is the protocol of Event Hubs that walduct does not speak; it writes to Event "
                   "Hubs through its Kafka endpoint",
                   absl::StrCat("write ", kSinkType,
                                "=kafka and debezium.sink.kafka.producer.bootstrap.servers="
                                "NAMESPACE.servicebus.windows.net:9093, with SASL_SSL and the "
                                "connection string: docs/sinks.md#event-hubs"));
  return Refused(kSinkType, sink, "is a sink of Debezium Server that walduct does not have",
                 absl::StrCat("write ", kSinkType,
                              "=kafka and debezium.sink.kafka.producer.*, or go on with Debezium "
                              "Server: docs/not-yet.md"));
}

// What every client needs: where the brokers are, and how they are reached.
bool IsForAllClients(absl::string_view name) {
  return name == "bootstrap.servers" || name == "security.protocol" ||
         absl::StartsWith(name, "sasl.") || absl::StartsWith(name, "ssl.");
}

bool IsOfChain(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, kDebezium)) return false;
  return name == "transforms" || name == "predicates" || absl::StartsWith(name, "transforms.") ||
         absl::StartsWith(name, "predicates.");
}

std::optional<std::string> FindIn(const KeyValues& values, absl::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) return value;
  }
  return std::nullopt;
}

void Set(absl::string_view name, absl::string_view value, KeyValues* values) {
  for (auto& [key, present] : *values) {
    if (key == name) {
      present = std::string(value);
      return;
    }
  }
  values->emplace_back(name, value);
}

// Of a variable alone: its underscores are dots, but for hyphens of names that are known.
std::string PropertyName(absl::string_view variable) {
  std::string name = absl::AsciiStrToLower(absl::StrReplaceAll(variable, {{"_", "."}}));
  if (absl::StartsWith(name, "debezium.sink.nats.jetstream."))
    name = absl::StrReplaceAll(name, {{"nats.jetstream", "nats-jetstream"},
                                      {"create.stream", "create-stream"},
                                      {"stream.name", "stream-name"}});
  return name;
}

// The file's properties, with those of the environment over them.
KeyValues Merge(const KeyValues& file, const KeyValues& variables) {
  KeyValues merged;
  for (const auto& [name, value] : file) {
    absl::string_view key = name;
    absl::ConsumePrefix(&key, "%prod.");  // the profile that a server runs in
    if (!absl::StartsWith(key, "%")) Set(key, value, &merged);
  }
  for (const auto& [name, value] : variables) {
    if (!absl::StartsWith(name, "DEBEZIUM_") && !absl::StartsWith(name, "QUARKUS_HTTP_")) continue;
    const auto same = std::find_if(merged.begin(), merged.end(), [&name = name](const auto& pair) {
      return VariableName(pair.first) == name;
    });
    if (same != merged.end()) {
      same->second = value;
    } else {
      merged.emplace_back(PropertyName(name), value);
    }
  }
  return merged;
}

class Converter {
 public:
  Converter(KeyValues properties, const KeyValues& variables)
      : properties_(std::move(properties)), variables_(variables) {}

  absl::StatusOr<ParsedFile> Convert() {
    ASSIGN_OR_RETURN(const std::string sink, Expanded(kSinkType));
    const auto* const known = std::find(std::begin(kSinks), std::end(kSinks), sink);
    if (known == std::end(kSinks)) return RefuseSink(sink);
    sink_ = *known;
    if (sink_ != "kafka") Put("sink", std::string(kSinkType), std::string(sink_));
    // Knative says where to; it wins over the file.
    if (const auto knative = FindIn(variables_, "K_SINK"); knative && sink_ == "http")
      Set("debezium.sink.http.url", *knative, &properties_);
    own_brokers_ = FindIn(properties_, absl::StrCat(kSource, "bootstrap.servers")).has_value();
    for (const auto& [name, value] : properties_) Take(name, value);
    for (const absl::string_view part : kParts) RETURN_IF_ERROR(SetConverter(part));
    SetDefaults();
    RETURN_IF_ERROR(SetListener());
    return std::move(out_);
  }

 private:
  PropertyLookup Lookup() const {
    return [this](absl::string_view name) -> std::optional<std::string> {
      if (auto variable = FindIn(variables_, name)) return variable;
      if (auto variable = FindIn(variables_, VariableName(name))) return variable;
      return FindIn(properties_, name);
    };
  }

  absl::StatusOr<std::string> Expanded(absl::string_view name) const {
    const std::string written = FindIn(properties_, name).value_or("");
    ASSIGN_OR_RETURN(const ExpandedText text, ExpandExpressions(written, Lookup()));
    return std::string(absl::StripAsciiWhitespace(text.value));
  }

  // name: as the connector has it.
  void Put(absl::string_view name, const std::string& written_as, const std::string& value) {
    const absl::StatusOr<ExpandedText> text = ExpandExpressions(value, Lookup());
    if (!text.ok()) {
      out_.problems.push_back(absl::StrCat("property '", written_as, "': value ",
                                           text.status().message(), "; ",
                                           ErrorHint(text.status())));
      return;
    }
    Set(name, text->shown, &out_.values);
    if (text->shown != text->value) Set(name, text->value, &out_.expanded);
    Set(name, written_as, &out_.written);
  }

  void Take(const std::string& name, const std::string& value) {
    absl::string_view rest = name;
    if (absl::ConsumePrefix(&rest, kSource)) return Put(rest, name, value);
    if (absl::ConsumePrefix(&rest, kProducer)) return PutProducer(rest, name, value);
    if (absl::ConsumePrefix(&rest, kFormat)) return PutFormat(rest, name, value);
    if (sink_ != "kafka" && absl::ConsumePrefix(&rest, absl::StrCat(kSink, sink_, ".")))
      return Put(absl::StrCat("sink.", sink_, ".", rest), name, value);
    if (IsOfChain(rest)) return Put(absl::StripPrefix(rest, kDebezium), name, value);
    if (name == kSinkType || absl::StartsWith(name, "debezium.api.")) return;
    if (name == kHttpPort || name == kHttpHost) return;
    if (absl::StartsWith(name, "quarkus.") || absl::StartsWith(name, "walduct."))
      return Put(name, name, value);
    Ignore(name);
  }

  void Ignore(const std::string& name) {
    absl::string_view why =
        "Debezium Server does not read it; write debezium.source.… for the connector";
    if (absl::StartsWith(name, kSink)) why = "it belongs to another sink, or to none";
    if (absl::StartsWith(name, kKafka))
      why = "write debezium.sink.kafka.producer.… for the producer";
    if (name == "debezium.sink.kafka.wait.message.delivery.timeout.ms")
      why = "a delivery is waited for as long as it takes";
    out_.warnings.push_back(absl::StrCat("property '", name, "': has no effect: ", why));
  }

  void PutProducer(absl::string_view name, const std::string& written_as,
                   const std::string& value) {
    if (absl::EndsWith(name, ".serializer")) return;  // the format decides
    const bool shared = IsForAllClients(name) && !own_brokers_;
    Put(shared ? std::string(name) : absl::StrCat("producer.", name), written_as, value);
  }

  // debezium.format.key is the format itself, debezium.format.key.x an option of its converter, and
  // debezium.format.x one of all three.
  void PutFormat(absl::string_view name, const std::string& written_as, const std::string& value) {
    for (const absl::string_view part : kParts) {
      absl::string_view option = name;
      if (option == part) return;
      if (!absl::ConsumePrefix(&option, absl::StrCat(part, "."))) continue;
      return Put(absl::StrCat(part, ".converter.", option), written_as, value);
    }
    for (const absl::string_view part : kParts) {
      const std::string option = absl::StrCat(part, ".converter.", name);
      if (!FindIn(out_.values, option)) Put(option, written_as, value);
    }
  }

  absl::Status SetConverter(absl::string_view part) {
    const std::string property = absl::StrCat("debezium.format.", part);
    ASSIGN_OR_RETURN(std::string format, Expanded(property));
    if (format.empty()) format = "json";
    for (const Format& known : kFormats) {
      if (known.name != absl::AsciiStrToLower(format)) continue;
      const std::string name = absl::StrCat(part, ".converter");
      const bool apicurio =
          known.name == "avro" && FindIn(out_.values, absl::StrCat(name, ".apicurio.registry.url"));
      // SNS gets no key; where it groups by one, that is the key's text before any format, and so
      // are headers.
      const bool text = sink_ == "sns" && part != "value";
      const absl::string_view converter = text ? "org.apache.kafka.connect.storage.StringConverter"
                                          : apicurio
                                              ? "io.apicurio.registry.utils.converter.AvroConverter"
                                              : known.converter;
      const std::string given = FindIn(out_.values, name).value_or(std::string(converter));
      if (given != converter)
        out_.warnings.push_back(absl::StrCat("property '", kSource, name, "': value '", given,
                                             "' has no effect: Debezium Server takes the format "
                                             "from ",
                                             property, ", which is '", format, "'"));
      Put(name, property, std::string(converter));
      if (sink_ == "rabbitmq" && part == "header" && known.name == "jsonbytearray")
        Put("walduct.sink.rabbitmq.headers.as.bytes", property, "true");
      return absl::OkStatus();
    }
    return Refused(property, format, "is not a format of Debezium Server",
                   "use json, simplestring, binary, avro, protobuf or cloudevents");
  }

  void SetDefaults() {
    if (!FindIn(out_.values, "name")) Put("name", std::string(kSinkType), std::string(sink_));
    constexpr absl::string_view kFile = "offset.storage.file.filename";
    const std::string store = FindIn(out_.values, "offset.storage").value_or("");
    const bool file = store.empty() || absl::EndsWith(store, "FileOffsetBackingStore");
    if (!file || FindIn(out_.values, kFile)) return;
    Put(kFile, absl::StrCat(kSource, kFile), "data/offsets.dat");
    out_.warnings.push_back(absl::StrCat(
        "property '", kSource, kFile,
        "': not set: the position is stored in 'data/offsets.dat', as Debezium Server does"));
  }

  // Only where it is asked for: there the pages would be open to everybody.
  absl::Status SetListener() {
    ASSIGN_OR_RETURN(const std::string port, Expanded(kHttpPort));
    if (port.empty() || FindIn(out_.values, "walduct.listen")) return absl::OkStatus();
    ASSIGN_OR_RETURN(std::string host, Expanded(kHttpHost));
    if (absl::StrContains(host, ":") && !absl::StartsWith(host, "["))
      host = absl::StrCat("[", host, "]");
    int number = 0;
    if (!absl::SimpleAtoi(port, &number) || number < 0 || number > 65535)
      return Refused(kHttpPort, port, "is not a port", "use a number from 0 to 65535");
    Put("walduct.listen", std::string(kHttpPort),
        absl::StrCat(host.empty() ? "0.0.0.0" : host, ":", number));
    return absl::OkStatus();
  }

  KeyValues properties_;
  const KeyValues& variables_;
  absl::string_view sink_;
  bool own_brokers_ = false;  // of the offset topic
  ParsedFile out_;
};

}  // namespace

bool IsDebeziumServer(const KeyValues& values) {
  return std::any_of(values.begin(), values.end(), [](const auto& pair) {
    absl::string_view name = pair.first;
    absl::ConsumePrefix(&name, "%prod.");
    return absl::StartsWith(name, kSource) || absl::StartsWith(name, kSink) ||
           absl::StartsWith(name, kFormat) || absl::StartsWith(name, "quarkus.");
  });
}

absl::StatusOr<ParsedFile> FromDebeziumServer(const ParsedFile& file, const KeyValues& variables) {
  ASSIGN_OR_RETURN(ParsedFile converted,
                   Converter(Merge(file.values, variables), variables).Convert());
  converted.warnings.insert(converted.warnings.begin(), file.warnings.begin(), file.warnings.end());
  return converted;
}

}  // namespace walduct::config
