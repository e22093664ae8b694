#include "encode/options/value_properties.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace walduct::encode {
namespace {

using enum config::PropertyType;
using enum config::Support;

std::string CheckFractionDigits(absl::string_view value) {
  constexpr int32_t kMost = 18;  // more than money has
  int32_t digits = 0;
  return absl::SimpleAtoi(value, &digits) && digits <= kMost ? ""
                                                             : "At most 18 digits are expected";
}

std::string CheckPlaceholder(absl::string_view value) {
  if (!absl::ConsumePrefix(&value, "hex:")) return "";
  const bool digits = std::all_of(value.begin(), value.end(), [](char c) {
    return absl::ascii_isxdigit(static_cast<unsigned char>(c));
  });
  return digits && value.size() % 2 == 0 ? ""
                                         : "Pairs of hexadecimal digits are expected after 'hex:'";
}

constexpr absl::string_view kNoJava = "Java classes cannot be loaded";

constexpr config::PropertyDefinition kValues[] = {
    {.name = "decimal.handling.mode",
     .type = kEnum,
     .default_value = "precise",
     .doc = "How numeric values are written.",
     .allowed = "precise, string, double"},
    {.name = "time.precision.mode",
     .type = kEnum,
     .default_value = "adaptive",
     .doc = "How dates and times are written.",
     .note = "structured came with Debezium 3.7, whose records are not those of 3.6",
     .allowed = "adaptive, adaptive_time_microseconds, connect, isostring, microseconds, "
                "nanoseconds, structured",
     .refused = "structured"},
    {.name = "binary.handling.mode",
     .type = kEnum,
     .default_value = "bytes",
     .doc = "How bytea values are written.",
     .allowed = "bytes, base64, base64-url-safe, hex"},
    {.name = "hstore.handling.mode",
     .type = kEnum,
     .default_value = "json",
     .doc = "How hstore values are written.",
     .allowed = "json, map"},
    {.name = "interval.handling.mode",
     .type = kEnum,
     .default_value = "numeric",
     .doc = "How interval values are written.",
     .allowed = "numeric, string"},
    {.name = "money.fraction.digits",
     .type = kNonNegativeInt,
     .default_value = "2",
     .doc = "Digits after the decimal point of money values with decimal.handling.mode=precise.",
     .validator = CheckFractionDigits},
    {.name = "include.unknown.datatypes",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Write columns of unknown types as bytes instead of leaving them out."},
    {.name = "unavailable.value.placeholder",
     .default_value = "__debezium_unavailable_value",
     .doc = "Placeholder for a large value that an update left unchanged and the server did not "
            "send; hex:<digits> gives its bytes.",
     .aliases = "toasted.value.placeholder",
     .validator = CheckPlaceholder},
    {.name = "schema.name.adjustment.mode",
     .type = kEnum,
     .default_value = "none",
     .doc = "How schema names are made valid for Avro: invalid characters become _ or _uXXXX.",
     .allowed = "none, avro, avro_unicode"},
    {.name = "field.name.adjustment.mode",
     .type = kEnum,
     .default_value = "none",
     .doc = "How field names are made valid for Avro: invalid characters become _ or _uXXXX.",
     .allowed = "none, avro, avro_unicode"},
    {.name = "sanitize.field.names",
     .type = kBoolean,
     .default_value = "false",
     .support = kNoEffect,
     .doc = "Debezium 1.x form of field.name.adjustment.mode=avro.",
     .note = "Debezium 3 ignores it"},
    {.name = "schema.refresh.mode",
     .type = kEnum,
     .default_value = "columns_diff",
     .support = kNoEffect,
     .doc = "When the table's schema is read again.",
     .note = "pgoutput announces every change of a table",
     .allowed = "columns_diff, columns_diff_exclude_unchanged_toast"},
    {.name = "event.converting.failure.handling.mode",
     .type = kEnum,
     .default_value = "warn",
     .doc = "What to do with a value that cannot be converted.",
     .note =
         "if not set, the connector stops so that nothing is lost; warn and skip write null where "
         "the column is nullable, and count it; malformed values always stop the connector",
     .allowed = "fail, warn, skip"},
    {.name = "event.processing.failure.handling.mode",
     .type = kEnum,
     .default_value = "fail",
     .support = kNotYetWarned,
     .doc = "What to do with an event that cannot be processed.",
     .note = "the connector always stops so that nothing is lost",
     .allowed = "fail, warn, skip, ignore"},
    {.name = "converters",
     .type = kList,
     .support = kNotYetRefused,
     .doc = "Names of custom converters of column values.",
     .note = kNoJava},
    {.name = "post.processors",
     .type = kList,
     .support = kNotYetRefused,
     .doc = "Names of event post-processors.",
     .note = kNoJava},
    {.name = "sourceinfo.struct.maker",
     .type = kClass,
     .default_value = "io.debezium.connector.postgresql.PostgresSourceInfoStructMaker",
     .support = kNotYetRefused,
     .doc = "Class that builds the source block.",
     .note = kNoJava},
    {.name = "transaction.metadata.factory",
     .type = kClass,
     .default_value = "io.debezium.pipeline.txmetadata.DefaultTransactionMetadataFactory",
     .support = kNotYetRefused,
     .doc = "Class that builds the transaction block.",
     .note = kNoJava},
    {.name = "memory.management.<part>.class",
     .type = kClass,
     .support = kNoEffect,
     .doc = "Class that keeps tables or schemas in memory.",
     .note = kNoJava},
    {.name = "include.schema.comments",
     .type = kBoolean,
     .default_value = "false",
     .support = kNoEffect,
     .doc = "Put comments of tables and columns into schemas.",
     .note = "Debezium does not support this for PostgreSQL"},
    {.name = "include.schema.changes",
     .type = kBoolean,
     .default_value = "true",
     .support = kNoEffect,
     .doc = "Write schema changes to a topic.",
     .note = "Debezium writes none for PostgreSQL outside incremental snapshots"},
    {.name = "source.struct.version",
     .default_value = "v2",
     .support = kMisplaced,
     .doc = "Version of the source block in Debezium 1.x.",
     .note = "Debezium 3 does not know it: the source block has its current form"},
};

constexpr config::PropertyDefinition kLostValues[] = {
    {.name = "walduct.lost.values",
     .type = kEnum,
     .default_value = "debezium",
     .doc =
         "Values that Debezium loses: write what Debezium writes (mostly null), or the values, see "
         "docs/differences.md.",
     .allowed = "debezium, keep"},
};

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

}  // namespace

absl::Span<const config::PropertyDefinition> ValueProperties() { return kValues; }
absl::Span<const config::PropertyDefinition> LostValueProperties() { return kLostValues; }

ValueOptions BuildValues(const config::PropertySet& properties) {
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

}  // namespace walduct::encode
