#include "encode/options/converter_properties.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "config/properties/class_names.h"
#include "config/properties/plugin_options.h"
#include "config/properties/validators.h"
#include "encode/options/avro_properties.h"

namespace walduct::encode {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kJson = "org.apache.kafka.connect.json.JsonConverter";

constexpr absl::string_view kSimpleHeaderConverter =
    "org.apache.kafka.connect.storage.SimpleHeaderConverter";
constexpr absl::string_view kBinaryDataConverter = "io.debezium.converters.BinaryDataConverter";
constexpr absl::string_view kAvroConverter = "io.confluent.connect.avro.AvroConverter";

constexpr absl::string_view kApicurioAvroConverter =
    "io.apicurio.registry.utils.converter.AvroConverter";
constexpr absl::string_view kDelegateOptions = ".converter.delegate.converter.type.";

struct ConverterClass {
  absl::string_view name;
  ConverterKind kind;
};
constexpr ConverterClass kConverters[] = {
    {"org.apache.kafka.connect.json.JsonConverter", ConverterKind::kJson},
    {"org.apache.kafka.connect.storage.StringConverter", ConverterKind::kString},
    {"org.apache.kafka.connect.converters.ByteArrayConverter", ConverterKind::kByteArray},
    {kBinaryDataConverter, ConverterKind::kByteArray},
    {kAvroConverter, ConverterKind::kAvro},
    {kApicurioAvroConverter, ConverterKind::kAvro},
};
constexpr absl::string_view kSupportedConverters =
    "supported: org.apache.kafka.connect.json.JsonConverter, "
    "org.apache.kafka.connect.storage.StringConverter, "
    "org.apache.kafka.connect.converters.ByteArrayConverter, "
    "io.debezium.converters.BinaryDataConverter, "
    "io.confluent.connect.avro.AvroConverter, "
    "io.apicurio.registry.utils.converter.AvroConverter";
// Seen in the wild; named so that the message can say "not yet" instead of "unknown".
constexpr absl::string_view kLaterConverters[] = {
    "io.confluent.connect.protobuf.ProtobufConverter",
    "io.confluent.connect.json.JsonSchemaConverter",
    "io.apicurio.registry.utils.converter.ExtJsonConverter",
    "io.debezium.converters.CloudEventsConverter",
    "io.debezium.converters.ByteArrayConverter",
};

constexpr config::PropertyDefinition kRows[] = {
    {.name = "key.converter",
     .type = kClass,
     .default_value = kJson,
     .doc = "Class that turns a record's key into bytes: JsonConverter, StringConverter, "
            "ByteArrayConverter, Debezium's BinaryDataConverter, Confluent's or Apicurio's "
            "AvroConverter.",
     .validator = CheckConverter},
    {.name = "key.converter.schemas.enable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write the schema with every key (JsonConverter)."},
    {.name = "key.converter.decimal.format",
     .type = kEnum,
     .default_value = "base64",
     .doc = "Decimals of keys as base64 bytes or as JSON numbers (JsonConverter).",
     .allowed = "base64, numeric"},
    {.name = "key.converter.replace.null.with.default",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write a column's default in place of null in keys (JsonConverter)."},
    {.name = "value.converter",
     .type = kClass,
     .default_value = kJson,
     .doc = "Class that turns a record's value into bytes: JsonConverter, StringConverter, "
            "ByteArrayConverter, Debezium's BinaryDataConverter, Confluent's or Apicurio's "
            "AvroConverter.",
     .validator = CheckConverter},
    {.name = "value.converter.schemas.enable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write the schema with every value (JsonConverter)."},
    {.name = "value.converter.decimal.format",
     .type = kEnum,
     .default_value = "base64",
     .doc = "Decimals of values as base64 bytes or as JSON numbers (JsonConverter).",
     .allowed = "base64, numeric"},
    {.name = "value.converter.replace.null.with.default",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write a column's default in place of null in values (JsonConverter)."},
    {.name = "<part>.converter.delegate.converter.type",
     .type = kClass,
     .doc = "Class that converts what is not bytes (envelopes, heartbeats, keys) when "
            "BinaryDataConverter is used. Its options follow the name of this property.",
     .validator = CheckConverter},
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
     .validator = CheckHeaderConverter},
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

template <size_t kSize>
bool IsOneOf(absl::string_view written, const absl::string_view (&names)[kSize],
             absl::string_view suffix) {
  return std::any_of(std::begin(names), std::end(names), [&](absl::string_view name) {
    return config::NamesClass(written, name, suffix);
  });
}

// Debezium's, which leaves what is not bytes to a delegate.
bool IsBinaryDataConverter(absl::string_view class_name) {
  return config::NamesClass(class_name, kBinaryDataConverter, "Converter");
}

bool IsSimpleHeaderConverter(absl::string_view class_name) {
  return config::NamesClass(class_name, kSimpleHeaderConverter, "HeaderConverter");
}

// The converter that the property `name` says; `role` is the part it converts.
ConverterOptions ConverterOf(const config::PropertySet& properties, const std::string& name,
                             absl::string_view role, config::Findings* findings) {
  const config::PluginOptions of(properties, name, absl::StrCat(role, ".converter"), findings);
  const std::optional<ConverterKind> kind = FindConverter(properties.Text(name));
  CHECK(kind.has_value());
  ConverterOptions options;
  options.kind = *kind;
  if (IsApicurioConverter(properties.Text(name))) options.registry = RegistryKind::kApicurio;
  options.schemas_enable = of.Boolean("schemas.enable");
  options.decimal_numeric = of.Text("decimal.format") == "numeric";
  options.replace_null_with_default = of.Boolean("replace.null.with.default");
  if (options.kind == ConverterKind::kAvro) BuildAvro(of, role == "key", &options);
  return options;
}

}  // namespace

absl::Span<const config::PropertyDefinition> ConverterProperties() { return kRows; }

std::string CheckConverter(absl::string_view value) {
  if (FindConverter(value).has_value()) return "";
  if (IsOneOf(value, kLaterConverters, "Converter")) {
    return absl::StrCat("is not supported yet; ", kSupportedConverters);
  }
  return absl::StrCat("is not a known converter; ", kSupportedConverters);
}

std::string CheckHeaderConverter(absl::string_view value) {
  const std::optional<ConverterKind> kind = FindConverter(value);
  if (kind == ConverterKind::kAvro)
    return "converts keys and values only, and no headers; use SimpleHeaderConverter";
  if (IsSimpleHeaderConverter(value) || kind.has_value()) return "";
  return absl::StrCat("is not a known header converter; ", kSupportedConverters, ", ",
                      kSimpleHeaderConverter);
}

std::optional<ConverterKind> FindConverter(absl::string_view class_name) {
  for (const ConverterClass& converter : kConverters) {
    if (config::NamesClass(class_name, converter.name, "Converter")) return converter.kind;
  }
  return std::nullopt;
}

void CheckConverters(const config::PropertySet& properties, config::Findings* findings) {
  const std::string header = ConverterName(properties, "header");
  if (FindConverter(properties.Text(header)) == ConverterKind::kAvro) {
    findings->Error(header, "is AvroConverter, which converts no headers",
                    "use SimpleHeaderConverter");
  }
  for (const config::Property& property : properties.all()) {
    const absl::string_view name = property.name;
    const size_t at = name.find(kDelegateOptions);
    if (at == absl::string_view::npos) continue;
    // As the option of a converter.
    const config::PropertyDefinition* option = properties.table().Find(
        absl::StrCat("value.converter.", name.substr(at + kDelegateOptions.size())));
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
  for (const ConverterClass& converter : kConverters) {
    if (config::NamesClass(class_name, converter.name, "Converter"))
      return std::string(converter.name);
  }
  return std::string(class_name);
}

bool IsApicurioConverter(absl::string_view class_name) {
  return FullConverterName(class_name) == kApicurioAvroConverter;
}

std::string ConverterName(const config::PropertySet& properties, absl::string_view role) {
  std::string name = absl::StrCat(role, ".converter");
  const std::string delegate = absl::StrCat(name, ".delegate.converter.type");
  const bool delegates = IsBinaryDataConverter(properties.Text(name)) && properties.IsSet(delegate);
  return delegates ? delegate : name;
}

ConverterOptions BuildConverter(const config::PropertySet& properties, absl::string_view role,
                                config::Findings* findings) {
  ConverterOptions options =
      ConverterOf(properties, ConverterName(properties, role), role, findings);
  options.raw_bytes = IsBinaryDataConverter(properties.Text(absl::StrCat(role, ".converter")));
  return options;
}

std::optional<ConverterOptions> BuildHeaderConverter(const config::PropertySet& properties,
                                                     config::Findings* findings) {
  if (IsSimpleHeaderConverter(properties.Text("header.converter"))) return std::nullopt;
  return BuildConverter(properties, "header", findings);
}

}  // namespace walduct::encode
