#include "loader/classes.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "java/text/text_lists.h"
#include "loader/validators.h"

namespace walduct::loader {
namespace {

constexpr absl::string_view kSimpleHeaderConverter =
    "org.apache.kafka.connect.storage.SimpleHeaderConverter";
constexpr absl::string_view kBinaryDataConverter = "io.debezium.converters.BinaryDataConverter";

struct ConverterClass {
  absl::string_view name;
  encode::ConverterKind kind;
};
constexpr ConverterClass kConverters[] = {
    {"org.apache.kafka.connect.json.JsonConverter", encode::ConverterKind::kJson},
    {"org.apache.kafka.connect.storage.StringConverter", encode::ConverterKind::kString},
    {"org.apache.kafka.connect.converters.ByteArrayConverter", encode::ConverterKind::kByteArray},
    {kBinaryDataConverter, encode::ConverterKind::kByteArray},
};
constexpr absl::string_view kSupportedConverters =
    "supported: org.apache.kafka.connect.json.JsonConverter, "
    "org.apache.kafka.connect.storage.StringConverter, "
    "org.apache.kafka.connect.converters.ByteArrayConverter, "
    "io.debezium.converters.BinaryDataConverter";
// Seen in the wild; named so that the message can say "not yet" instead of "unknown".
constexpr absl::string_view kLaterConverters[] = {
    "io.confluent.connect.avro.AvroConverter",
    "io.confluent.connect.protobuf.ProtobufConverter",
    "io.confluent.connect.json.JsonSchemaConverter",
    "io.apicurio.registry.utils.converter.AvroConverter",
    "io.apicurio.registry.utils.converter.ExtJsonConverter",
    "io.debezium.converters.CloudEventsConverter",
    "io.debezium.converters.ByteArrayConverter",
};

struct StoreClass {
  absl::string_view simple_name;
  offset::OffsetStoreKind kind;
};
constexpr StoreClass kStores[] = {
    {"FileOffsetBackingStore", offset::OffsetStoreKind::kFile},
    {"KafkaOffsetBackingStore", offset::OffsetStoreKind::kKafkaTopic},
    {"MemoryOffsetBackingStore", offset::OffsetStoreKind::kMemory},
};

// written is the full name, the simple name, or the simple name without suffix.
bool NamesClass(absl::string_view written, absl::string_view full_name, absl::string_view suffix) {
  if (written == full_name) return true;
  absl::string_view simple = java::SimpleClassName(full_name);
  if (written == simple) return true;
  return absl::ConsumeSuffix(&simple, suffix) && written == simple;
}

template <size_t kSize>
bool IsOneOf(absl::string_view written, const absl::string_view (&names)[kSize],
             absl::string_view suffix) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](absl::string_view name) { return NamesClass(written, name, suffix); });
}

}  // namespace

std::optional<encode::ConverterKind> FindConverter(absl::string_view class_name) {
  for (const ConverterClass& converter : kConverters) {
    if (NamesClass(class_name, converter.name, "Converter")) return converter.kind;
  }
  return std::nullopt;
}

bool IsBinaryDataConverter(absl::string_view class_name) {
  return NamesClass(class_name, kBinaryDataConverter, "Converter");
}

bool IsSimpleHeaderConverter(absl::string_view class_name) {
  return NamesClass(class_name, kSimpleHeaderConverter, "HeaderConverter");
}

std::string FullConverterName(absl::string_view class_name) {
  if (IsSimpleHeaderConverter(class_name)) return std::string(kSimpleHeaderConverter);
  for (const ConverterClass& converter : kConverters) {
    if (NamesClass(class_name, converter.name, "Converter")) return std::string(converter.name);
  }
  return std::string(class_name);
}

std::optional<offset::OffsetStoreKind> FindOffsetStore(absl::string_view class_name) {
  const absl::string_view simple = java::SimpleClassName(class_name);
  for (const StoreClass& store : kStores) {
    if (simple == store.simple_name) return store.kind;
  }
  return std::nullopt;
}

std::string CheckConverter(absl::string_view value) {
  if (FindConverter(value).has_value()) return "";
  if (IsOneOf(value, kLaterConverters, "Converter")) {
    return absl::StrCat("is a converter that is not supported yet; ", kSupportedConverters);
  }
  return absl::StrCat("is not a converter that walduct knows; ", kSupportedConverters);
}

std::string CheckHeaderConverter(absl::string_view value) {
  if (IsSimpleHeaderConverter(value) || FindConverter(value).has_value()) return "";
  return absl::StrCat("is not a header converter that walduct knows; ", kSupportedConverters, ", ",
                      kSimpleHeaderConverter);
}

std::string CheckOffsetStore(absl::string_view value) {
  if (FindOffsetStore(value).has_value()) return "";
  return "is not a supported offset store; supported: FileOffsetBackingStore, "
         "KafkaOffsetBackingStore, "
         "MemoryOffsetBackingStore of org.apache.kafka.connect.storage";
}

std::string CheckConnectorClass(absl::string_view value) {
  if (NamesClass(value, "io.debezium.connector.postgresql.PostgresConnector", "Connector"))
    return "";
  return "is not the PostgreSQL connector";
}

}  // namespace walduct::loader
