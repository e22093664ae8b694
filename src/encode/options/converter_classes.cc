#include "encode/options/converter_classes.h"

#include "absl/strings/str_cat.h"
#include "config/properties/class_names.h"

namespace walduct::encode {
namespace {

constexpr absl::string_view kBinaryData = "bytes as they are, the rest by its delegate";

constexpr ConverterClass kConverters[] = {
    {.name = "org.apache.kafka.connect.json.JsonConverter",
     .writes = "JSON, with its schema unless schemas.enable=false",
     .kind = ConverterKind::kJson},
    {.name = "org.apache.kafka.connect.storage.StringConverter",
     .writes = "text",
     .kind = ConverterKind::kString},
    {.name = "org.apache.kafka.connect.converters.ByteArrayConverter",
     .writes = "bytes as they are",
     .kind = ConverterKind::kByteArray},
    {.name = "io.debezium.converters.BinaryDataConverter",
     .writes = kBinaryData,
     .kind = ConverterKind::kByteArray,
     .delegates = true},
    // Its names in Debezium 1.
    {.name = "io.debezium.converters.ByteBufferConverter",
     .writes = kBinaryData,
     .kind = ConverterKind::kByteArray,
     .delegates = true},
    {.name = "io.debezium.converters.ByteArrayConverter",
     .writes = kBinaryData,
     .kind = ConverterKind::kByteArray,
     .delegates = true},
    {.name = "org.apache.kafka.connect.converters.IntegerConverter",
     .writes = "an integer of 4 bytes",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kInt32},
    {.name = "org.apache.kafka.connect.converters.LongConverter",
     .writes = "an integer of 8 bytes",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kInt64},
    {.name = "org.apache.kafka.connect.converters.FloatConverter",
     .writes = "a floating-point number of 4 bytes",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kFloat},
    {.name = "org.apache.kafka.connect.converters.DoubleConverter",
     .writes = "a floating-point number of 8 bytes",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kDouble},
    {.name = "org.apache.kafka.connect.converters.ShortConverter",
     .writes = "an integer of 2 bytes",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kInt16},
    {.name = "org.apache.kafka.connect.converters.BooleanConverter",
     .writes = "a byte, 0 or 1",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kBoolean},
    {.name = "io.confluent.connect.avro.AvroConverter",
     .writes = "Avro, its schemas in a registry by Confluent's interface",
     .kind = ConverterKind::kAvro,
     .headers = false},
    {.name = "io.apicurio.registry.utils.converter.AvroConverter",
     .writes = "Avro, its schemas in Apicurio Registry",
     .kind = ConverterKind::kAvro,
     .registry = RegistryKind::kApicurio,
     .headers = false},
    {.name = "io.confluent.connect.protobuf.ProtobufConverter",
     .writes = "Protobuf, its schemas in a registry by Confluent's interface",
     .kind = ConverterKind::kProtobuf,
     .headers = false},
    {.name = "io.confluent.connect.json.JsonSchemaConverter",
     .writes = "JSON, its schemas in a registry by Confluent's interface",
     .kind = ConverterKind::kJson,
     .json_schema = true,
     .headers = false},
    {.name = "io.apicurio.registry.utils.converter.ExtJsonConverter",
     .writes = "JSON, its schemas in Apicurio Registry",
     .kind = ConverterKind::kJson,
     .registry = RegistryKind::kApicurio,
     .schema_id = true,
     .headers = false},
    {.name = "io.debezium.converters.CloudEventsConverter",
     .writes = "CloudEvents, in JSON or Avro (serializer.type, data.serializer.type)",
     .kind = ConverterKind::kJson,
     .cloud_events = true,
     .headers = false,
     .keys = false},
};

}  // namespace

const ConverterClass* FindConverterClass(absl::string_view written) {
  for (const ConverterClass& converter : kConverters) {
    if (config::NamesClass(written, converter.name, "Converter")) return &converter;
  }
  return nullptr;
}

std::string ConverterMeaning(absl::string_view written) {
  const ConverterClass* converter = FindConverterClass(written);
  return converter == nullptr ? "" : std::string(converter->writes);
}

std::string SupportedConverters() {
  std::string text;
  for (const ConverterClass& converter : kConverters)
    absl::StrAppend(&text, text.empty() ? "supported: " : ", ", converter.name);
  return text;
}

}  // namespace walduct::encode
