// Kafka Connect's properties of a worker that are neither client nor offset properties: read from
// connect-standalone.properties or connect-distributed.properties as they are, mostly without
// effect.
#include <string>

#include "loader/other_properties.h"

namespace walduct::loader {
namespace {

using enum config::Support;
constexpr absl::string_view kNoWorkers =
    "there is no group of workers: one process runs the connector";
constexpr absl::string_view kServe = "it is for `walduct serve`";

// Of a process that runs connectors without being a worker.
std::string IdleWithoutListener(const config::PropertySet& properties, absl::string_view /*name*/) {
  return properties.IsSet("walduct.listen") ? "" : "without walduct.listen nothing listens";
}

constexpr absl::string_view kBuiltIn = "nothing is loaded at runtime";

constexpr config::PropertyDefinition kRows[] = {
    {.name = "plugin.path",
     .support = kNoEffect,
     .doc = "Worker: folders with Java plug-ins.",
     .note = kBuiltIn},
    {.name = "plugin.discovery",
     .support = kNoEffect,
     .doc = "Worker: how plug-ins are found.",
     .note = kBuiltIn},
    {.name = "internal.<part>.converter*",
     .support = kNoEffect,
     .doc = "Worker: converters of its own topics.",
     .note = "the stored position has one form"},
    {.name = "listeners",
     .support = kNoEffect,
     .doc = "Worker: addresses of the REST interface.",
     .note = kServe},
    {.name = "admin.listeners.https.*",
     .support = kNoEffect,
     .doc = "Worker: TLS of the admin interface.",
     .note = kServe},
    {.name = "walduct.rest.login.config",
     .doc = "Worker: login file (JAAS) whose entry KafkaConnect names the file of passwords, for "
            "rest.extension.classes. Without it what KAFKA_OPTS says.",
     .idle = IdleWithoutListener},
    {.name = "walduct.group.share",
     .type = config::PropertyType::kBoolean,
     .default_value = "false",
     .support = kNoEffect,
     .doc = "Worker: connectors are shared out among the workers of the group; otherwise one of "
            "them serves and the others wait.",
     .note = kServe},
    {.name = "walduct.group.instance.id",
     .support = kNoEffect,
     .doc = "Worker that shares: its own name in the group (Kafka's group.instance.id), such as a "
            "pod's. Its connectors stay its own while it is away for less than the session, "
            "8.5 s; without it they move at once.",
     .note = kServe},
    {.name = "listeners.https.*",
     .doc = "Worker: TLS of the REST interface, and of walduct.listen.",
     .idle = IdleWithoutListener},
    {.name = "admin.listeners",
     .support = kNoEffect,
     .doc = "Worker: addresses of the admin interface.",
     .note = kServe},
    {.name = "rest.extension.classes",
     .doc = "Worker: BasicAuthSecurityRestExtension has passwords asked for; see docs/serve.md.",
     .idle = IdleWithoutListener},
    {.name = "rest.*", .support = kNoEffect, .doc = "Worker: REST interface.", .note = kServe},
    {.name = "response.http.headers.config",
     .doc = "Worker: headers of REST responses.",
     .idle = IdleWithoutListener},
    {.name = "access.control.<part>",
     .doc = "Worker: cross-origin rules of the REST interface.",
     .idle = IdleWithoutListener},
    {.name = "group.id", .support = kNoEffect, .doc = "Worker: name of the group.", .note = kServe},
    {.name = "config.storage.*",
     .support = kNoEffect,
     .doc = "Worker: topic for connector configurations.",
     .note = kServe},
    {.name = "status.storage.*",
     .support = kNoEffect,
     .doc = "Worker: topic for connector states.",
     .note = kServe},
    {.name = "scheduled.rebalance.max.delay.ms",
     .support = kNoEffect,
     .doc = "Worker: wait before a rebalance.",
     .note = kNoWorkers},
    {.name = "session.timeout.ms",
     .support = kNoEffect,
     .doc = "Worker that shares: its session in the group, 8500 without it; heartbeat.interval.ms "
            "of the worker file, 1000 without it, goes with it. See docs/serve.md.",
     .note = kServe},
    {.name = "rebalance.timeout.ms",
     .support = kNoEffect,
     .doc = "Worker: time to join a rebalance.",
     .note = kNoWorkers},
    {.name = "<part>.sync.timeout.ms",
     .support = kNoEffect,
     .doc = "Worker: wait for the group.",
     .note = kNoWorkers},
    {.name = "worker.unsync.backoff.ms",
     .support = kNoEffect,
     .doc = "Worker: wait for the group.",
     .note = kNoWorkers},
    {.name = "connect.protocol",
     .support = kNoEffect,
     .doc = "Worker: protocol of the group.",
     .note = kNoWorkers},
    {.name = "inter.worker.key.generation.algorithm",
     .default_value = "HmacSHA256",
     .support = kNoEffect,
     .doc = "Worker: what the key is made for that workers of a group sign with.",
     .note = kServe},
    {.name = "inter.worker.key.size",
     .support = kNoEffect,
     .doc = "Worker: bits of that key; without it those of the algorithm.",
     .note = kServe},
    {.name = "inter.worker.key.ttl.ms",
     .default_value = "3600000",
     .support = kNoEffect,
     .doc = "Worker: how old that key is when the leader makes another one.",
     .note = kServe},
    {.name = "inter.worker.signature.algorithm",
     .default_value = "HmacSHA256",
     .support = kNoEffect,
     .doc = "Worker: how it signs.",
     .note = kServe},
    {.name = "inter.worker.verification.algorithms",
     .default_value = "HmacSHA256",
     .support = kNoEffect,
     .doc = "Worker: which signatures it takes.",
     .note = kServe},
    {.name = "inter.worker.*",
     .support = kNoEffect,
     .doc = "Worker: signing of requests in the group.",
     .note = kNoWorkers},
    {.name = "task.shutdown.graceful.timeout.ms",
     .support = kNoEffect,
     .doc = "Worker: time limit for tasks to stop.",
     .note = "see walduct.shutdown.timeout.ms"},
    {.name = "connector.client.config.override.policy",
     .default_value = "All",
     .support = kNoEffect,
     .doc = "Worker: which client properties a connector may override.",
     .note = "connector file and worker file have the same author"},
    {.name = "topic.tracking.<part>",
     .support = kNoEffect,
     .doc = "Worker: remember the topics of a connector.",
     .note = kServe},
    {.name = "metric.reporters",
     .support = kNoEffect,
     .doc = "Worker: Java classes that report metrics.",
     .note = kBuiltIn},
    {.name = "quarkus.*",
     .support = kNoEffect,
     .doc = "Debezium Server: settings of its framework.",
     .note = "but for quarkus.http.port and .host; see --log-level and --log-format"},
    {.name = "metrics.*", .support = kNoEffect, .doc = "Worker: Java metrics.", .note = kBuiltIn},
};

}  // namespace

absl::Span<const config::PropertyDefinition> WorkerProperties() { return kRows; }

}  // namespace walduct::loader
