#include "offset/offset_properties.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/validators.h"
#include "java/text/text_lists.h"
#include "kafka/client_properties.h"
#include "kafka/options.h"
#include "offset/jdbc_properties.h"
#include "redis/properties.h"

namespace walduct::offset {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kCountFix = "use a positive number, or -1 for the broker's default";

struct StoreClass {
  absl::string_view simple_name;
  OffsetStoreKind kind;
};
constexpr StoreClass kStores[] = {
    {"FileOffsetBackingStore", OffsetStoreKind::kFile},
    {"KafkaOffsetBackingStore", OffsetStoreKind::kKafkaTopic},
    {"MemoryOffsetBackingStore", OffsetStoreKind::kMemory},
    {"RedisOffsetBackingStore", OffsetStoreKind::kRedis},
    {"JdbcOffsetBackingStore", OffsetStoreKind::kJdbc},
};

// nullopt when the class is not a supported offset store.
std::optional<OffsetStoreKind> FindOffsetStore(absl::string_view class_name) {
  const absl::string_view simple = java::SimpleClassName(class_name);
  for (const StoreClass& store : kStores) {
    if (simple == store.simple_name) return store.kind;
  }
  return std::nullopt;
}

std::string CheckOffsetStore(absl::string_view value) {
  if (FindOffsetStore(value).has_value()) return "";
  return "is not a supported offset store; supported: FileOffsetBackingStore, "
         "KafkaOffsetBackingStore, "
         "MemoryOffsetBackingStore of org.apache.kafka.connect.storage, RedisOffsetBackingStore "
         "of io.debezium.storage.redis.offset, JdbcOffsetBackingStore of "
         "io.debezium.storage.jdbc.offset";
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "offset.storage",
     .type = kClass,
     .doc = "Class of the offset store, as for Debezium Server: FileOffsetBackingStore, "
            "KafkaOffsetBackingStore, RedisOffsetBackingStore, JdbcOffsetBackingStore or "
            "MemoryOffsetBackingStore; if not set, the next properties decide.",
     .validator = CheckOffsetStore},
    {.name = "offset.storage.file.filename",
     .doc = "File for the stored position, in Kafka Connect's format."},
    {.name = "offset.storage.topic",
     .doc = "Compacted topic for the stored position, in Kafka Connect's format; without "
            "any store it is "
            "walduct-offsets.",
     .fix = "use letters, digits, '.', '_' and '-'",
     .validator = config::CheckTopicName},
    {.name = "offsets.storage.topic",
     .doc = "The same for this connector only; overrides the worker's.",
     .fix = "use letters, digits, '.', '_' and '-'",
     .validator = config::CheckTopicName},
    {.name = "offset.storage.partitions",
     .type = kPositiveInt,
     .default_value = "25",
     .doc = "Partitions for creating that topic."},
    {.name = "offset.storage.replication.factor",
     .type = kInt,
     .default_value = "-1",
     .doc = "Replication factor for creating that topic; -1: the broker's default.",
     .fix = kCountFix,
     .validator = config::CheckTopicPartitions},
    {.name = "offset.flush.interval.ms",
     .type = kNonNegativeLong,
     .default_value = "10000",
     .doc =
         "Longest time between two stores of the position. What was delivered is stored within a "
         "quarter of a second where that is cheap; without deliveries the position waits for "
         "this interval. 0: whenever Kafka has acknowledged records, as Debezium Server does; "
         "without deliveries every 10 s."},
    {.name = "offset.flush.timeout.ms",
     .type = kPositiveLong,
     .default_value = "5000",
     .doc = "Time limit for storing the position once."},
    {.name = "offset.storage.redis.address",
     .doc = "Redis server of RedisOffsetBackingStore, host:port. What of these is not set is that "
            "of sink.redis.….",
     .fix = "use host:port, as in redis:6379",
     .validator = redis::CheckAddress},
    {.name = "offset.storage.redis.user", .doc = "Name of its ACL user."},
    {.name = "offset.storage.redis.password", .type = kPassword, .doc = "Password of that user."},
    {.name = "offset.storage.redis.db.index",
     .type = kNonNegativeInt,
     .doc = "Database of the hash."},
    {.name = "offset.storage.redis.connection.timeout.ms",
     .type = kPositiveInt,
     .doc = "Time limit for connecting and logging in."},
    {.name = "offset.storage.redis.socket.timeout.ms",
     .type = kPositiveInt,
     .support = kNoEffect,
     .doc = "Time limit for an answer.",
     .note = "offset.flush.timeout.ms bounds a store of the position"},
    {.name = "offset.storage.redis.ssl.enabled", .type = kBoolean, .doc = "Connect with TLS."},
    {.name = "offset.storage.redis.ssl.hostname.verification.enabled",
     .type = kBoolean,
     .doc = "The certificate has to name the host."},
    {.name = "offset.storage.redis.ssl.truststore.path",
     .doc = "Authorities to trust: PEM, PKCS12 or JKS."},
    {.name = "offset.storage.redis.ssl.truststore.password",
     .type = kPassword,
     .doc = "Password of that store."},
    {.name = "offset.storage.redis.ssl.truststore.type",
     .support = kNoEffect,
     .doc = "Format of that store.",
     .note = "it is told by its content"},
    {.name = "offset.storage.redis.ssl.keystore.path",
     .doc = "Our certificate and key: PEM, PKCS12 or JKS."},
    {.name = "offset.storage.redis.ssl.keystore.password",
     .type = kPassword,
     .doc = "Password of that store and of its key."},
    {.name = "offset.storage.redis.ssl.keystore.type",
     .support = kNoEffect,
     .doc = "Format of that store.",
     .note = "it is told by its content"},
    {.name = "offset.storage.redis.cluster.enabled",
     .type = kBoolean,
     .default_value = "false",
     .support = kNotYetRefused,
     .doc = "Redis Cluster.",
     .note = "walduct reads and writes one server"},
    {.name = "offset.storage.redis.key",
     .default_value = "metadata:debezium:offsets",
     .doc = "Hash for the stored position: a field for each connector."},
    {.name = "offset.storage.jdbc.connection.url",
     .doc = "PostgreSQL database of JdbcOffsetBackingStore: jdbc:postgresql://HOST:PORT/DATABASE, "
            "with the driver's parameters user, password, ssl, sslmode, sslrootcert, sslcert, "
            "sslkey, sslpassword, currentSchema, targetServerType and connectTimeout.",
     .aliases = "offset.storage.jdbc.url",
     .fix = "use jdbc:postgresql://HOST:PORT/DATABASE",
     .validator = CheckJdbcUrl,
     .secret = true},
    {.name = "offset.storage.jdbc.connection.user",
     .doc = "Role of that database; may write to the table, or create it.",
     .aliases = "offset.storage.jdbc.user"},
    {.name = "offset.storage.jdbc.connection.password",
     .type = kPassword,
     .doc = "Password of that role.",
     .aliases = "offset.storage.jdbc.password",
     .secret = true},
    {.name = "offset.storage.jdbc.connection.wait.retry.delay.ms",
     .type = kPositiveLong,
     .support = kNoEffect,
     .doc = "Pause before the next attempt.",
     .note = "a failed store of the position is tried again and told, without limit",
     .aliases = "offset.storage.jdbc.wait.retry.delay.ms"},
    {.name = "offset.storage.jdbc.connection.retry.max.attempts",
     .type = kPositiveInt,
     .support = kNoEffect,
     .doc = "How many attempts.",
     .note = "a failed store of the position is tried again and told, without limit",
     .aliases = "offset.storage.jdbc.retry.max.attempts"},
    {.name = "offset.storage.jdbc.table.name",
     .default_value = "debezium_offset_storage",
     .doc = "Table for the stored position: a row for each connector. It is made where there is "
            "none.",
     .aliases = "offset.storage.jdbc.offset.table.name",
     .fix = "write it as in SQL: NAME or SCHEMA.NAME",
     .validator = CheckJdbcTable},
    {.name = "offset.storage.jdbc.table.ddl",
     .doc = "Statement that makes it; %s is its name.",
     .aliases = "offset.storage.jdbc.offset.table.ddl"},
    {.name = "offset.storage.jdbc.table.select",
     .support = kNoEffect,
     .doc = "Statement that reads it.",
     .note = "id, offset_key, offset_val, record_insert_ts, record_insert_seq are read and written",
     .aliases = "offset.storage.jdbc.offset.table.select"},
    {.name = "offset.storage.jdbc.table.insert",
     .support = kNoEffect,
     .doc = "Statement that adds a row.",
     .note = "see offset.storage.jdbc.table.select",
     .aliases = "offset.storage.jdbc.offset.table.insert"},
    {.name = "offset.storage.jdbc.table.delete",
     .support = kNoEffect,
     .doc = "Statement that empties it.",
     .note = "the connector's own row alone is replaced",
     .aliases = "offset.storage.jdbc.offset.table.delete"},
    {.name = "offset.storage.*",
     .support = kNotYetWarned,
     .doc = "Property of another offset store.",
     .note = "the position is stored in a file, in a topic, in Redis or in PostgreSQL"},
};

