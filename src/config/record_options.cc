// Options of what records are: values, encoding, converters, topics and keys, transforms.
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "config/options_builder.h"
#include "config/outbox_routing.h"
#include "config/properties/classes.h"
#include "config/properties/column_options.h"
#include "config/properties/topic_naming_options.h"
#include "config/transforms/transform_checks.h"
#include "java/text/text_lists.h"

namespace walduct::config {
namespace {

DecimalMode ParseDecimalMode(absl::string_view mode) {
  if (mode == "double") return DecimalMode::kDouble;
  return mode == "string" ? DecimalMode::kString : DecimalMode::kPrecise;
}

TimeMode ParseTimeMode(absl::string_view mode) {
  constexpr std::pair<absl::string_view, TimeMode> kModes[] = {
      {"adaptive_time_microseconds", TimeMode::kAdaptiveTimeMicroseconds},
      {"connect", TimeMode::kConnect},
      {"isostring", TimeMode::kIsoString},
      {"microseconds", TimeMode::kMicroseconds},
      {"nanoseconds", TimeMode::kNanoseconds}};
  for (const auto& [name, value] : kModes) {
    if (mode == name) return value;
  }
  return TimeMode::kAdaptive;
}

BinaryMode ParseBinaryMode(absl::string_view mode) {
  if (mode == "base64") return BinaryMode::kBase64;
  if (mode == "base64-url-safe") return BinaryMode::kBase64UrlSafe;
  return mode == "hex" ? BinaryMode::kHex : BinaryMode::kBytes;
}

ValueOptions BuildValues(const PropertySet& properties) {
  ValueOptions values;
  values.decimal = ParseDecimalMode(properties.Text("decimal.handling.mode"));
  values.time = ParseTimeMode(properties.Text("time.precision.mode"));
  values.binary = ParseBinaryMode(properties.Text("binary.handling.mode"));
  values.hstore_map = properties.Text("hstore.handling.mode") == "map";
  values.interval_string = properties.Text("interval.handling.mode") == "string";
  values.money_fraction_digits = static_cast<int32_t>(properties.Integer("money.fraction.digits"));
  values.include_unknown = properties.Boolean("include.unknown.datatypes");
  values.keep_lost = properties.Text("walduct.lost.values") == "keep";
  constexpr absl::string_view kFailure = "event.converting.failure.handling.mode";
  if (properties.IsSet(kFailure))
    values.on_failure =
        properties.Text(kFailure) == "fail" ? FailureMode::kStop : FailureMode::kNull;
  return values;
}

// "hex:<digits>" stands for the bytes.
std::string BuildPlaceholder(absl::string_view text) {
  constexpr absl::string_view kHex = "hex:";
  if (!absl::StartsWith(text, kHex)) return std::string(text);
  return absl::HexStringToBytes(text.substr(kHex.size()));
}

NameAdjustment ParseAdjustment(absl::string_view mode) {
  if (mode == "avro") return NameAdjustment::kAvro;
  if (mode == "avro_unicode") return NameAdjustment::kAvroUnicode;
  CHECK(mode == "none");
  return NameAdjustment::kNone;
}

// The converter that the property `name` says, `converter` being the one it belongs to.
ConverterOptions ConverterOf(const PropertySet& properties, const std::string& name,
                             const Property* converter, Findings* findings) {
  // Connect takes a converter and its options from one place: options beside another place's class
  // do not count.
  const auto text = [&](absl::string_view option) {
    const std::string option_name = absl::StrCat(name, ".", option);
    const Property* given = properties.Find(option_name);
    const bool counts = given == nullptr || converter == nullptr ||
                        given->layer == Layer::kOverride || converter->layer == Layer::kOverride ||
                        converter->layer == given->layer;
    if (counts) return properties.Text(option_name);
    findings->Warn(option_name,
                   absl::StrCat("has no effect, as in Kafka Connect: the converter is set in the ",
                                converter->layer == Layer::kWorker ? "worker" : "connector",
                                " file; set both in the same file"));
    return std::string(*FindDefinition(option_name)->default_value);
  };
  const std::optional<ConverterKind> kind = FindConverter(properties.Text(name));
  CHECK(kind.has_value());
  ConverterOptions options;
  options.kind = *kind;
  options.schemas_enable = text("schemas.enable") == "true";
  options.decimal_numeric = text("decimal.format") == "numeric";
  options.replace_null_with_default = text("replace.null.with.default") == "true";
  return options;
}

}  // namespace

EncodeOptions BuildEncode(const PropertySet& properties, Findings* findings) {
  EncodeOptions encode;
  encode.key = BuildConverter(properties, "key", findings);
  encode.value = BuildConverter(properties, "value", findings);
  if (!IsSimpleHeaderConverter(properties.Text("header.converter")))
    encode.header = BuildConverter(properties, "header", findings);
  encode.columns = BuildColumns(properties);
  encode.schema_names = ParseAdjustment(properties.Text("schema.name.adjustment.mode"));
  encode.field_names = ParseAdjustment(properties.Text("field.name.adjustment.mode"));
  encode.topic_prefix = properties.Text("topic.prefix");
  encode.database = properties.Text("database.dbname");
  encode.extended_headers = properties.Boolean("extended.headers.enabled");
  encode.values = BuildValues(properties);
  encode.unavailable_placeholder =
      BuildPlaceholder(properties.Text("unavailable.value.placeholder"));
  return encode;
}

TransformOptions BuildTransform(const PropertySet& properties) {
  TransformOptions transform;
  transform.topic_prefix = properties.Text("topic.prefix");
  transform.topic_delimiter = properties.Text("topic.delimiter");
  transform.naming = BuildTopicNaming(properties);
  if (properties.IsSet("message.key.columns")) {
    absl::StatusOr<MessageKeys> keys = MessageKeys::Parse(properties.Text("message.key.columns"));
    CHECK(keys.ok());  // checked before
    transform.message_keys = *std::move(keys);
  }
  transform.skip_unchanged = properties.Boolean("skip.messages.without.change");
  transform.transaction_metadata = properties.Boolean("provide.transaction.metadata");
  transform.transaction_suffix = properties.Text("topic.transaction");
  transform.heartbeat_prefix = properties.Text("topic.heartbeat.prefix");
  transform.heartbeat_topic = properties.Text("topic.heartbeat.name");
  transform.message_include = properties.Regexes("message.prefix.include.list");
  transform.message_exclude = properties.Regexes("message.prefix.exclude.list");
  transform.tombstones_on_delete = properties.Boolean("tombstones.on.delete");
  const std::string skipped = properties.Text("skipped.operations");
  transform.skip_create = java::ListContains(skipped, "c");
  transform.skip_update = java::ListContains(skipped, "u");
  transform.skip_delete = java::ListContains(skipped, "d");
  transform.skip_truncate = java::ListContains(skipped, "t");
  return transform;
}

// Warnings and errors were given with the checks.
TransformChainOptions BuildChain(const PropertySet& properties) {
  const Masking masking(properties);
  Findings said(properties, masking);
  TransformChainOptions chain = ReadTransforms(properties, &said);
  BindOutboxTables(properties, &chain);
  return chain;
}

ConverterOptions BuildConverter(const PropertySet& properties, absl::string_view role,
                                Findings* findings) {
  const std::string name = absl::StrCat(role, ".converter");
  const std::string delegate = absl::StrCat(name, ".delegate.converter.type");
  const Property* converter = properties.Find(name);
  const bool binary = IsBinaryDataConverter(properties.Text(name));
  const bool delegates = binary && properties.IsSet(delegate);
  ConverterOptions options =
      ConverterOf(properties, delegates ? delegate : name, converter, findings);
  options.raw_bytes = binary;
  return options;
}

}  // namespace walduct::config
