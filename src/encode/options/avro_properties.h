// The properties that decide how a converter makes Avro, Protobuf or JSON with a JSON Schema: their
// rows, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/plugin_options.h"
#include "config/properties/property_set.h"

namespace walduct::encode {

struct ConverterOptions;

absl::Span<const config::PropertyDefinition> AvroProperties();

// is_key: whether it converts keys. Expects values that passed their checks.
void BuildAvro(const config::PluginOptions& properties, bool is_key, ConverterOptions* options);
void BuildProtobuf(const config::PluginOptions& properties, bool is_key, ConverterOptions* options);
void BuildJsonSchema(const config::PluginOptions& properties, bool is_key,
                     ConverterOptions* options);

}  // namespace walduct::encode