OffsetStoreKind KindByName(absl::string_view name) {
  return name == "offset.storage.file.filename" ? OffsetStoreKind::kFile
                                                : OffsetStoreKind::kKafkaTopic;
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

}  // namespace

absl::Span<const config::PropertyDefinition> OffsetProperties() { return kRows; }

void CheckOffset(const config::PropertySet& properties, config::Findings* findings) {
  const std::optional<OffsetStoreKind> store = FindOffsetStore(properties.Text("offset.storage"));
  if (store == OffsetStoreKind::kFile && !properties.IsSet("offset.storage.file.filename")) {
    findings->Error("offset.storage.file.filename",
                    "A value is required for FileOffsetBackingStore",
                    "add the path of the offset file");
  }
  if (store == OffsetStoreKind::kKafkaTopic && !properties.IsSet("offset.storage.topic") &&
      !properties.IsSet("offsets.storage.topic")) {
    findings->Error("offset.storage.topic", "A value is required for KafkaOffsetBackingStore",
                    "add the topic's name");
  }
  if (store == OffsetStoreKind::kRedis && !properties.IsSet("offset.storage.redis.address") &&
      !properties.IsSet("sink.redis.address")) {
    findings->Error("offset.storage.redis.address",
                    "A value is required for RedisOffsetBackingStore",
                    "add the server's host:port");
  }
  if (store == OffsetStoreKind::kJdbc) CheckJdbc(properties, findings);
}

