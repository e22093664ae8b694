// Properties of the Kafka clients, of topic creation and of the stored position.
#include "config/properties/definition.h"
#include "config/properties/validators.h"

namespace walduct::config {
namespace {

using enum PropertyType;
using enum Support;
constexpr PropertyGroup kGroup = PropertyGroup::kKafka;
constexpr PropertyGroup kOffsets = PropertyGroup::kOffsets;
constexpr absl::string_view kCountFix = "use a positive number, or -1 for the broker's default";

constexpr PropertyDefinition kKafkaDefinitions[] = {
    {.name = "bootstrap.servers",
     .group = kGroup,
     .default_value = "localhost:9092",
     .doc = "Kafka brokers as host:port,…; the one client property that needs no prefix."},
    {.name = "producer.buffer.memory",
     .group = kGroup,
     .type = kPositiveLong,
     .default_value = "16777216",
     .doc = "Bytes of records in flight at most, with what each costs in memory; reading from "
            "PostgreSQL pauses there."},
    {.name = "producer.override.buffer.memory",
     .group = kGroup,
     .type = kPositiveLong,
     .doc = "The same for this connector; wins over the worker's."},
    {.name = "producer.override.*",
     .group = kGroup,
     .doc = "Java producer property of this connector; wins over producer.*."},
    {.name = "producer.*",
     .group = kGroup,
     .doc = "Java producer property, usually of the worker file."},
    {.name = "consumer.override.*",
     .group = kGroup,
     .doc = "Java consumer property of this connector; wins over consumer.*."},
    {.name = "consumer.*",
     .group = kGroup,
     .doc = "Java consumer property, for reading the stored position."},
    {.name = "admin.override.*",
     .group = kGroup,
     .doc = "Java admin client property of this connector; wins over admin.*."},
    {.name = "admin.*", .group = kGroup, .doc = "Java admin client property, for creating topics."},
    {.name = "security.protocol",
     .group = kGroup,
     .doc = "Security of the worker's own clients; used for every client that sets none."},
    {.name = "sasl.*",
     .group = kGroup,
     .doc = "SASL property of the worker's own clients; used for every client that sets none."},
    {.name = "ssl.*",
     .group = kGroup,
     .doc = "TLS property of the worker's own clients; used for every client that sets none."},
    {.name = "client.<part>",
     .group = kGroup,
     .support = kNoEffect,
     .doc = "Worker: identity and address look-up of its own clients.",
     .note = "set producer.client.id and the like"},
    {.name = "topic.creation.enable",
     .group = kGroup,
     .type = kBoolean,
     .default_value = "true",
     .doc = "Worker: create topics when topic.creation.default.* says how."},
    {.name = "topic.creation.groups",
     .group = kGroup,
     .type = kList,
     .doc = "Names of groups of topics, in order of precedence."},
    {.name = "topic.creation.<group>.include",
     .group = kGroup,
     .type = kRegexList,
     .doc = "Topics of the group, as regular expressions."},
    {.name = "topic.creation.<group>.exclude",
     .group = kGroup,
     .type = kRegexList,
     .doc = "Topics not of the group, as regular expressions."},
    {.name = "topic.creation.<group>.partitions",
     .group = kGroup,
     .type = kInt,
     .doc = "Partitions of the group's topics; -1 is the broker's default. Required for the group "
            "default.",
     .fix = kCountFix,
     .validator = CheckTopicPartitions},
    {.name = "topic.creation.<group>.replication.factor",
     .group = kGroup,
     .type = kInt,
     .doc = "Replicas of the group's topics; -1 is the broker's default. Required for the group "
            "default.",
     .fix = kCountFix,
     .validator = CheckTopicPartitions},
    {.name = "topic.creation.<group>.*",
     .group = kGroup,
     .doc = "Any topic property, e.g. cleanup.policy."},
};

constexpr PropertyDefinition kOffsetDefinitions[] = {
    {.name = "offset.storage",
     .group = kOffsets,
     .type = kClass,
     .doc = "Class of the store, as for Debezium Server: FileOffsetBackingStore, "
            "KafkaOffsetBackingStore or "
            "MemoryOffsetBackingStore; without it the next properties decide.",
     .validator = CheckOffsetStore},
    {.name = "offset.storage.file.filename",
     .group = kOffsets,
     .doc = "File that the position is stored in, in Kafka Connect's format."},
    {.name = "offset.storage.topic",
     .group = kOffsets,
     .doc = "Compacted topic that the position is stored in, in Kafka Connect's format; without "
            "any store it is "
            "walduct-offsets.",
     .fix = "use letters, digits, '.', '_' and '-'",
     .validator = CheckTopicName},
    {.name = "offsets.storage.topic",
     .group = kOffsets,
     .doc = "The same for this connector only; wins over the worker's.",
     .fix = "use letters, digits, '.', '_' and '-'",
     .validator = CheckTopicName},
    {.name = "offset.storage.partitions",
     .group = kOffsets,
     .type = kPositiveInt,
     .default_value = "25",
     .doc = "Partitions of that topic when it is created."},
    {.name = "offset.storage.replication.factor",
     .group = kOffsets,
     .type = kInt,
     .default_value = "-1",
     .doc = "Replicas of that topic when it is created; -1 is the broker's default.",
     .fix = kCountFix,
     .validator = CheckTopicPartitions},
    {.name = "offset.flush.interval.ms",
     .group = kOffsets,
     .type = kPositiveLong,
     .default_value = "10000",
     .doc = "Time between two stores of the position."},
    {.name = "offset.flush.timeout.ms",
     .group = kOffsets,
     .type = kPositiveLong,
     .default_value = "5000",
     .doc = "Time limit of one store of the position."},
    {.name = "offset.storage.*",
     .group = kOffsets,
     .support = kNotYetWarned,
     .doc = "Property of another offset store.",
     .note = "the position is stored in a file or in a topic"},
};

}  // namespace

absl::Span<const PropertyDefinition> KafkaDefinitions() { return kKafkaDefinitions; }
absl::Span<const PropertyDefinition> OffsetDefinitions() { return kOffsetDefinitions; }

}  // namespace walduct::config
