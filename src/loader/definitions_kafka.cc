// Properties of the Kafka clients, of topic creation and of the stored position.
#include "loader/definitions.h"
#include "loader/validators.h"

namespace walduct::loader {
namespace {

using enum config::PropertyType;
using enum config::Support;
constexpr absl::string_view kCountFix = "use a positive number, or -1 for the broker's default";

constexpr config::PropertyDefinition kKafkaDefinitions[] = {
    {.name = "bootstrap.servers",
     .default_value = "localhost:9092",
     .doc = "Kafka brokers as host:port,…; the one client property that needs no prefix."},
    {.name = "producer.buffer.memory",
     .type = kPositiveLong,
     .default_value = "16777216",
     .doc = "Bytes of records in flight at most, with what each costs in memory; reading from "
            "PostgreSQL pauses there."},
    {.name = "producer.override.buffer.memory",
     .type = kPositiveLong,
     .doc = "The same for this connector; wins over the worker's."},
    {.name = "producer.override.*",
     .doc = "Java producer property of this connector; wins over producer.*."},
    {.name = "producer.*", .doc = "Java producer property, usually of the worker file."},
    {.name = "consumer.override.*",
     .doc = "Java consumer property of this connector; wins over consumer.*."},
    {.name = "consumer.*", .doc = "Java consumer property, for reading the stored position."},
    {.name = "admin.override.*",
     .doc = "Java admin client property of this connector; wins over admin.*."},
    {.name = "admin.*", .doc = "Java admin client property, for creating topics."},
    {.name = "security.protocol",
     .doc = "Security of the worker's own clients; used for every client that sets none."},
    {.name = "sasl.*",
     .doc = "SASL property of the worker's own clients; used for every client that sets none."},
    {.name = "ssl.*",
     .doc = "TLS property of the worker's own clients; used for every client that sets none."},
    {.name = "client.<part>",
     .support = kNoEffect,
     .doc = "Worker: identity and address look-up of its own clients.",
     .note = "set producer.client.id and the like"},
    {.name = "topic.creation.enable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Worker: create topics when topic.creation.default.* says how."},
    {.name = "topic.creation.groups",
     .type = kList,
     .doc = "Names of groups of topics, in order of precedence."},
    {.name = "topic.creation.<group>.include",
     .type = kRegexList,
     .doc = "Topics of the group, as regular expressions."},
    {.name = "topic.creation.<group>.exclude",
     .type = kRegexList,
     .doc = "Topics not of the group, as regular expressions."},
    {.name = "topic.creation.<group>.partitions",
     .type = kInt,
     .doc = "Partitions of the group's topics; -1 is the broker's default. Required for the group "
            "default.",
     .fix = kCountFix,
     .validator = config::CheckTopicPartitions},
    {.name = "topic.creation.<group>.replication.factor",
     .type = kInt,
     .doc = "Replicas of the group's topics; -1 is the broker's default. Required for the group "
            "default.",
     .fix = kCountFix,
     .validator = config::CheckTopicPartitions},
    {.name = "topic.creation.<group>.*", .doc = "Any topic property, e.g. cleanup.policy."},
};

constexpr config::PropertyDefinition kOffsetDefinitions[] = {
    {.name = "offset.storage",
     .type = kClass,
     .doc = "Class of the store, as for Debezium Server: FileOffsetBackingStore, "
            "KafkaOffsetBackingStore or "
            "MemoryOffsetBackingStore; without it the next properties decide.",
     .validator = CheckOffsetStore},
    {.name = "offset.storage.file.filename",
     .doc = "File that the position is stored in, in Kafka Connect's format."},
    {.name = "offset.storage.topic",
     .doc = "Compacted topic that the position is stored in, in Kafka Connect's format; without "
            "any store it is "
            "walduct-offsets.",
     .fix = "use letters, digits, '.', '_' and '-'",
     .validator = config::CheckTopicName},
    {.name = "offsets.storage.topic",
     .doc = "The same for this connector only; wins over the worker's.",
     .fix = "use letters, digits, '.', '_' and '-'",
     .validator = config::CheckTopicName},
    {.name = "offset.storage.partitions",
     .type = kPositiveInt,
     .default_value = "25",
     .doc = "Partitions of that topic when it is created."},
    {.name = "offset.storage.replication.factor",
     .type = kInt,
     .default_value = "-1",
     .doc = "Replicas of that topic when it is created; -1 is the broker's default.",
     .fix = kCountFix,
     .validator = config::CheckTopicPartitions},
    {.name = "offset.flush.interval.ms",
     .type = kPositiveLong,
     .default_value = "10000",
     .doc = "Time between two stores of the position."},
    {.name = "offset.flush.timeout.ms",
     .type = kPositiveLong,
     .default_value = "5000",
     .doc = "Time limit of one store of the position."},
    {.name = "offset.storage.*",
     .support = kNotYetWarned,
     .doc = "Property of another offset store.",
     .note = "the position is stored in a file or in a topic"},
};

}  // namespace

absl::Span<const config::PropertyDefinition> KafkaDefinitions() { return kKafkaDefinitions; }
absl::Span<const config::PropertyDefinition> OffsetDefinitions() { return kOffsetDefinitions; }

}  // namespace walduct::loader
