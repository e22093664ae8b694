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
         "MemoryOffsetBackingStore of org.apache.kafka.connect.storage";
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "offset.storage",
     .type = kClass,
     .doc = "Class of the offset store, as for Debezium Server: FileOffsetBackingStore, "
            "KafkaOffsetBackingStore or MemoryOffsetBackingStore; if not set, the next properties "
            "decide.",
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
    {.name = "offset.storage.*",
     .support = kNotYetWarned,
     .doc = "Property of another offset store.",
     .note = "the position is stored in a file or in a topic"},
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
  offset.flush_interval = properties.Milliseconds("offset.flush.interval.ms");
  offset.flush_timeout = properties.Milliseconds("offset.flush.timeout.ms");
  return offset;
}

}  // namespace walduct::offset
