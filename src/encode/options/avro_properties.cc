#include "encode/options/avro_properties.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "encode/options/converter_options.h"

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

constexpr absl::string_view kTopicId = "io.apicurio.registry.serde.strategy.TopicIdStrategy";
constexpr absl::string_view kSimpleTopicId =
    "io.apicurio.registry.serde.strategy.SimpleTopicIdStrategy";
constexpr absl::string_view kDefaultIdHandler = "io.apicurio.registry.serde.DefaultIdHandler";
constexpr absl::string_view kFourByteIdHandler = "io.apicurio.registry.serde.Legacy4ByteIdHandler";

std::string CheckResolverStrategy(absl::string_view value) {
  if (value == kTopicId || value == kSimpleTopicId ||
      value == "io.apicurio.registry.serde.avro.strategy.TopicIdStrategy")
    return "";
  return "is not a supported strategy; supported: "
         "io.apicurio.registry.serde.strategy.TopicIdStrategy and SimpleTopicIdStrategy";
}

std::string CheckIdHandler(absl::string_view value) {
  if (value == kDefaultIdHandler || value == kFourByteIdHandler) return "";
  return "is not a supported handler of ids; supported: "
         "io.apicurio.registry.serde.DefaultIdHandler and Legacy4ByteIdHandler";
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "<part>.converter.key.subject.name.strategy",
     .type = kClass,
     .default_value = kTopicName,
     .doc = "Class that names the subject of a key's schema (Confluent's converters).",
     .validator = CheckStrategy},
    {.name = "<part>.converter.value.subject.name.strategy",
     .type = kClass,
     .default_value = kTopicName,
     .doc = "Class that names the subject of a value's schema (Confluent's converters).",
     .validator = CheckStrategy},
    {.name = "<part>.converter.connect.meta.data",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write what Avro has no words for as connect.* attributes of its schemas."},
    {.name = "<part>.converter.scrub.invalid.names",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Replace what Avro or Protobuf does not allow in names of schemas and fields."},
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
    {.name = "<part>.converter.apicurio.registry.artifact-resolver-strategy",
     .type = kClass,
     .default_value = kTopicId,
     .doc = "Class that names the artifact of a schema (Apicurio's converters).",
     .validator = CheckResolverStrategy},
    {.name = "<part>.converter.apicurio.registry.headers.enabled",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write ids of schemas in headers of the record instead of before the value."},
    {.name = "<part>.converter.apicurio.registry.use-id",
     .type = kEnum,
     .default_value = "globalid",
     .doc = "Which of its ids stands for a schema: that of the version, or that of the content.",
     .allowed = "globalid, contentid"},
    {.name = "<part>.converter.apicurio.registry.as-confluent",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Write ids before the value in 4 bytes instead of 8."},
    {.name = "<part>.converter.apicurio.registry.id-handler",
     .type = kClass,
     .doc = "Class that writes ids before the value: DefaultIdHandler (8 bytes) or "
            "Legacy4ByteIdHandler.",
     .validator = CheckIdHandler},
    {.name = "<part>.converter.apicurio.registry.avro.encoding",
     .type = kEnum,
     .default_value = "binary",
     .doc = "Encoding of Avro values.",
     .allowed = "binary, json",
     .refused = "json"},
    {.name = "<part>.converter.optional.for.nullables",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Label fields that may be NULL as optional, so that NULL is not zero "
            "(ProtobufConverter)."},
    {.name = "<part>.converter.wrapper.for.nullables",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Write fields that may be NULL as messages like google.protobuf.Int32Value "
            "(ProtobufConverter)."},
    {.name = "<part>.converter.skip.known.types",
     .type = kBoolean,
     .default_value = "true",
     .support = kNotYetRefused,
     .doc = "Leave out references to files that every registry knows (ProtobufConverter).",
     .note = "schemas have no references"},
    {.name = "<part>.converter.enhanced.protobuf.schema.support",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Packages in the names of Connect's schemas (ProtobufConverter).",
     .note = "for readers"},
    {.name = "<part>.converter.wrapper.for.raw.primitives",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Read wrappers at the top as plain values (ProtobufConverter).",
     .note = "for readers; plain values are written as wrappers"},
    {.name = "<part>.converter.optional.for.proto2",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Optional fields of proto2 (ProtobufConverter).",
     .note = "for readers"},
    {.name = "<part>.converter.generate.index.for.unions",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Names of unions with a number (ProtobufConverter).",
     .note = "for readers; Debezium's schemas have no unions"},
    {.name = "<part>.converter.generate.struct.for.nulls",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Default values in the place of NULL (ProtobufConverter).",
     .note = "for readers"},
    {.name = "<part>.converter.generalized.sum.type.support",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Enums and unions that other formats know, too.",
     .note = "Debezium's schemas never say that they are some"},
    {.name = "<part>.converter.flatten.unions",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Unions as fields (ProtobufConverter).",
     .note = "for readers; Debezium's schemas have no unions"},
    {.name = "<part>.converter.int.for.enums",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Enums as numbers (ProtobufConverter).",
     .note = "for readers; Debezium's enums are text"},
    {.name = "<part>.converter.object.additional.properties",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Schemas of structures allow fields that they do not name (JsonSchemaConverter)."},
    {.name = "<part>.converter.use.optional.for.nonrequired",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Fields that are not required are optional (JsonSchemaConverter).",
     .note = "for readers"},
    {.name = "<part>.converter.json.indent.output",
     .type = kBoolean,
     .default_value = "false",
     .support = kNotYetRefused,
     .doc = "Write JSON over several lines (JsonSchemaConverter).",
     .note = "JSON is written without blanks"},
    {.name = "<part>.converter.json.fail.invalid.schema",
     .type = kBoolean,
     .support = kNoEffect,
     .doc = "Refuse values that do not match their schema (JsonSchemaConverter).",
     .note = "values match, but for decimals in base64"},
    {.name = "<part>.converter.schemas.cache.config",
     .type = kPositiveInt,
     .support = kNoEffect,
     .doc = "Schemas kept in memory by Confluent's converters.",
     .note = "schemas are computed once per table"},
};

SubjectStrategy StrategyOf(const std::string& name) {
  if (name == kRecordName) return SubjectStrategy::kRecord;
  return name == kTopicRecordName ? SubjectStrategy::kTopicRecord : SubjectStrategy::kTopic;
}

void BuildApicurio(const config::PluginOptions& properties, ConverterOptions* options) {
  const auto text = [&](absl::string_view option) {
    return properties.Text(absl::StrCat("apicurio.registry.", option));
  };
  options->subject = text("artifact-resolver-strategy") == kSimpleTopicId
                         ? SubjectStrategy::kTopicAlone
                         : SubjectStrategy::kTopic;
  const bool four = text("as-confluent") == "true" || text("id-handler") == kFourByteIdHandler;
  options->id_place = text("headers.enabled") == "true" ? IdPlace::kHeader
                      : four                            ? IdPlace::kFourBytes
                                                        : IdPlace::kEightBytes;
  options->content_id = text("use-id") == "contentid";
  options->avro.connect_meta_data = properties.Boolean("connect.meta.data");
}

}  // namespace

absl::Span<const config::PropertyDefinition> AvroProperties() { return kRows; }

void BuildProtobuf(const config::PluginOptions& properties, bool is_key,
                   ConverterOptions* options) {
  options->subject = StrategyOf(
      properties.Text(is_key ? "key.subject.name.strategy" : "value.subject.name.strategy"));
  options->protobuf.optional_for_nullables = properties.Boolean("optional.for.nullables");
  options->protobuf.wrapper_for_nullables = properties.Boolean("wrapper.for.nullables");
  options->protobuf.scrub_invalid_names = properties.Boolean("scrub.invalid.names");
}

void BuildJsonSchema(const config::PluginOptions& properties, bool is_key,
                     ConverterOptions* options) {
  options->subject = StrategyOf(
      properties.Text(is_key ? "key.subject.name.strategy" : "value.subject.name.strategy"));
  options->json_schema = true;
  options->additional_properties = properties.Boolean("object.additional.properties");
  // What JsonConverter has options for.
  options->schemas_enable = false;
  options->replace_null_with_default = true;
}

void BuildAvro(const config::PluginOptions& properties, bool is_key, ConverterOptions* options) {
  if (options->registry == RegistryKind::kApicurio) return BuildApicurio(properties, options);
  options->subject = StrategyOf(
      properties.Text(is_key ? "key.subject.name.strategy" : "value.subject.name.strategy"));
  options->avro.connect_meta_data = properties.Boolean("connect.meta.data");
  options->avro.scrub_invalid_names = properties.Boolean("scrub.invalid.names");
  options->avro.optional_map_keys = properties.Boolean("allow.optional.map.keys");
}

}  // namespace walduct::encode
