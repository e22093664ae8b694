#include "encode/options/converter_classes.h"

#include "absl/strings/str_cat.h"
#include "config/properties/class_names.h"

namespace walduct::encode {
namespace {

constexpr ConverterClass kConverters[] = {
    {.name = "org.apache.kafka.connect.json.JsonConverter", .kind = ConverterKind::kJson},
    {.name = "org.apache.kafka.connect.storage.StringConverter", .kind = ConverterKind::kString},
    {.name = "org.apache.kafka.connect.converters.ByteArrayConverter",
     .kind = ConverterKind::kByteArray},
    {.name = "io.debezium.converters.BinaryDataConverter",
     .kind = ConverterKind::kByteArray,
     .delegates = true},
    // Its names in Debezium 1.
    {.name = "io.debezium.converters.ByteBufferConverter",
     .kind = ConverterKind::kByteArray,
     .delegates = true},
    {.name = "io.debezium.converters.ByteArrayConverter",
     .kind = ConverterKind::kByteArray,
     .delegates = true},
    {.name = "org.apache.kafka.connect.converters.IntegerConverter",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kInt32},
    {.name = "org.apache.kafka.connect.converters.LongConverter",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kInt64},
    {.name = "org.apache.kafka.connect.converters.FloatConverter",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kFloat},
    {.name = "org.apache.kafka.connect.converters.DoubleConverter",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kDouble},
    {.name = "org.apache.kafka.connect.converters.ShortConverter",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kInt16},
    {.name = "org.apache.kafka.connect.converters.BooleanConverter",
     .kind = ConverterKind::kNumber,
     .number = event::ConnectType::kBoolean},
    {.name = "io.confluent.connect.avro.AvroConverter",
     .kind = ConverterKind::kAvro,
     .headers = false},
    {.name = "io.apicurio.registry.utils.converter.AvroConverter",
     .kind = ConverterKind::kAvro,
     .registry = RegistryKind::kApicurio,
     .headers = false},
    {.name = "io.confluent.connect.protobuf.ProtobufConverter",
     .kind = ConverterKind::kProtobuf,
     .headers = false},
    {.name = "io.confluent.connect.json.JsonSchemaConverter",
     .kind = ConverterKind::kJson,
     .json_schema = true,
     .headers = false},
    {.name = "io.apicurio.registry.utils.converter.ExtJsonConverter",
     .kind = ConverterKind::kJson,
     .registry = RegistryKind::kApicurio,
     .schema_id = true,
     .headers = false},
    {.name = "io.debezium.converters.CloudEventsConverter",
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

std::string SupportedConverters() {
  std::string text;
  for (const ConverterClass& converter : kConverters)
    absl::StrAppend(&text, text.empty() ? "supported: " : ", ", converter.name);
  return text;
}

}  // namespace walduct::encode
