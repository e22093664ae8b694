// The rows of the type table, and what type modifiers change about them.
#include <limits>

#include "absl/strings/str_cat.h"
#include "encode/types/type_table.h"
#include "encode/values/appenders.h"

namespace walduct::encode {
namespace {

using config::ValueOptions;

constexpr int32_t kTypmodHeader = 4;  // VARHDRSZ, added to numeric's modifier
constexpr int32_t kMillisPrecision = 3;

// A negative scale is left as the 11 bits that PostgreSQL stores, as Debezium does: -2 is scale
// 2046, the value is the same.
void RefineScale(int32_t typmod, const ValueOptions&, TypeMapping* mapping) {
  mapping->plan.scale = typmod < kTypmodHeader ? -1 : (typmod - kTypmodHeader) & 0xFFFF;
}

void RefineNumeric(int32_t typmod, const ValueOptions& options, TypeMapping* mapping) {
  ConnectSchema& schema = mapping->schema;
  if (typmod < kTypmodHeader) {
    schema = Schema(ConnectType::kStruct, "io.debezium.data.VariableScaleDecimal");
    schema.doc = "Variable scaled decimal";
    schema.fields = {{"scale", Shared(Schema(ConnectType::kInt32))},
                     {"value", Shared(Schema(ConnectType::kBytes))}};
    mapping->plan.append = AppendVariableScaleDecimal;
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
    mapping->schema = Schema(ConnectType::kBoolean);
    mapping->plan.append = AppendBit;
    mapping->filler = "0";
    return;
  }
  const int32_t length = typmod < 0 ? std::numeric_limits<int32_t>::max() : typmod;
  mapping->schema.parameters = {{"length", absl::StrCat(length)}};
}

void RefineTime(int32_t typmod, const ValueOptions&, TypeMapping* mapping) {
  if (typmod < 0 || typmod > kMillisPrecision) return;
  mapping->schema = Schema(ConnectType::kInt32, "io.debezium.time.Time");
  mapping->plan.append = AppendTimeMillis;
}

void RefineTimestamp(int32_t typmod, const ValueOptions&, TypeMapping* mapping) {
  if (typmod < 0 || typmod > kMillisPrecision) return;
  mapping->schema = Schema(ConnectType::kInt64, "io.debezium.time.Timestamp");
  mapping->plan.append = AppendTimestampMillis;
}

void RefineZonedTimestamp(int32_t typmod, const ValueOptions&, TypeMapping* mapping) {
  if (typmod >= 0) mapping->plan.precision = typmod;
}

ConnectSchemaPtr Optional(ConnectType type) {
  ConnectSchema schema = Schema(type);
  schema.optional = true;
  return Shared(std::move(schema));
}

void RefineHstoreMap(int32_t, const ValueOptions&, TypeMapping* mapping) {
  mapping->schema.keys = Shared(Schema(ConnectType::kString));
  mapping->schema.items = Optional(ConnectType::kString);
}

void RefinePoint(int32_t, const ValueOptions&, TypeMapping* mapping) {
  mapping->schema.doc = "Geometry (POINT)";
  mapping->schema.fields = {{"x", Shared(Schema(ConnectType::kDouble))},
                            {"y", Shared(Schema(ConnectType::kDouble))},
                            {"wkb", Optional(ConnectType::kBytes)},
                            {"srid", Optional(ConnectType::kInt32)}};
}

void RefineSpatial(const char* doc, TypeMapping* mapping) {
  mapping->schema.doc = doc;
  mapping->schema.fields = {{"wkb", Shared(Schema(ConnectType::kBytes))},
                            {"srid", Optional(ConnectType::kInt32)}};
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
  mapping->schema.items = Shared(Schema(ConnectType::kDouble));
}

void RefineHalfVector(int32_t, const ValueOptions&, TypeMapping* mapping) {
  mapping->schema.items = Shared(Schema(ConnectType::kFloat));
}

void RefineSparseVector(int32_t, const ValueOptions&, TypeMapping* mapping) {
  ConnectSchema entries = Schema(ConnectType::kMap);
  entries.keys = Shared(Schema(ConnectType::kInt16));
  entries.items = Shared(Schema(ConnectType::kDouble));
  mapping->schema.doc = "Sparse double vector";
  mapping->schema.fields = {{"dimensions", Shared(Schema(ConnectType::kInt16))},
                            {"vector", Shared(std::move(entries))}};
}

constexpr auto kBoolean = ConnectType::kBoolean;
constexpr auto kInt16 = ConnectType::kInt16;
constexpr auto kInt32 = ConnectType::kInt32;
constexpr auto kInt64 = ConnectType::kInt64;
constexpr auto kFloat = ConnectType::kFloat;
constexpr auto kDouble = ConnectType::kDouble;
constexpr auto kString = ConnectType::kString;
constexpr auto kBytes = ConnectType::kBytes;
constexpr auto kStruct = ConnectType::kStruct;
constexpr auto kNone = Placeholder::kNone;
constexpr auto kText = Placeholder::kText;
constexpr auto kNumbers = Placeholder::kNumbers;
constexpr auto kRawText = Placeholder::kRawText;
constexpr auto kKeptText = Placeholder::kKeptText;
constexpr auto kOfBytes = Placeholder::kBytes;
constexpr auto kOfHstore = Placeholder::kHstore;
constexpr auto kLeftOut = ArrayItems::kUnsupported;
constexpr auto kNulled = ArrayItems::kNulled;
constexpr auto kArray = ArrayItems::kOptional;
constexpr auto kFinite = ArrayItems::kFinite;
constexpr auto kRequired = ArrayItems::kRequired;
constexpr Forms kAlways = form::kAlways;
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
  // name, extension, when, Connect type, semantic name, append, refine, filler, function default,
  // placeholder, array, its placeholder
  {"bool", false, kAlways, kBoolean, "", AppendBoolean, nullptr, "f", "f", kNone, kArray, kNone},
  {"int2", false, kAlways, kInt16, "", AppendInt16, nullptr, "0", "0", kNone, kArray, kNone},
  {"int4", false, kAlways, kInt32, "", AppendInt32, nullptr, "0", "0", kNone, kArray, kNumbers},
  {"int8", false, kAlways, kInt64, "", AppendInt64, nullptr, "0", "0", kNone, kArray, kNumbers},
  {"oid", false, kAlways, kInt64, "", AppendOid, nullptr, "0", nullptr, kNone, kArray, kNone},
  {"float4", false, kAlways, kFloat, "", AppendFloat4, nullptr, "0", "0", kNone, kArray, kNone},
  {"float8", false, kAlways, kDouble, "", AppendFloat8, nullptr, "0", "0", kNone, kArray, kNone},
  {"numeric", false, form::kDecimalDouble, kDouble, "", AppendDecimalDouble, nullptr, "0", "0", kNone, kFinite, kNone},
  {"numeric", false, form::kDecimalString, kString, "", AppendDecimalString, RefineScale, "0", "0", kRawText, kFinite, kNone},
  {"numeric", false, kAlways, kBytes, kDecimal, AppendDecimal, RefineNumeric, "0", "0", kNone, kFinite, kNone},
  {"money", false, form::kDecimalDouble, kDouble, "", AppendMoneyDouble, nullptr, "0", nullptr, kNone, kLeftOut, kNone},
  {"money", false, form::kDecimalString, kString, "", AppendMoneyString, RefineMoneyText, "0", nullptr, kNone, kLeftOut, kNone},
  {"money", false, kAlways, kBytes, kDecimal, AppendMoney, RefineMoney, "0", nullptr, kNone, kLeftOut, kNone},

