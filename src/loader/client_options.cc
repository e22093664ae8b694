// Kafka clients, the sink and the store of the position.
//
// Kafka Connect keeps three sets of client properties. Worker files hold producer.*, consumer.* and
// admin.*, a connector adds producer.override.* and so on, and the worker's own clients (those of
// the offset topic) use security.*, sasl.* and ssl.* without prefix. One file must be enough here,
// so a client without any security property of its own takes the unprefixed ones, then the
// producer's.
#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "java/text/text_lists.h"
#include "loader/classes.h"
#include "loader/options_builder.h"

namespace walduct::loader {
namespace {

using ClientProperties = std::map<std::string, std::string>;
constexpr absl::string_view kBootstrap = "bootstrap.servers";
constexpr config::Layer kLayers[] = {config::Layer::kWorker, config::Layer::kConnector,
                                     config::Layer::kOverride};

bool IsSecurity(absl::string_view name) {
  return name == "security.protocol" || absl::StartsWith(name, "sasl.") ||
         absl::StartsWith(name, "ssl.");
}

void Collect(const config::PropertySet& properties, config::Layer layer, absl::string_view prefix,
             absl::string_view except, ClientProperties* client) {
  for (const config::Property& property : properties.all()) {
    absl::string_view name = property.name;
    if (property.layer != layer || !absl::ConsumePrefix(&name, prefix)) continue;
    if (!except.empty() && absl::StartsWith(property.name, except)) continue;
    (*client)[std::string(name)] = property.value;
  }
}

// worker <role>.* < connector <role>.override.* < command line.
ClientProperties CollectRole(const config::PropertySet& properties, absl::string_view role) {
  ClientProperties client;
  const std::string prefix = absl::StrCat(role, ".");
  const std::string override_prefix = absl::StrCat(role, ".override.");
  for (const config::Layer layer : kLayers) {
    Collect(properties, layer, prefix, override_prefix, &client);
    Collect(properties, layer, override_prefix, "", &client);
  }
  return client;
}

// A broker list on the command line is for every client, whatever the files say.
void SetBrokers(const config::PropertySet& properties, const std::string& otherwise,
                ClientProperties* client) {
  const config::Property* brokers = properties.Find(kBootstrap);
  if (brokers != nullptr && brokers->layer == config::Layer::kOverride) {
    (*client)[std::string(kBootstrap)] = brokers->value;
  } else {
    client->emplace(kBootstrap, otherwise);
  }
}

ClientProperties CollectUnprefixedSecurity(const config::PropertySet& properties) {
  ClientProperties security;
  for (const config::Property& property : properties.all()) {
    if (IsSecurity(property.name)) security[property.name] = property.value;
  }
  return security;
}

bool HasSecurity(const ClientProperties& client) {
  return std::any_of(client.begin(), client.end(),
                     [](const auto& entry) { return IsSecurity(entry.first); });
}

void InheritSecurity(const ClientProperties& from, ClientProperties* client) {
  if (HasSecurity(*client)) return;
  for (const auto& [name, value] : from) {
    if (IsSecurity(name)) client->emplace(name, value);
  }
}

offset::OffsetStoreKind KindByName(absl::string_view name) {
  return name == "offset.storage.file.filename" ? offset::OffsetStoreKind::kFile
                                                : offset::OffsetStoreKind::kKafkaTopic;
}

// The store named nearest to the operator: on the command line, in the connector file, in the
// worker file. nullptr: none.
const config::Property* NamedStore(const config::PropertySet& properties) {
  const config::Property* best = nullptr;
  for (const absl::string_view name :
       {"offset.storage.file.filename", "offsets.storage.topic", "offset.storage.topic"}) {
    if (!properties.IsSet(name)) continue;
    const config::Property* property = properties.Find(name);
    if (best == nullptr || property->layer > best->layer) best = property;
  }
  return best;
}

// Where the position goes when nothing says so.
offset::OffsetStoreKind DefaultStore(const sink::SinkOptions& sink, std::string* path,
                                     config::Findings* findings) {
  switch (sink.kind) {
    case sink::SinkKind::kKafka:
      break;
    case sink::SinkKind::kFile:
      *path = absl::StrCat(sink.file_path, ".offsets");
      findings->Warn("offset.storage.file.filename",
                     absl::StrCat("not set: the position is stored in '", *path, "'"));
      return offset::OffsetStoreKind::kFile;
    case sink::SinkKind::kStdout:
    case sink::SinkKind::kTerminal:
      findings->Warn("offset.storage.file.filename",
                     "not set: with this sink the position is kept in memory and lost at the stop");
      return offset::OffsetStoreKind::kMemory;
  }
  return offset::OffsetStoreKind::kKafkaTopic;
}

std::optional<int> Count(const config::PropertySet& properties, const std::string& name) {
  int number = 0;
  if (!properties.IsSet(name) || !absl::SimpleAtoi(properties.Find(name)->value, &number))
    return std::nullopt;
  return number;
}

sink::TopicCreationGroup BuildGroup(const config::PropertySet& properties,
                                    const std::string& name) {
  sink::TopicCreationGroup group;
  group.name = name;
  const std::string prefix = absl::StrCat("topic.creation.", name, ".");
  const std::string fallback = "topic.creation.default.";
  group.partitions = Count(properties, prefix + "partitions")
                         .value_or(Count(properties, fallback + "partitions").value_or(-1));
  group.replication_factor =
      Count(properties, prefix + "replication.factor")
          .value_or(Count(properties, fallback + "replication.factor").value_or(-1));
  if (name != "default") {
    group.include = properties.Regexes(prefix + "include");
    group.exclude = properties.Regexes(prefix + "exclude");
  }
  for (const config::Property& property : properties.all()) {
    absl::string_view option = property.name;
    if (!absl::ConsumePrefix(&option, prefix)) continue;
    if (java::ListContains("include, exclude, partitions, replication.factor", option)) continue;
    group.configs[std::string(option)] = property.value;
  }
  return group;
}

std::vector<sink::TopicCreationGroup> BuildTopicCreation(const config::PropertySet& properties) {
  std::vector<sink::TopicCreationGroup> groups;
  if (!properties.Boolean("topic.creation.enable")) return groups;
  if (!properties.IsSet("topic.creation.default.partitions")) return groups;
  for (const std::string& name : java::SplitCommaList(properties.Text("topic.creation.groups"))) {
    groups.push_back(BuildGroup(properties, name));
  }
  groups.push_back(BuildGroup(properties, "default"));
  return groups;
}

}  // namespace

kafka::KafkaOptions BuildKafka(const config::PropertySet& properties) {
  kafka::KafkaOptions kafka;
  const std::string worker_brokers = properties.Text(kBootstrap);
  const ClientProperties security = CollectUnprefixedSecurity(properties);
  kafka.producer = CollectRole(properties, "producer");
  SetBrokers(properties, worker_brokers, &kafka.producer);
  kafka.bootstrap_servers = kafka.producer.at(std::string(kBootstrap));
  InheritSecurity(security, &kafka.producer);
  for (const auto& [role, client] :
       {std::pair{"consumer", &kafka.consumer}, std::pair{"admin", &kafka.admin}}) {
    *client = CollectRole(properties, role);
    SetBrokers(properties, properties.IsSet(kBootstrap) ? worker_brokers : kafka.bootstrap_servers,
               client);
    InheritSecurity(security, client);
    InheritSecurity(kafka.producer, client);
  }
  return kafka;
}

sink::SinkOptions BuildSink(const config::PropertySet& properties,
                            const kafka::KafkaOptions& kafka) {
  sink::SinkOptions sink;
  const std::string kind = properties.Text("sink");
  sink.kind = kind == "stdout" ? sink::SinkKind::kStdout
              : kind == "file" ? sink::SinkKind::kFile
                               : sink::SinkKind::kKafka;
  sink.file_path = properties.Text("sink.file.path");
  int64_t bytes = 0;
  const auto memory = kafka.producer.find("buffer.memory");
  if (memory != kafka.producer.end() && absl::SimpleAtoi(memory->second, &bytes)) {
    sink.buffer_bytes = static_cast<size_t>(bytes);
  }
  sink.topic_creation = BuildTopicCreation(properties);
  return sink;
}

offset::OffsetOptions BuildOffset(const config::PropertySet& properties,
                                  const sink::SinkOptions& sink, config::Findings* findings) {
  offset::OffsetOptions offset;
  offset.file_path = properties.Text("offset.storage.file.filename");
  for (const absl::string_view name : {"offset.storage.topic", "offsets.storage.topic"}) {
    if (properties.IsSet(name)) offset.topic = properties.Text(name);
  }
  const config::Property* named = NamedStore(properties);
  if (const auto by_class = FindOffsetStore(properties.Text("offset.storage"))) {
    offset.kind = *by_class;
  } else if (named != nullptr) {
    offset.kind = KindByName(named->name);
  } else {
    offset.kind = DefaultStore(sink, &offset.file_path, findings);
  }
  offset.topic_partitions = static_cast<int>(properties.Integer("offset.storage.partitions"));
  offset.topic_replication_factor =
      static_cast<int>(properties.Integer("offset.storage.replication.factor"));
  offset.flush_interval = properties.Milliseconds("offset.flush.interval.ms");
  offset.flush_timeout = properties.Milliseconds("offset.flush.timeout.ms");
  return offset;
}

}  // namespace walduct::loader
