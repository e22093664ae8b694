#include "encode/options/encode_properties.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "encode/options/column_properties.h"
#include "encode/options/converter_properties.h"
#include "encode/options/encode_options.h"
#include "encode/options/value_properties.h"

namespace walduct::encode {
namespace {

using enum config::PropertyType;

constexpr config::PropertyDefinition kHeaders[] = {
    {.name = "extended.headers.enabled",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Add the __debezium.context headers to row records."},
};

// "hex:<digits>" stands for the bytes.
std::string BuildPlaceholder(absl::string_view text) {
  absl::string_view digits = text;
  if (!absl::ConsumePrefix(&digits, "hex:")) return std::string(text);
  return absl::HexStringToBytes(digits);
}

// Debezium looks at the connector's own converters, by their full names, and then has no mode
// `none` for names of fields.
bool NamesAvroConverter(const config::PropertySet& properties) {
  for (const absl::string_view name : {"key.converter", "value.converter"}) {
    const config::Property* converter = properties.Find(name);
    if (converter == nullptr || converter->layer == config::Layer::kWorker) continue;
    const std::string converter_class = properties.Text(name);
    if (converter_class == "io.confluent.connect.avro.AvroConverter" ||
        converter_class == "io.apicurio.registry.utils.converter.AvroConverter")
      return true;
  }
  return false;
}

names::NameAdjustment ParseAdjustment(absl::string_view mode) {
  if (mode == "avro") return names::NameAdjustment::kAvro;
  if (mode == "avro_unicode") return names::NameAdjustment::kAvroUnicode;
  CHECK(mode == "none");
  return names::NameAdjustment::kNone;
}

}  // namespace

absl::Span<const config::PropertyDefinition> HeaderProperties() { return kHeaders; }

EncodeOptions BuildEncode(const config::PropertySet& properties, config::Findings* findings) {
  EncodeOptions encode;
  encode.key = BuildConverter(properties, "key", findings);
  encode.value = BuildConverter(properties, "value", findings);
  encode.header = BuildHeaderConverter(properties, findings);
  encode.columns = BuildColumns(properties);
  encode.schema_names = ParseAdjustment(properties.Text("schema.name.adjustment.mode"));
  encode.field_names = ParseAdjustment(properties.Text("field.name.adjustment.mode"));
  if (encode.field_names == names::NameAdjustment::kNone && NamesAvroConverter(properties))
    encode.field_names = names::NameAdjustment::kAvro;
  encode.extended_headers = properties.Boolean("extended.headers.enabled");
  encode.values = BuildValues(properties);
  encode.unavailable_placeholder =
      BuildPlaceholder(properties.Text("unavailable.value.placeholder"));
  return encode;
}

}  // namespace walduct::encode
