// The rows of the type table.
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "encode/options/value_options.h"
#include "encode/types/type_table.h"

namespace walduct::encode {
namespace {

constexpr int32_t kTypmodHeader = 4;  // VARHDRSZ, added to numeric's modifier
constexpr int32_t kMillisPrecision = 3;

event::ConnectSchemaPtr Optional(event::ConnectType type) {
  event::ConnectSchema schema = event::Schema(type);
  schema.optional = true;
  return event::Shared(std::move(schema));
}

void RefineSpatial(const char* doc, TypeMapping* mapping) {
  mapping->schema.doc = doc;
  mapping->schema.fields = {{"wkb", event::Shared(event::Schema(event::ConnectType::kBytes))},
                            {"srid", Optional(event::ConnectType::kInt32)}};
}

// A negative scale is left as the 11 bits that PostgreSQL stores, as Debezium does: -2 is scale
// 2046, the value is the same.
void RefineScale(int32_t typmod, const ValueOptions&, TypeMapping* mapping) {
  mapping->plan.scale = typmod < kTypmodHeader ? -1 : (typmod - kTypmodHeader) & 0xFFFF;
}

void RefineNumeric(int32_t typmod, const ValueOptions& options, TypeMapping* mapping) {
  event::ConnectSchema& schema = mapping->schema;
  if (typmod < kTypmodHeader) {
    schema = event::Schema(event::ConnectType::kStruct, "io.debezium.data.VariableScaleDecimal");
    schema.doc = "Variable scaled decimal";
    schema.fields = {{"scale", event::Shared(event::Schema(event::ConnectType::kInt32))},
                     {"value", event::Shared(event::Schema(event::ConnectType::kBytes))}};
    mapping->plan.reads = Reads::kVariableScaleDecimal;
    return;
  }
  RefineScale(typmod, options, mapping);
  const int32_t precision = (typmod - kTypmodHeader) >> 16 & 0xFFFF;
  schema.parameters = {{"scale", absl::StrCat(mapping->plan.scale)},
                       {"connect.decimal.precision", absl::StrCat(precision)}};
}

void RefineMoney(int32_t, const ValueOptions& options, TypeMapping* mapping) {
  mapping->plan.scale = options.money_fraction_digits;
  mapping->schema.parameters = {{"scale", absl::StrCat(options.money_fraction_digits)}};
}

void RefineMoneyText(int32_t, const ValueOptions& options, TypeMapping* mapping) {
  if (options.money_fraction_digits == 0) return;
  mapping->filler =
      absl::StrCat("0.", std::string(static_cast<size_t>(options.money_fraction_digits), '0'));
}

void RefineBits(int32_t typmod, const ValueOptions&, TypeMapping* mapping) {
  if (typmod == 1) {
    mapping->schema = event::Schema(event::ConnectType::kBoolean);
    mapping->plan.reads = Reads::kBit;
    mapping->filler = "0";
    return;
  }
  const int32_t length = typmod < 0 ? std::numeric_limits<int32_t>::max() : typmod;
  mapping->schema.parameters = {{"length", absl::StrCat(length)}};
}

void RefineTime(int32_t typmod, const ValueOptions&, TypeMapping* mapping) {
  if (typmod < 0 || typmod > kMillisPrecision) return;
  mapping->schema = event::Schema(event::ConnectType::kInt32, "io.debezium.time.Time");
  mapping->plan.reads = Reads::kTimeMillis;
}

void RefineTimestamp(int32_t typmod, const ValueOptions&, TypeMapping* mapping) {
  if (typmod < 0 || typmod > kMillisPrecision) return;
  mapping->schema = event::Schema(event::ConnectType::kInt64, "io.debezium.time.Timestamp");
  mapping->plan.reads = Reads::kTimestampMillis;
}

void RefineZonedTimestamp(int32_t typmod, const ValueOptions&, TypeMapping* mapping) {
  if (typmod >= 0) mapping->plan.precision = typmod;
}

void RefineHstoreMap(int32_t, const ValueOptions&, TypeMapping* mapping) {
  mapping->schema.keys = event::Shared(event::Schema(event::ConnectType::kString));
  mapping->schema.items = Optional(event::ConnectType::kString);
}

void RefinePoint(int32_t, const ValueOptions&, TypeMapping* mapping) {
  mapping->schema.doc = "Geometry (POINT)";
  mapping->schema.fields = {{"x", event::Shared(event::Schema(event::ConnectType::kDouble))},
                            {"y", event::Shared(event::Schema(event::ConnectType::kDouble))},
                            {"wkb", Optional(event::ConnectType::kBytes)},
                            {"srid", Optional(event::ConnectType::kInt32)}};
}

// Debezium's schema of a geometry is optional from the start.
void RefineGeometry(int32_t, const ValueOptions&, TypeMapping* mapping) {
  RefineSpatial("Geometry", mapping);
  mapping->always_optional = true;
}

void RefineGeography(int32_t, const ValueOptions&, TypeMapping* mapping) {
  RefineSpatial("Geography", mapping);
}

// No geometric text is empty.
void RefineGeometric(int32_t, const ValueOptions&, TypeMapping* mapping) {
  mapping->text_filler = true;
}

void RefineVector(int32_t, const ValueOptions&, TypeMapping* mapping) {
  mapping->schema.items = event::Shared(event::Schema(event::ConnectType::kDouble));
}

void RefineHalfVector(int32_t, const ValueOptions&, TypeMapping* mapping) {
  mapping->schema.items = event::Shared(event::Schema(event::ConnectType::kFloat));
}

void RefineSparseVector(int32_t, const ValueOptions&, TypeMapping* mapping) {
  event::ConnectSchema entries = event::Schema(event::ConnectType::kMap);
  entries.keys = event::Shared(event::Schema(event::ConnectType::kInt16));
  entries.items = event::Shared(event::Schema(event::ConnectType::kDouble));
  mapping->schema.doc = "Sparse double vector";
  mapping->schema.fields = {
      {"dimensions", event::Shared(event::Schema(event::ConnectType::kInt16))},
      {"vector", event::Shared(std::move(entries))}};
}

constexpr auto kBoolean = event::ConnectType::kBoolean;
constexpr auto kInt16 = event::ConnectType::kInt16;
constexpr auto kInt32 = event::ConnectType::kInt32;
constexpr auto kInt64 = event::ConnectType::kInt64;
constexpr auto kFloat = event::ConnectType::kFloat;
constexpr auto kDouble = event::ConnectType::kDouble;
constexpr auto kString = event::ConnectType::kString;
constexpr auto kBytes = event::ConnectType::kBytes;
constexpr auto kStruct = event::ConnectType::kStruct;
constexpr auto kText = Placeholder::kText;
constexpr auto kNumbers = Placeholder::kNumbers;
constexpr auto kRawText = Placeholder::kRawText;
constexpr auto kKeptText = Placeholder::kKeptText;
constexpr auto kOfBytes = Placeholder::kBytes;
constexpr auto kOfHstore = Placeholder::kHstore;
constexpr auto kLeftOut = ArrayItems::kUnsupported;
constexpr auto kNulled = ArrayItems::kNulled;
constexpr auto kFinite = ArrayItems::kFinite;
constexpr auto kRequired = ArrayItems::kRequired;
constexpr auto kNoNulls = ArrayItems::kNoNulls;
constexpr Forms kMicroTime = form::kMicros | form::kTimeMicros;
constexpr char kZeroUuid[] = "00000000-0000-0000-0000-000000000000";
constexpr char kEpoch[] = "1970-01-01 00:00:00";
constexpr char kZonedEpoch[] = "1970-01-01 00:00:00+00";
constexpr char kMidnight[] = "00:00:00";
constexpr char kDecimal[] = "org.apache.kafka.connect.data.Decimal";
constexpr char kJson[] = "io.debezium.data.Json";
constexpr char kBits[] = "io.debezium.data.Bits";
constexpr char kEmptyCollection[] = "010700000000000000";
constexpr char kMicroTimestamp[] = "io.debezium.time.MicroTimestamp";
constexpr char kMicroDuration[] = "io.debezium.time.MicroDuration";

// clang-format off
constexpr TypeRow kRows[] = {
  {.postgres = "bool", .becomes = kBoolean, .reads = Reads::kBoolean, .filler = "f",
   .function_default = "f"},
  {.postgres = "int2", .becomes = kInt16, .reads = Reads::kInt16, .filler = "0",
   .function_default = "0"},
  {.postgres = "int4", .becomes = kInt32, .reads = Reads::kInt32, .filler = "0",
   .function_default = "0", .array_not_sent = kNumbers},
  {.postgres = "int8", .becomes = kInt64, .reads = Reads::kInt64, .filler = "0",
   .function_default = "0", .array_not_sent = kNumbers},
  {.postgres = "oid", .becomes = kInt64, .reads = Reads::kOid, .filler = "0"},
  {.postgres = "float4", .becomes = kFloat, .reads = Reads::kFloat, .filler = "0",
   .function_default = "0"},
  {.postgres = "float8", .becomes = kDouble, .reads = Reads::kDouble, .filler = "0",
   .function_default = "0"},
  {.postgres = "numeric", .when = form::kDecimalDouble, .becomes = kDouble,
   .reads = Reads::kDecimalDouble, .filler = "0", .function_default = "0", .array = kFinite},
  {.postgres = "numeric", .when = form::kDecimalString, .becomes = kString,
   .reads = Reads::kDecimalString, .refine = RefineScale, .filler = "0", .function_default = "0",
   .not_sent = kRawText, .array = kFinite},
  {.postgres = "numeric", .becomes = kBytes, .named = kDecimal, .reads = Reads::kDecimal,
   .refine = RefineNumeric, .filler = "0", .function_default = "0", .array = kFinite},
  {.postgres = "money", .when = form::kDecimalDouble, .becomes = kDouble,
   .reads = Reads::kMoneyDouble, .filler = "0", .array = kLeftOut},
  {.postgres = "money", .when = form::kDecimalString, .becomes = kString,
   .reads = Reads::kMoneyString, .refine = RefineMoneyText, .filler = "0", .array = kLeftOut},
  {.postgres = "money", .becomes = kBytes, .named = kDecimal, .reads = Reads::kMoney,
   .refine = RefineMoney, .filler = "0", .array = kLeftOut},
  {.postgres = "text", .becomes = kString, .reads = Reads::kString, .function_default = "",
   .not_sent = kText, .array_not_sent = kText},
  {.postgres = "varchar", .becomes = kString, .reads = Reads::kString, .function_default = "",
   .not_sent = kText, .array_not_sent = kText},
  {.postgres = "bpchar", .becomes = kString, .reads = Reads::kString, .function_default = "",
   .not_sent = kText, .array_not_sent = kText},
  {.postgres = "char", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "name", .when = form::kKeepLost | form::kUnknown, .becomes = kString,
   .reads = Reads::kString, .not_sent = kText, .array = kLeftOut},
  {.postgres = "name", .becomes = kString, .reads = Reads::kSnapshotString, .not_sent = kText,
   .array = kLeftOut},
  {.postgres = "citext", .in_any_schema = true, .becomes = kString, .reads = Reads::kString,
   .not_sent = kText},
  {.postgres = "json", .becomes = kString, .named = kJson, .reads = Reads::kString,
   .function_default = "{}", .not_sent = kText, .array_not_sent = kText},
  {.postgres = "jsonb", .becomes = kString, .named = kJson, .reads = Reads::kString,
   .function_default = "{}", .not_sent = kText, .array_not_sent = kText},
  {.postgres = "xml", .becomes = kString, .named = "io.debezium.data.Xml", .reads = Reads::kString,
   .function_default = "", .not_sent = kText, .array = kLeftOut},
  {.postgres = "uuid", .becomes = kString, .named = "io.debezium.data.Uuid",
   .reads = Reads::kString, .function_default = kZeroUuid, .not_sent = kText,
   .array_not_sent = Placeholder::kUuid},
  {.postgres = "inet", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "cidr", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "macaddr", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "macaddr8", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "tsvector", .becomes = kString, .named = "io.debezium.data.Tsvector",
   .reads = Reads::kString, .not_sent = kText, .array = kRequired},
  {.postgres = "ltree", .in_any_schema = true, .becomes = kString,
   .named = "io.debezium.data.Ltree", .reads = Reads::kString, .not_sent = kText,
   .array = kNoNulls},
  {.postgres = "isbn", .in_any_schema = true, .becomes = kString, .reads = Reads::kString,
   .not_sent = kText, .array = kRequired},
  {.postgres = "hstore", .in_any_schema = true, .when = form::kHstoreMap,
   .becomes = event::ConnectType::kMap, .reads = Reads::kHstoreMap, .refine = RefineHstoreMap,
   .not_sent = kOfHstore},
  {.postgres = "hstore", .in_any_schema = true, .becomes = kString, .named = kJson,
   .reads = Reads::kHstoreJson, .not_sent = kOfHstore},
  {.postgres = "int4range", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "int8range", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "numrange", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "tsrange", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "tstzrange", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = "daterange", .becomes = kString, .reads = Reads::kString, .not_sent = kText},
  {.postgres = kEnumFamily, .in_any_schema = true, .becomes = kString,
   .named = "io.debezium.data.Enum", .reads = Reads::kString, .function_default = "",
   .not_sent = kText, .array = kRequired},
  {.postgres = "bytea", .when = form::kBase64, .becomes = kString, .reads = Reads::kBytea,
   .bytes_as = BytesForm::kBase64, .filler = "\\x", .not_sent = kKeptText},
  {.postgres = "bytea", .when = form::kBase64UrlSafe, .becomes = kString, .reads = Reads::kBytea,
   .bytes_as = BytesForm::kBase64UrlSafe, .filler = "\\x", .not_sent = kKeptText},
  {.postgres = "bytea", .when = form::kHex, .becomes = kString, .reads = Reads::kBytea,
   .bytes_as = BytesForm::kHex, .filler = "\\x", .not_sent = kRawText},
  {.postgres = "bytea", .becomes = kBytes, .reads = Reads::kBytea, .filler = "\\x",
   .not_sent = kOfBytes, .array_not_sent = kOfBytes},
  {.postgres = "bit", .becomes = kBytes, .named = kBits, .reads = Reads::kBits,
   .refine = RefineBits, .function_default = "", .array = kNulled},
  {.postgres = "varbit", .becomes = kBytes, .named = kBits, .reads = Reads::kBits,
   .refine = RefineBits, .function_default = "", .array = kLeftOut},
  {.postgres = "date", .when = form::kConnectTime, .becomes = kInt32,
   .named = "org.apache.kafka.connect.data.Date", .reads = Reads::kConnectDate,
   .filler = "1970-01-01", .function_default = "1970-01-01"},
  {.postgres = "date", .when = form::kIsoTime, .becomes = kString,
   .named = "io.debezium.time.IsoDate", .reads = Reads::kIsoDate, .filler = "1970-01-01",
   .function_default = "1970-01-01"},
  {.postgres = "date", .becomes = kInt32, .named = "io.debezium.time.Date", .reads = Reads::kDate,
   .filler = "1970-01-01", .function_default = "1970-01-01", .array_not_sent = kNumbers},
  {.postgres = "time", .when = form::kConnectTime, .becomes = kInt32,
   .named = "org.apache.kafka.connect.data.Time", .reads = Reads::kConnectTime, .filler = kMidnight,
   .function_default = kMidnight},
  {.postgres = "time", .when = form::kIsoTimeKept, .becomes = kString,
   .named = "io.debezium.time.IsoTime", .reads = Reads::kIsoTimeKept, .filler = kMidnight,
   .function_default = kMidnight},
  {.postgres = "time", .when = form::kIsoTime, .becomes = kString,
   .named = "io.debezium.time.IsoTime", .reads = Reads::kIsoTime, .filler = kMidnight,
   .function_default = kMidnight},
  {.postgres = "time", .when = form::kNanos, .becomes = kInt64,
   .named = "io.debezium.time.NanoTime", .reads = Reads::kTimeNanos, .filler = kMidnight,
   .function_default = kMidnight},
  {.postgres = "time", .when = kMicroTime, .becomes = kInt64, .named = "io.debezium.time.MicroTime",
   .reads = Reads::kTimeMicros, .filler = kMidnight, .function_default = kMidnight},
  {.postgres = "time", .becomes = kInt64, .named = "io.debezium.time.MicroTime",
   .reads = Reads::kTimeMicros, .refine = RefineTime, .filler = kMidnight,
   .function_default = kMidnight},
  {.postgres = "timetz", .when = form::kKeepLost, .becomes = kString,
   .named = "io.debezium.time.ZonedTime", .reads = Reads::kZonedTimeKept, .filler = "00:00:00+00",
   .not_sent = kText},
  {.postgres = "timetz", .becomes = kString, .named = "io.debezium.time.ZonedTime",
   .reads = Reads::kZonedTime, .filler = "00:00:00+00", .not_sent = kText},
  {.postgres = "timestamp", .when = form::kConnectTime, .becomes = kInt64,
   .named = "org.apache.kafka.connect.data.Timestamp", .reads = Reads::kConnectTimestamp,
   .filler = kEpoch, .function_default = kEpoch},
  {.postgres = "timestamp", .when = form::kIsoTime, .becomes = kString,
   .named = "io.debezium.time.IsoTimestamp", .reads = Reads::kIsoTimestamp, .filler = kEpoch,
   .function_default = kEpoch},
  {.postgres = "timestamp", .when = form::kNanos, .becomes = kInt64,
   .named = "io.debezium.time.NanoTimestamp", .reads = Reads::kTimestampNanos, .filler = kEpoch,
   .function_default = kEpoch},
  {.postgres = "timestamp", .when = form::kMicros, .becomes = kInt64, .named = kMicroTimestamp,
   .reads = Reads::kTimestampMicros, .filler = kEpoch, .function_default = kEpoch},
  {.postgres = "timestamp", .becomes = kInt64, .named = kMicroTimestamp,
   .reads = Reads::kTimestampMicros, .refine = RefineTimestamp, .filler = kEpoch,
   .function_default = kEpoch},
  {.postgres = "timestamptz", .becomes = kString, .named = "io.debezium.time.ZonedTimestamp",
   .reads = Reads::kZonedTimestamp, .refine = RefineZonedTimestamp, .filler = kZonedEpoch,
   .function_default = kZonedEpoch, .not_sent = kText},
  {.postgres = "interval", .when = form::kIntervalStringKept, .becomes = kString,
   .named = "io.debezium.time.Interval", .reads = Reads::kIntervalStringExact, .filler = kMidnight,
   .function_default = kMidnight, .array = kLeftOut},
  {.postgres = "interval", .when = form::kIntervalString, .becomes = kString,
   .named = "io.debezium.time.Interval", .reads = Reads::kIntervalString, .filler = kMidnight,
   .function_default = kMidnight, .array = kLeftOut},
  {.postgres = "interval", .when = form::kKeepLost, .becomes = kInt64, .named = kMicroDuration,
   .reads = Reads::kIntervalExact, .filler = kMidnight, .function_default = kMidnight,
   .array = kLeftOut},
  {.postgres = "interval", .becomes = kInt64, .named = kMicroDuration,
   .reads = Reads::kIntervalMicros, .filler = kMidnight, .function_default = kMidnight,
   .array = kLeftOut},
  {.postgres = "point", .becomes = kStruct, .named = "io.debezium.data.geometry.Point",
   .reads = Reads::kPoint, .refine = RefinePoint, .filler = "(0,0)", .array = kLeftOut},
  {.postgres = "geometry", .in_any_schema = true, .becomes = kStruct,
   .named = "io.debezium.data.geometry.Geometry", .reads = Reads::kGeometry,
   .refine = RefineGeometry, .filler = kEmptyCollection},
  {.postgres = "geography", .in_any_schema = true, .becomes = kStruct,
   .named = "io.debezium.data.geometry.Geography", .reads = Reads::kGeometry,
   .refine = RefineGeography, .filler = kEmptyCollection},
  {.postgres = "vector", .in_any_schema = true, .becomes = event::ConnectType::kArray,
   .named = "io.debezium.data.DoubleVector", .reads = Reads::kVector, .refine = RefineVector,
   .filler = "[]", .array = kRequired},
  {.postgres = "halfvec", .in_any_schema = true, .becomes = event::ConnectType::kArray,
   .named = "io.debezium.data.FloatVector", .reads = Reads::kHalfVector, .refine = RefineHalfVector,
   .filler = "[]", .array = kRequired},
  {.postgres = "sparsevec", .in_any_schema = true, .becomes = kStruct,
   .named = "io.debezium.data.SparseDoubleVector", .reads = Reads::kSparseVector,
   .refine = RefineSparseVector, .filler = "{}/0", .array = kRequired},
  {.postgres = kGeometricFamily, .in_any_schema = true, .when = form::kUnknownBytes,
   .becomes = kBytes, .reads = Reads::kGeometricBytes, .refine = RefineGeometric,
   .not_sent = kOfBytes, .array = kRequired},
  {.postgres = kGeometricFamily, .in_any_schema = true, .when = form::kUnknownBase64,
   .becomes = kString, .reads = Reads::kGeometricBytes, .bytes_as = BytesForm::kBase64,
   .refine = RefineGeometric, .not_sent = kKeptText, .array = kRequired},
  {.postgres = kGeometricFamily, .in_any_schema = true, .when = form::kUnknownBase64UrlSafe,
   .becomes = kString, .reads = Reads::kGeometricBytes, .bytes_as = BytesForm::kBase64UrlSafe,
   .refine = RefineGeometric, .not_sent = kKeptText, .array = kRequired},
  {.postgres = kGeometricFamily, .in_any_schema = true, .when = form::kUnknownHex,
   .becomes = kString, .reads = Reads::kGeometricBytes, .bytes_as = BytesForm::kHex,
   .refine = RefineGeometric, .not_sent = kRawText, .array = kRequired},
  {.postgres = kUnknownFamily, .in_any_schema = true, .when = form::kUnknownBytes,
   .becomes = kBytes, .reads = Reads::kTextBytes, .not_sent = kOfBytes, .array = kRequired},
  {.postgres = kUnknownFamily, .in_any_schema = true, .when = form::kUnknownBase64,
   .becomes = kString, .reads = Reads::kTextBytes, .bytes_as = BytesForm::kBase64,
   .not_sent = kKeptText, .array = kRequired},
  {.postgres = kUnknownFamily, .in_any_schema = true, .when = form::kUnknownBase64UrlSafe,
   .becomes = kString, .reads = Reads::kTextBytes, .bytes_as = BytesForm::kBase64UrlSafe,
   .not_sent = kKeptText, .array = kRequired},
  {.postgres = kUnknownFamily, .in_any_schema = true, .when = form::kUnknownHex, .becomes = kString,
   .reads = Reads::kTextBytes, .bytes_as = BytesForm::kHex, .not_sent = kRawText,
   .array = kRequired},
  {.postgres = kDroppedFamily, .in_any_schema = true, .becomes = kString, .reads = Reads::kString,
   .function_default = "", .not_sent = kText},
};
// clang-format on

}  // namespace

absl::Span<const TypeRow> TypeRows() { return kRows; }

}  // namespace walduct::encode
