// Kafka Connect keeps three sets of client properties. Worker files hold producer.*, consumer.* and
// admin.*, a connector adds producer.override.* and so on, and the worker's own clients (those of
// the offset topic) use security.*, sasl.* and ssl.* without prefix. One file must be enough here,
// so a client without any security property of its own takes the unprefixed ones, then the
// producer's.
#include "kafka/client_properties.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "config/secret_source.h"
#include "kafka/brokers.h"

namespace walduct::kafka {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr config::PropertyDefinition kRows[] = {
    {.name = "bootstrap.servers",
     .default_value = "localhost:9092",
     .doc = "Kafka brokers as host:port,…; the one client property that needs no prefix.",
     .validator = CheckBrokers},
    {.name = "producer.buffer.memory",
     .type = kPositiveLong,
     .default_value = "8388608",
     .doc = "Largest number of bytes in flight, including memory overhead per record; reading from "
            "PostgreSQL pauses at this limit."},
    {.name = "producer.override.buffer.memory",
     .type = kPositiveLong,
     .doc = "The same for this connector; overrides the worker's."},
    {.name = "producer.override.*",
     .doc = "Java producer property for this connector; overrides producer.*."},
    {.name = "producer.*", .doc = "Java producer property, usually of the worker file."},
    {.name = "consumer.override.*",
     .doc = "Java consumer property for this connector; overrides consumer.*."},
    {.name = "consumer.*", .doc = "Java consumer property, for reading the stored position."},
    {.name = "admin.override.*",
     .doc = "Java admin client property for this connector; overrides admin.*."},
    {.name = "admin.*", .doc = "Java admin client property, for creating topics."},
    {.name = "security.protocol",
     .doc = "Security protocol of the worker's own clients; default for every client."},
    {.name = "sasl.*",
     .doc = "SASL property of the worker's own clients; default for every client."},
    {.name = "ssl.*", .doc = "TLS property of the worker's own clients; default for every client."},
    {.name = "client.<part>",
     .support = kNoEffect,
     .doc = "Worker: identity and address look-up of its own clients.",
     .note = "set producer.client.id and the like"},
};

using JavaProperties = std::map<std::string, std::string>;
constexpr absl::string_view kBootstrap = "bootstrap.servers";
constexpr config::Layer kLayers[] = {config::Layer::kWorker, config::Layer::kConnector,
                                     config::Layer::kOverride};

bool IsSecurity(absl::string_view name) {
  return name == "security.protocol" || absl::StartsWith(name, "sasl.") ||
         absl::StartsWith(name, "ssl.");
}

void Collect(const config::PropertySet& properties, config::Layer layer, absl::string_view prefix,
             absl::string_view except, JavaProperties* client) {
  for (const config::Property& property : properties.all()) {
    absl::string_view name = property.name;
    if (property.layer != layer || !absl::ConsumePrefix(&name, prefix)) continue;
    if (!except.empty() && absl::StartsWith(property.name, except)) continue;
    (*client)[std::string(name)] = property.value;
  }
}

// worker <role>.* < connector <role>.override.* < command line.
JavaProperties CollectRole(const config::PropertySet& properties, absl::string_view role) {
  JavaProperties client;
  const std::string prefix = absl::StrCat(role, ".");
  const std::string override_prefix = absl::StrCat(role, ".override.");
  for (const config::Layer layer : kLayers) {
    Collect(properties, layer, prefix, override_prefix, &client);
    Collect(properties, layer, override_prefix, "", &client);
  }
  return client;
}

// Without what a connector overrides.
JavaProperties CollectShared(const config::PropertySet& properties, absl::string_view role) {
  JavaProperties client;
  const std::string prefix = absl::StrCat(role, ".");
  const std::string override_prefix = absl::StrCat(role, ".override.");
  for (const config::Layer layer : kLayers)
    Collect(properties, layer, prefix, override_prefix, &client);
  return client;
}

// A broker list on the command line is for every client, whatever the files say.
void SetBrokers(const config::PropertySet& properties, const std::string& otherwise,
                JavaProperties* client) {
  const config::Property* brokers = properties.Find(kBootstrap);
  if (brokers != nullptr && brokers->layer == config::Layer::kOverride) {
    (*client)[std::string(kBootstrap)] = brokers->value;
  } else {
    client->emplace(kBootstrap, otherwise);
  }
}

JavaProperties CollectUnprefixedSecurity(const config::PropertySet& properties) {
  JavaProperties security;
  for (const config::Property& property : properties.all()) {
    if (IsSecurity(property.name)) security[property.name] = property.value;
  }
  return security;
}

bool HasSecurity(const JavaProperties& client) {
  return std::any_of(client.begin(), client.end(),
                     [](const auto& entry) { return IsSecurity(entry.first); });
}

void InheritSecurity(const JavaProperties& from, JavaProperties* client) {
  if (HasSecurity(*client)) return;
  for (const auto& [name, value] : from) {
    if (IsSecurity(name)) client->emplace(name, value);
  }
}

void DropSecurity(JavaProperties* client) {
  std::erase_if(*client, [](const auto& entry) { return IsSecurity(entry.first); });
}

KafkaOptions BuildForConnector(const config::PropertySet& properties) {
  KafkaOptions kafka;
  const std::string worker_brokers = properties.Text(kBootstrap);
  const JavaProperties security = CollectUnprefixedSecurity(properties);
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

KafkaOptions BuildForWorker(const config::PropertySet& properties) {
  KafkaOptions kafka = BuildForConnector(properties);
  if (properties.IsSet(kBootstrap)) kafka.bootstrap_servers = properties.Text(kBootstrap);
  const JavaProperties unprefixed = CollectUnprefixedSecurity(properties);
  const JavaProperties worker_producer = CollectShared(properties, "producer");
  for (const auto& [role, client] :
       {std::pair{"producer", &kafka.producer}, std::pair{"consumer", &kafka.consumer},
        std::pair{"admin", &kafka.admin}}) {
    const JavaProperties own = std::exchange(*client, CollectShared(properties, role));
    (*client)[std::string(kBootstrap)] = kafka.bootstrap_servers;
    if (!unprefixed.empty()) DropSecurity(client);
    InheritSecurity(unprefixed, client);
    InheritSecurity(worker_producer, client);
    InheritSecurity(own, client);
  }
  return kafka;
}

std::function<std::shared_ptr<const KafkaOptions>()> Again(
    const config::PropertySet& properties, KafkaOptions (*build)(const config::PropertySet&)) {
  std::function<std::optional<config::PropertySet>()> read = config::ReadAllAgain(properties);
  if (read == nullptr) return nullptr;
  return [read = std::move(read), build]() -> std::shared_ptr<const KafkaOptions> {
    const std::optional<config::PropertySet> now = read();
    return now ? std::make_shared<const KafkaOptions>(build(*now)) : nullptr;
  };
}

}  // namespace

absl::Span<const config::PropertyDefinition> ClientProperties() { return kRows; }

KafkaOptions BuildWorkerKafka(const config::PropertySet& properties) {
  KafkaOptions kafka = BuildForWorker(properties);
  kafka.again = Again(properties, BuildForWorker);
  return kafka;
}

KafkaOptions BuildKafka(const config::PropertySet& properties) {
  KafkaOptions kafka = BuildForConnector(properties);
  kafka.again = Again(properties, BuildForConnector);
  return kafka;
}

KafkaOptions WithFreshSecrets(const KafkaOptions& options) {
  const std::shared_ptr<const KafkaOptions> now = options.again ? options.again() : nullptr;
  KafkaOptions fresh = now == nullptr ? options : *now;
  fresh.again = options.again;
  return fresh;
}

}  // namespace walduct::kafka
