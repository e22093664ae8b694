#include "encode/options/converter_properties.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "config/properties/class_names.h"
#include "config/properties/plugin_options.h"
#include "config/properties/validators.h"
#include "encode/options/avro_properties.h"
#include "encode/options/cloud_events_properties.h"
#include "encode/options/converter_classes.h"
#include "encode/options/converter_options.h"

namespace walduct::encode {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kJson = "org.apache.kafka.connect.json.JsonConverter";

constexpr absl::string_view kSimpleHeaderConverter =
    "org.apache.kafka.connect.storage.SimpleHeaderConverter";
// Options behind these are those of another converter, which has its place in the first.
constexpr absl::string_view kNested[] = {".converter.delegate.converter.type.", ".converter.json.",
                                         ".converter.avro."};

constexpr config::PropertyDefinition kRows[] = {
    {.name = "key.converter",
     .type = kClass,
     .default_value = kJson,
     .doc = "Class that turns a record's key into bytes: JsonConverter, StringConverter, "
            "ByteArrayConverter, Connect's converters of numbers, Debezium's BinaryDataConverter, "
            "Confluent's or Apicurio's AvroConverter, Confluent's ProtobufConverter or "
            "JsonSchemaConverter, Apicurio's ExtJsonConverter.",
     .validator = CheckConverter,
     .meaning = ConverterMeaning},
    {.name = "key.converter.schemas.enable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write the schema with every key (JsonConverter)."},
    {.name = "key.converter.decimal.format",
     .type = kEnum,
     .default_value = "base64",
     .doc = "Decimals of keys as base64 bytes or as JSON numbers (JsonConverter, "
            "JsonSchemaConverter).",
     .allowed = "base64, numeric"},
    {.name = "key.converter.replace.null.with.default",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write a column's default in place of null in keys (JsonConverter)."},
    {.name = "value.converter",
     .type = kClass,
     .default_value = kJson,
     .doc = "Class that turns a record's value into bytes: JsonConverter, StringConverter, "
            "ByteArrayConverter, Connect's converters of numbers, Debezium's BinaryDataConverter "
            "or CloudEventsConverter, Confluent's or Apicurio's AvroConverter, Confluent's "
            "ProtobufConverter or JsonSchemaConverter, Apicurio's ExtJsonConverter.",
     .validator = CheckConverter,
     .meaning = ConverterMeaning},
    {.name = "value.converter.schemas.enable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write the schema with every value (JsonConverter)."},
    {.name = "value.converter.decimal.format",
     .type = kEnum,
     .default_value = "base64",
     .doc = "Decimals of values as base64 bytes or as JSON numbers (JsonConverter, "
            "JsonSchemaConverter).",
     .allowed = "base64, numeric"},
    {.name = "value.converter.replace.null.with.default",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write a column's default in place of null in values (JsonConverter)."},
    {.name = "<part>.converter.delegate.converter.type",
     .type = kClass,
     .doc = "Class that converts what is not bytes (envelopes, heartbeats, keys) when "
            "BinaryDataConverter is used. Its options follow the name of this property.",
     .validator = CheckConverter,
     .meaning = ConverterMeaning},
    {.name = "<part>.converter.delegate.converter.type.schemas.enable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "schemas.enable of the delegate (JsonConverter)."},
    {.name = "<part>.converter.delegate.converter.type.decimal.format",
     .type = kEnum,
     .default_value = "base64",
     .doc = "decimal.format of the delegate (JsonConverter).",
     .allowed = "base64, numeric"},
    {.name = "<part>.converter.delegate.converter.type.replace.null.with.default",
     .type = kBoolean,
     .default_value = "true",
     .doc = "replace.null.with.default of the delegate (JsonConverter)."},
    {.name = "<part>.converter.schemas.cache.size",
     .type = kPositiveInt,
     .support = kNoEffect,
     .doc = "Schemas kept in memory by the converter.",
     .note = "schemas are computed once per table"},
    {.name = "<part>.converter.converter.encoding",
     .default_value = "UTF8",
     .support = kNotYetRefused,
     .doc = "Encoding of StringConverter.",
     .note = "text is written as UTF-8"},
    {.name = "header.converter",
     .type = kClass,
     .default_value = "org.apache.kafka.connect.storage.SimpleHeaderConverter",
     .doc = "Class that turns header values into bytes: SimpleHeaderConverter, JsonConverter, "
            "StringConverter, ByteArrayConverter or Debezium's BinaryDataConverter.",
     .validator = CheckHeaderConverter,
     .meaning = ConverterMeaning},
    {.name = "header.converter.schemas.enable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write the schema with every header (JsonConverter)."},
    {.name = "header.converter.decimal.format",
     .type = kEnum,
     .default_value = "base64",
     .doc = "Decimals of headers as base64 bytes or as JSON numbers (JsonConverter).",
     .allowed = "base64, numeric"},
    {.name = "header.converter.replace.null.with.default",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write a field's default in place of null in headers (JsonConverter)."},
};

bool IsSimpleHeaderConverter(absl::string_view class_name) {
  return config::NamesClass(class_name, kSimpleHeaderConverter, "HeaderConverter");
}

config::PluginOptions OptionsOf(const config::PropertySet& properties, const std::string& name,
                                absl::string_view role, config::Findings* findings) {
  return {properties, name, absl::StrCat(role, ".converter"), findings};
}

void BuildJson(const config::PluginOptions& properties, ConverterOptions* options) {
  options->schemas_enable = properties.Boolean("schemas.enable");
  options->decimal_numeric = properties.Text("decimal.format") == "numeric";
  options->replace_null_with_default = properties.Boolean("replace.null.with.default");
}

// An event, and what it is made of: JSON or Avro, with options of their own.
void BuildEvents(const config::PropertySet& properties, const std::string& name,
                 absl::string_view role, config::Findings* findings, ConverterOptions* options) {
  const config::PluginOptions of = OptionsOf(properties, name, role, findings);
  CloudEventsOptions events = BuildCloudEvents(of);
  const std::string header = ConverterName(properties, "header");
  const ConverterClass* const headers = FindConverterClass(properties.Text(header));
  events.header_schemas =
      headers != nullptr && headers->kind == ConverterKind::kJson &&
      OptionsOf(properties, header, "header", nullptr).Boolean("schemas.enable");
  options->cloud_events = std::make_shared<const CloudEventsOptions>(std::move(events));
  BuildJson(OptionsOf(properties, absl::StrCat(name, ".json"), role, findings), options);
  if (!HasAvroData(of)) return;
  options->kind = ConverterKind::kAvro;
  if (HasApicurioData(of)) options->registry = RegistryKind::kApicurio;
  BuildAvro(OptionsOf(properties, absl::StrCat(name, ".avro"), role, findings), role == "key",
            options);
  // It is called without headers.
  if (options->id_place == IdPlace::kHeader) options->id_place = IdPlace::kEightBytes;
}

// The converter that the property `name` says; `role` is the part it converts.
ConverterOptions ConverterOf(const config::PropertySet& properties, const std::string& name,
                             absl::string_view role, config::Findings* findings) {
  const ConverterClass* const converter = FindConverterClass(properties.Text(name));
  CHECK(converter != nullptr);
  ConverterOptions options;
  options.kind = converter->kind;
  options.registry = converter->registry;
  if (converter->cloud_events) {
    BuildEvents(properties, name, role, findings, &options);
    return options;
  }
  const config::PluginOptions of = OptionsOf(properties, name, role, findings);
  BuildJson(of, &options);
  options.number = converter->number;
  options.schema_id = converter->schema_id;
  if (options.schema_id) {
    options.schemas_enable = false;
    BuildAvro(of, role == "key", &options);
  }
  if (converter->json_schema) BuildJsonSchema(of, role == "key", &options);
  if (options.kind == ConverterKind::kAvro) BuildAvro(of, role == "key", &options);
  if (options.kind == ConverterKind::kProtobuf) BuildProtobuf(of, role == "key", &options);
  return options;
}

// Whether it can convert what it is configured for; the delegates, too.
void CheckRole(const config::PropertySet& properties, absl::string_view role,
               config::Findings* findings) {
  const std::string name = ConverterName(properties, role);
  const ConverterClass* const converter = FindConverterClass(properties.Text(name));
  if (converter == nullptr) return;  // its own check says so, or SimpleHeaderConverter
  if (role == "header" ? !converter->headers : role == "key" && !converter->keys) {
    findings->Error(name, absl::StrCat("is ", converter->name, ", which converts no ", role, "s"),
                    role == "key" ? "use JsonConverter or StringConverter for keys"
                                  : "use SimpleHeaderConverter");
  }
  if (converter->schema_id &&
      OptionsOf(properties, name, role, nullptr).Text("decimal.format") == "numeric") {
    findings->Error(absl::StrCat(name, ".decimal.format"),
                    "is numeric, which ExtJsonConverter rounds: it reads the numbers as double",
                    "set it to base64, or use decimal.handling.mode=string");
  }
  if (converter->cloud_events)
    CheckCloudEvents(OptionsOf(properties, name, role, nullptr), findings);
}

// The option of a converter that one behind `kNested` is; null: none.
const config::PropertyDefinition* NestedOption(const config::PropertySet& properties,
                                               absl::string_view name) {
  for (const absl::string_view nested : kNested) {
    const size_t at = name.find(nested);
    if (at == absl::string_view::npos) continue;
    return properties.table().Find(
        absl::StrCat("value.converter.", name.substr(at + nested.size())));
  }
  return nullptr;
}

}  // namespace

absl::Span<const config::PropertyDefinition> ConverterProperties() { return kRows; }

std::string CheckConverter(absl::string_view value) {
  if (FindConverterClass(value) != nullptr) return "";
  return absl::StrCat("is not a known converter; ", SupportedConverters());
}

std::string CheckHeaderConverter(absl::string_view value) {
  const ConverterClass* const converter = FindConverterClass(value);
  if (converter != nullptr && !converter->headers)
    return "converts no headers; use SimpleHeaderConverter";
  if (IsSimpleHeaderConverter(value) || converter != nullptr) return "";
  return absl::StrCat("is not a known header converter; ", SupportedConverters(), ", ",
                      kSimpleHeaderConverter);
}

std::optional<ConverterKind> FindConverter(absl::string_view class_name) {
  const ConverterClass* const converter = FindConverterClass(class_name);
  if (converter == nullptr) return std::nullopt;
  return converter->kind;
}

void CheckConverters(const config::PropertySet& properties, config::Findings* findings) {
  for (const absl::string_view role : {"key", "value", "header"})
    CheckRole(properties, role, findings);
  for (const config::Property& property : properties.all()) {
    // As the option of a converter.
    const config::PropertyDefinition* option = NestedOption(properties, property.name);
    if (option == nullptr || option->support == kNoEffect) continue;
    const std::string value = config::NormalizeValue(*option, property.value);
    if (const std::string problem = config::CheckValue(*option, property.value); !problem.empty()) {
      findings->Error(property, problem, "see the same option of value.converter");
    } else if (option->support == kNotYetRefused && !value.empty() &&
               value != option->default_value.value_or("")) {
      findings->Error(property, "is not supported yet", "remove it");
    }
  }
}

std::string FullConverterName(absl::string_view class_name) {
  if (IsSimpleHeaderConverter(class_name)) return std::string(kSimpleHeaderConverter);
  const ConverterClass* const converter = FindConverterClass(class_name);
  return std::string(converter == nullptr ? class_name : converter->name);
}

std::string ConverterName(const config::PropertySet& properties, absl::string_view role) {
  std::string name = absl::StrCat(role, ".converter");
  const std::string delegate = absl::StrCat(name, ".delegate.converter.type");
  const ConverterClass* const converter = FindConverterClass(properties.Text(name));
  const bool delegates = converter != nullptr && converter->delegates && properties.IsSet(delegate);
  return delegates ? delegate : name;
}

std::optional<ConverterRegistry> RegistryOf(const config::PropertySet& properties,
                                            absl::string_view role) {
  const std::string name = ConverterName(properties, role);
  const ConverterClass* const converter = FindConverterClass(properties.Text(name));
  if (converter == nullptr) return std::nullopt;
  if (converter->cloud_events) {
    const config::PluginOptions of = OptionsOf(properties, name, role, nullptr);
    if (!HasAvroData(of)) return std::nullopt;
    return ConverterRegistry{absl::StrCat(name, ".avro"), HasApicurioData(of)
                                                              ? RegistryKind::kApicurio
                                                              : RegistryKind::kConfluent};
  }
  if (converter->schema_id) return ConverterRegistry{name, converter->registry, "KCONNECT"};
  if (converter->json_schema) return ConverterRegistry{name, converter->registry, "JSON"};
  if (converter->kind == ConverterKind::kProtobuf)
    return ConverterRegistry{name, converter->registry, "PROTOBUF"};
  if (converter->kind != ConverterKind::kAvro) return std::nullopt;
  return ConverterRegistry{name, converter->registry};
}

ConverterOptions BuildConverter(const config::PropertySet& properties, absl::string_view role,
                                config::Findings* findings) {
  ConverterOptions options =
      ConverterOf(properties, ConverterName(properties, role), role, findings);
  const ConverterClass* const outer =
      FindConverterClass(properties.Text(absl::StrCat(role, ".converter")));
  options.raw_bytes = outer != nullptr && outer->delegates;
  return options;
}

std::optional<ConverterOptions> BuildHeaderConverter(const config::PropertySet& properties,
                                                     config::Findings* findings) {
  if (IsSimpleHeaderConverter(properties.Text("header.converter"))) return std::nullopt;
  return BuildConverter(properties, "header", findings);
}

}  // namespace walduct::encode
