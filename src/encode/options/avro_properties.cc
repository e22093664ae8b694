#include "encode/options/avro_properties.h"

#include <string>

namespace walduct::encode {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kRecordName =
    "io.confluent.kafka.serializers.subject.RecordNameStrategy";
constexpr absl::string_view kTopicRecordName =
    "io.confluent.kafka.serializers.subject.TopicRecordNameStrategy";
constexpr absl::string_view kTopicName = "io.confluent.kafka.serializers.subject.TopicNameStrategy";
constexpr absl::string_view kTopicNameAtFirst =
    "io.confluent.kafka.serializers.subject.strategy.TopicNameStrategy";

std::string CheckStrategy(absl::string_view value) {
  if (value == kTopicName || value == kTopicNameAtFirst || value == kRecordName ||
      value == kTopicRecordName)
    return "";
  return "is not a supported strategy; supported: "
         "io.confluent.kafka.serializers.subject.TopicNameStrategy, RecordNameStrategy and "
         "TopicRecordNameStrategy of the same package";
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "<part>.converter.key.subject.name.strategy",
     .type = kClass,
     .default_value = kTopicName,
     .doc = "Class that names the subject of a key's schema (AvroConverter).",
     .validator = CheckStrategy},
    {.name = "<part>.converter.value.subject.name.strategy",
     .type = kClass,
     .default_value = kTopicName,
     .doc = "Class that names the subject of a value's schema (AvroConverter).",
     .validator = CheckStrategy},
    {.name = "<part>.converter.connect.meta.data",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write what Avro has no words for as connect.* attributes of its schemas."},
    {.name = "<part>.converter.scrub.invalid.names",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Replace what Avro does not allow in names of schemas and fields."},
    {.name = "<part>.converter.allow.optional.map.keys",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Write maps of optional text keys as Avro's maps, too."},
    {.name = "<part>.converter.enhanced.avro.schema.support",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Avro enums for Connect schemas that say they are some.",
     .note = "Debezium's schemas never say so"},
    {.name = "<part>.converter.discard.type.doc.default",
     .type = kBoolean,
     .default_value = "false",
     .support = kNotYetRefused,
     .doc = "Take the documentation of fields from the fields instead of their types.",
     .note = "documentation is that of the types"},
    {.name = "<part>.converter.schemas.cache.config",
     .type = kPositiveInt,
     .support = kNoEffect,
     .doc = "Schemas kept in memory by AvroConverter.",
     .note = "schemas are computed once per table"},
};

SubjectStrategy StrategyOf(const std::string& name) {
  if (name == kRecordName) return SubjectStrategy::kRecord;
  return name == kTopicRecordName ? SubjectStrategy::kTopicRecord : SubjectStrategy::kTopic;
}

}  // namespace

absl::Span<const config::PropertyDefinition> AvroProperties() { return kRows; }

void BuildAvro(const config::PluginOptions& properties, bool is_key, ConverterOptions* options) {
  options->subject = StrategyOf(
      properties.Text(is_key ? "key.subject.name.strategy" : "value.subject.name.strategy"));
  options->avro.connect_meta_data = properties.Boolean("connect.meta.data");
  options->avro.scrub_invalid_names = properties.Boolean("scrub.invalid.names");
  options->avro.optional_map_keys = properties.Boolean("allow.optional.map.keys");
}

}  // namespace walduct::encode
