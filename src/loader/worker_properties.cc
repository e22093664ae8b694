// Kafka Connect's properties of a worker that are no client or offset properties: read from
// connect-standalone.properties or connect-distributed.properties as they are, mostly without
// effect.
#include "loader/other_properties.h"

namespace walduct::loader {
namespace {

using enum config::Support;
constexpr absl::string_view kNoWorkers =
    "there is no group of workers: one process runs the connector";
constexpr absl::string_view kServe = "it is for `walduct serve`";
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
    {.name = "listeners.https.*",
     .support = kNoEffect,
     .doc = "Worker: TLS of the REST interface.",
     .note = kServe},
    {.name = "admin.listeners",
     .support = kNoEffect,
     .doc = "Worker: addresses of the admin interface.",
     .note = kServe},
    {.name = "rest.*", .support = kNoEffect, .doc = "Worker: REST interface.", .note = kServe},
    {.name = "response.http.headers.config",
     .support = kNoEffect,
     .doc = "Worker: headers of REST responses.",
     .note = kServe},
    {.name = "access.control.<part>",
     .support = kNoEffect,
     .doc = "Worker: cross-origin rules of the REST interface.",
     .note = kServe},
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
     .doc = "Worker: session in the group.",
     .note = kNoWorkers},
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
     .note = "see --log-level and --log-format"},
    {.name = "metrics.*", .support = kNoEffect, .doc = "Worker: Java metrics.", .note = kBuiltIn},
};

}  // namespace

absl::Span<const config::PropertyDefinition> WorkerProperties() { return kRows; }

}  // namespace walduct::loader