  {"text", false, kAlways, kString, "", AppendString, nullptr, "", "", kText, kArray, kText},
  {"varchar", false, kAlways, kString, "", AppendString, nullptr, "", "", kText, kArray, kText},
  {"bpchar", false, kAlways, kString, "", AppendString, nullptr, "", "", kText, kArray, kText},
  {"char", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"name", false, form::kKeepLost | form::kUnknown, kString, "", AppendString, nullptr, "", nullptr, kText, kLeftOut, kNone},
  {"name", false, kAlways, kString, "", AppendSnapshotString, nullptr, "", nullptr, kText, kLeftOut, kNone},
  {"citext", true, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"json", false, kAlways, kString, kJson, AppendString, nullptr, "", "{}", kText, kArray, kText},
  {"jsonb", false, kAlways, kString, kJson, AppendString, nullptr, "", "{}", kText, kArray, kText},
  {"xml", false, kAlways, kString, "io.debezium.data.Xml", AppendString, nullptr, "", "", kText, kLeftOut, kNone},
  {"uuid", false, kAlways, kString, "io.debezium.data.Uuid", AppendString, nullptr, "", kZeroUuid, kText, kArray, Placeholder::kUuid},
  {"inet", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"cidr", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"macaddr", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"macaddr8", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"tsvector", false, kAlways, kString, "io.debezium.data.Tsvector", AppendString, nullptr, "", nullptr, kText, kRequired, kNone},
  {"ltree", true, kAlways, kString, "io.debezium.data.Ltree", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"isbn", true, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kRequired, kNone},
  {"hstore", true, form::kHstoreMap, ConnectType::kMap, "", AppendHstoreMap, RefineHstoreMap, "", nullptr, kOfHstore, kArray, kNone},
  {"hstore", true, kAlways, kString, kJson, AppendHstoreJson, nullptr, "", nullptr, kOfHstore, kArray, kNone},
  {"int4range", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"int8range", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"numrange", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"tsrange", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"tstzrange", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"daterange", false, kAlways, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {kEnumFamily, true, kAlways, kString, "io.debezium.data.Enum", AppendString, nullptr, "", "", kText, kRequired, kNone},

  {"bytea", false, form::kBase64, kString, "", AppendBytea, nullptr, "\\x", nullptr, kKeptText, kArray, kNone},
  {"bytea", false, form::kBase64UrlSafe, kString, "", AppendByteaUrlSafe, nullptr, "\\x", nullptr, kKeptText, kArray, kNone},
  {"bytea", false, form::kHex, kString, "", AppendByteaHex, nullptr, "\\x", nullptr, kRawText, kArray, kNone},
  {"bytea", false, kAlways, kBytes, "", AppendBytea, nullptr, "\\x", nullptr, kOfBytes, kArray, kOfBytes},
  {"bit", false, kAlways, kBytes, kBits, AppendBits, RefineBits, "", "", kNone, kNulled, kNone},
  {"varbit", false, kAlways, kBytes, kBits, AppendBits, RefineBits, "", "", kNone, kLeftOut, kNone},

  {"date", false, form::kConnectTime, kInt32, "org.apache.kafka.connect.data.Date", AppendConnectDate, nullptr, "1970-01-01", "1970-01-01", kNone, kArray, kNone},
  {"date", false, form::kIsoTime, kString, "io.debezium.time.IsoDate", AppendIsoDate, nullptr, "1970-01-01", "1970-01-01", kNone, kArray, kNone},
  {"date", false, kAlways, kInt32, "io.debezium.time.Date", AppendDate, nullptr, "1970-01-01", "1970-01-01", kNone, kArray, kNumbers},
  {"time", false, form::kConnectTime, kInt32, "org.apache.kafka.connect.data.Time", AppendConnectTimeOfDay, nullptr, kMidnight, kMidnight, kNone, kArray, kNone},
  {"time", false, form::kIsoTimeKept, kString, "io.debezium.time.IsoTime", AppendIsoTimeKept, nullptr, kMidnight, kMidnight, kNone, kArray, kNone},
  {"time", false, form::kIsoTime, kString, "io.debezium.time.IsoTime", AppendIsoTime, nullptr, kMidnight, kMidnight, kNone, kArray, kNone},
  {"time", false, form::kNanos, kInt64, "io.debezium.time.NanoTime", AppendTimeNanos, nullptr, kMidnight, kMidnight, kNone, kArray, kNone},
  {"time", false, kMicroTime, kInt64, "io.debezium.time.MicroTime", AppendTimeMicros, nullptr, kMidnight, kMidnight, kNone, kArray, kNone},
  {"time", false, kAlways, kInt64, "io.debezium.time.MicroTime", AppendTimeMicros, RefineTime, kMidnight, kMidnight, kNone, kArray, kNone},
  {"timetz", false, form::kKeepLost, kString, "io.debezium.time.ZonedTime", AppendZonedTimeKept, nullptr, "00:00:00+00", nullptr, kText, kArray, kNone},
  {"timetz", false, kAlways, kString, "io.debezium.time.ZonedTime", AppendZonedTime, nullptr, "00:00:00+00", nullptr, kText, kArray, kNone},
  {"timestamp", false, form::kConnectTime, kInt64, "org.apache.kafka.connect.data.Timestamp", AppendConnectTimestamp, nullptr, kEpoch, kEpoch, kNone, kArray, kNone},
  {"timestamp", false, form::kIsoTime, kString, "io.debezium.time.IsoTimestamp", AppendIsoTimestamp, nullptr, kEpoch, kEpoch, kNone, kArray, kNone},
  {"timestamp", false, form::kNanos, kInt64, "io.debezium.time.NanoTimestamp", AppendTimestampNanos, nullptr, kEpoch, kEpoch, kNone, kArray, kNone},
  {"timestamp", false, form::kMicros, kInt64, kMicroTimestamp, AppendTimestampMicros, nullptr, kEpoch, kEpoch, kNone, kArray, kNone},
  {"timestamp", false, kAlways, kInt64, kMicroTimestamp, AppendTimestampMicros, RefineTimestamp, kEpoch, kEpoch, kNone, kArray, kNone},
  {"timestamptz", false, kAlways, kString, "io.debezium.time.ZonedTimestamp", AppendZonedTimestamp, RefineZonedTimestamp, kZonedEpoch, kZonedEpoch, kText, kArray, kNone},
  {"interval", false, form::kIntervalStringKept, kString, "io.debezium.time.Interval", AppendIntervalStringExact, nullptr, kMidnight, kMidnight, kNone, kLeftOut, kNone},
  {"interval", false, form::kIntervalString, kString, "io.debezium.time.Interval", AppendIntervalString, nullptr, kMidnight, kMidnight, kNone, kLeftOut, kNone},
  {"interval", false, form::kKeepLost, kInt64, kMicroDuration, AppendIntervalExact, nullptr, kMidnight, kMidnight, kNone, kLeftOut, kNone},
  {"interval", false, kAlways, kInt64, kMicroDuration, AppendIntervalMicros, nullptr, kMidnight, kMidnight, kNone, kLeftOut, kNone},

  {"point", false, kAlways, kStruct, "io.debezium.data.geometry.Point", AppendPoint, RefinePoint, "(0,0)", nullptr, kNone, kLeftOut, kNone},
  {"geometry", true, kAlways, kStruct, "io.debezium.data.geometry.Geometry", AppendGeometry, RefineGeometry, kEmptyCollection, nullptr, kNone, kArray, kNone},
  {"geography", true, kAlways, kStruct, "io.debezium.data.geometry.Geography", AppendGeometry, RefineGeography, kEmptyCollection, nullptr, kNone, kArray, kNone},
  {"vector", true, kAlways, ConnectType::kArray, "io.debezium.data.DoubleVector", AppendVector, RefineVector, "[]", nullptr, kNone, kRequired, kNone},
  {"halfvec", true, kAlways, ConnectType::kArray, "io.debezium.data.FloatVector", AppendHalfVector, RefineHalfVector, "[]", nullptr, kNone, kRequired, kNone},
  {"sparsevec", true, kAlways, kStruct, "io.debezium.data.SparseDoubleVector", AppendSparseVector, RefineSparseVector, "{}/0", nullptr, kNone, kRequired, kNone},

  {kGeometricFamily, true, form::kUnknownBytes, kBytes, "", AppendGeometricBase64, RefineGeometric, "", nullptr, kNone, kRequired, kNone},
  {kGeometricFamily, true, form::kUnknownBase64, kString, "", AppendGeometricBase64, RefineGeometric, "", nullptr, kKeptText, kRequired, kNone},
  {kGeometricFamily, true, form::kUnknownBase64UrlSafe, kString, "", AppendGeometricBase64UrlSafe, RefineGeometric, "", nullptr, kKeptText, kRequired, kNone},
  {kGeometricFamily, true, form::kUnknownHex, kString, "", AppendGeometricHex, RefineGeometric, "", nullptr, kRawText, kRequired, kNone},
  {kUnknownFamily, true, form::kUnknownBytes, kBytes, "", AppendTextBase64, nullptr, "", nullptr, kNone, kRequired, kNone},
  {kUnknownFamily, true, form::kUnknownBase64, kString, "", AppendTextBase64, nullptr, "", nullptr, kKeptText, kRequired, kNone},
  {kUnknownFamily, true, form::kUnknownBase64UrlSafe, kString, "", AppendTextBase64UrlSafe, nullptr, "", nullptr, kKeptText, kRequired, kNone},
  {kUnknownFamily, true, form::kUnknownHex, kString, "", AppendTextHex, nullptr, "", nullptr, kRawText, kRequired, kNone},
};
// clang-format on

}  // namespace

absl::Span<const TypeRow> TypeRows() { return kRows; }

}  // namespace walduct::encode