bool NamesStore(const config::PropertySet& properties) {
  return FindOffsetStore(properties.Text("offset.storage")).has_value() ||
         NamedStore(properties) != nullptr;
}

OffsetOptions BuildOffset(const config::PropertySet& properties) {
  OffsetOptions offset;
  offset.file_path = properties.Text("offset.storage.file.filename");
  for (const absl::string_view name : {"offset.storage.topic", "offsets.storage.topic"}) {
    if (properties.IsSet(name)) offset.topic = properties.Text(name);
  }
  const config::Property* named = NamedStore(properties);
  if (const auto by_class = FindOffsetStore(properties.Text("offset.storage"))) {
    offset.kind = *by_class;
  } else if (named != nullptr) {
    offset.kind = KindByName(named->name);
  }
  offset.topic_partitions = static_cast<int>(properties.Integer("offset.storage.partitions"));
  offset.topic_replication_factor =
      static_cast<int>(properties.Integer("offset.storage.replication.factor"));
  // A topic of the connector's own is reached with its overrides, the worker's without.
  if (!properties.IsSet("offsets.storage.topic"))
    offset.clients = std::make_shared<kafka::KafkaOptions>(kafka::BuildWorkerKafka(properties));
  if (offset.kind == OffsetStoreKind::kRedis)
    offset.redis = std::make_shared<redis::RedisOptions>(
        redis::BuildRedis(properties, "offset.storage.redis.", "sink.redis."));
  if (offset.kind == OffsetStoreKind::kJdbc) offset.jdbc = BuildJdbc(properties);
  offset.redis_key = properties.Text("offset.storage.redis.key");
  offset.flush_interval = properties.Milliseconds("offset.flush.interval.ms");
  offset.flush_timeout = properties.Milliseconds("offset.flush.timeout.ms");
  return offset;
}

}  // namespace walduct::offset
