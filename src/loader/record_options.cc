// Options of what records are: values, encoding, converters, topics and keys, transforms.
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "config/outbox_routing.h"
#include "config/transforms/transform_checks.h"
#include "java/text/text_lists.h"
#include "loader/classes.h"
#include "loader/column_options.h"
#include "loader/options_builder.h"
#include "loader/topic_naming_options.h"

namespace walduct::loader {
namespace {

encode::DecimalMode ParseDecimalMode(absl::string_view mode) {
  if (mode == "double") return encode::DecimalMode::kDouble;
  return mode == "string" ? encode::DecimalMode::kString : encode::DecimalMode::kPrecise;
}

encode::TimeMode ParseTimeMode(absl::string_view mode) {
  constexpr std::pair<absl::string_view, encode::TimeMode> kModes[] = {
      {"adaptive_time_microseconds", encode::TimeMode::kAdaptiveTimeMicroseconds},
      {"connect", encode::TimeMode::kConnect},
      {"isostring", encode::TimeMode::kIsoString},
      {"microseconds", encode::TimeMode::kMicroseconds},
      {"nanoseconds", encode::TimeMode::kNanoseconds}};
  for (const auto& [name, value] : kModes) {
    if (mode == name) return value;
  }
  return encode::TimeMode::kAdaptive;
}

encode::BinaryMode ParseBinaryMode(absl::string_view mode) {
  if (mode == "base64") return encode::BinaryMode::kBase64;
  if (mode == "base64-url-safe") return encode::BinaryMode::kBase64UrlSafe;
  return mode == "hex" ? encode::BinaryMode::kHex : encode::BinaryMode::kBytes;
}

encode::ValueOptions BuildValues(const config::PropertySet& properties) {
  encode::ValueOptions values;
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
    values.on_failure = properties.Text(kFailure) == "fail" ? encode::FailureMode::kStop
                                                            : encode::FailureMode::kNull;
  return values;
}

// "hex:<digits>" stands for the bytes.
std::string BuildPlaceholder(absl::string_view text) {
  constexpr absl::string_view kHex = "hex:";
  if (!absl::StartsWith(text, kHex)) return std::string(text);
  return absl::HexStringToBytes(text.substr(kHex.size()));
}

names::NameAdjustment ParseAdjustment(absl::string_view mode) {
  if (mode == "avro") return names::NameAdjustment::kAvro;
  if (mode == "avro_unicode") return names::NameAdjustment::kAvroUnicode;
  CHECK(mode == "none");
  return names::NameAdjustment::kNone;
}

// The converter that the property `name` says, `converter` being the one it belongs to.
encode::ConverterOptions ConverterOf(const config::PropertySet& properties, const std::string& name,
                                     const config::Property* converter,
                                     config::Findings* findings) {
  // Connect takes a converter and its options from one place: options beside another place's class
  // do not count.
  const auto text = [&](absl::string_view option) {
    const std::string option_name = absl::StrCat(name, ".", option);
    const config::Property* given = properties.Find(option_name);
    const bool counts =
        given == nullptr || converter == nullptr || given->layer == config::Layer::kOverride ||
        converter->layer == config::Layer::kOverride || converter->layer == given->layer;
    if (counts) return properties.Text(option_name);
    findings->Warn(option_name,
                   absl::StrCat("has no effect, as in Kafka Connect: the converter is set in the ",
                                converter->layer == config::Layer::kWorker ? "worker" : "connector",
                                " file; set both in the same file"));
    return std::string(*properties.table().Find(option_name)->default_value);
  };
  const std::optional<encode::ConverterKind> kind = FindConverter(properties.Text(name));
  CHECK(kind.has_value());
  encode::ConverterOptions options;
  options.kind = *kind;
  options.schemas_enable = text("schemas.enable") == "true";
  options.decimal_numeric = text("decimal.format") == "numeric";
  options.replace_null_with_default = text("replace.null.with.default") == "true";
  return options;
}

}  // namespace

encode::EncodeOptions BuildEncode(const config::PropertySet& properties,
                                  config::Findings* findings) {
  encode::EncodeOptions encode;
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

route::RouteOptions BuildRoute(const config::PropertySet& properties) {
  route::RouteOptions route;
  route.topic_prefix = properties.Text("topic.prefix");
  route.topic_delimiter = properties.Text("topic.delimiter");
  route.naming = BuildTopicNaming(properties);
  if (properties.IsSet("message.key.columns")) {
    absl::StatusOr<route::MessageKeys> keys =
        route::MessageKeys::Parse(properties.Text("message.key.columns"));
    CHECK(keys.ok());  // checked before
    route.message_keys = *std::move(keys);
  }
  route.skip_unchanged = properties.Boolean("skip.messages.without.change");
  route.transaction_metadata = properties.Boolean("provide.transaction.metadata");
  route.transaction_suffix = properties.Text("topic.transaction");
  route.heartbeat_prefix = properties.Text("topic.heartbeat.prefix");
  route.heartbeat_topic = properties.Text("topic.heartbeat.name");
  route.message_include = properties.Regexes("message.prefix.include.list");
  route.message_exclude = properties.Regexes("message.prefix.exclude.list");
  route.tombstones_on_delete = properties.Boolean("tombstones.on.delete");
  const std::string skipped = properties.Text("skipped.operations");
  route.skip_create = java::ListContains(skipped, "c");
  route.skip_update = java::ListContains(skipped, "u");
  route.skip_delete = java::ListContains(skipped, "d");
  route.skip_truncate = java::ListContains(skipped, "t");
  return route;
}

// Warnings and errors were given with the checks.
config::TransformChainOptions BuildChain(const config::PropertySet& properties) {
  const config::Masking masking(properties);
  config::Findings said(properties, masking);
  config::TransformChainOptions chain = config::ReadTransforms(properties, &said);
  config::BindOutboxTables(properties, &chain);
  return chain;
}

encode::ConverterOptions BuildConverter(const config::PropertySet& properties,
                                        absl::string_view role, config::Findings* findings) {
  const std::string name = absl::StrCat(role, ".converter");
  const std::string delegate = absl::StrCat(name, ".delegate.converter.type");
  const config::Property* converter = properties.Find(name);
  const bool binary = IsBinaryDataConverter(properties.Text(name));
  const bool delegates = binary && properties.IsSet(delegate);
  encode::ConverterOptions options =
      ConverterOf(properties, delegates ? delegate : name, converter, findings);
  options.raw_bytes = binary;
  return options;
}

}  // namespace walduct::loader
