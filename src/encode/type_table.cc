#include "encode/type_table.h"

#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "encode/appenders.h"

namespace walduct::encode {
namespace {

using event::Type;
using event::TypeKind;

constexpr int32_t kTypmodHeader = 4;  // VARHDRSZ, added to numeric's modifier
constexpr int32_t kMillisPrecision = 3;

void RefineNumeric(int32_t typmod, ConnectSchema* schema, ValuePlan* plan) {
  if (typmod < kTypmodHeader) {
    *schema = Schema(ConnectType::kStruct, "io.debezium.data.VariableScaleDecimal");
    schema->doc = "Variable scaled decimal";
    schema->fields = {{"scale", Shared(Schema(ConnectType::kInt32))},
                      {"value", Shared(Schema(ConnectType::kBytes))}};
    plan->append = AppendVariableScaleDecimal;
    return;
  }
  // A negative scale is left as the 11 bits that PostgreSQL stores, as Debezium does: -2 is scale 2046, the value is the same.
  const int32_t packed = typmod - kTypmodHeader;
  plan->scale = packed & 0xFFFF;
  schema->parameters = {{"scale", absl::StrCat(plan->scale)},
                        {"connect.decimal.precision", absl::StrCat(packed >> 16 & 0xFFFF)}};
}

void RefineMoney(int32_t, ConnectSchema* schema, ValuePlan* plan) {
  plan->scale = 2;
  schema->parameters = {{"scale", "2"}};
}

void RefineBits(int32_t typmod, ConnectSchema* schema, ValuePlan* plan) {
  if (typmod == 1) {
    *schema = Schema(ConnectType::kBoolean);
    plan->append = AppendBit;
    return;
  }
  const int32_t length = typmod < 0 ? std::numeric_limits<int32_t>::max() : typmod;
  schema->parameters = {{"length", absl::StrCat(length)}};
}

void RefineTime(int32_t typmod, ConnectSchema* schema, ValuePlan* plan) {
  if (typmod < 0 || typmod > kMillisPrecision) return;
  *schema = Schema(ConnectType::kInt32, "io.debezium.time.Time");
  plan->append = AppendTimeMillis;
}

void RefineTimestamp(int32_t typmod, ConnectSchema* schema, ValuePlan* plan) {
  if (typmod < 0 || typmod > kMillisPrecision) return;
  *schema = Schema(ConnectType::kInt64, "io.debezium.time.Timestamp");
  plan->append = AppendTimestampMillis;
}

void RefineZonedTimestamp(int32_t typmod, ConnectSchema*, ValuePlan* plan) {
  if (typmod >= 0) plan->precision = typmod;
}

constexpr auto kBoolean = ConnectType::kBoolean;
constexpr auto kInt16 = ConnectType::kInt16;
constexpr auto kInt32 = ConnectType::kInt32;
constexpr auto kInt64 = ConnectType::kInt64;
constexpr auto kString = ConnectType::kString;
constexpr auto kBytes = ConnectType::kBytes;
constexpr auto kNone = Placeholder::kNone;
constexpr auto kText = Placeholder::kText;
constexpr auto kNumbers = Placeholder::kNumbers;
constexpr auto kNoArray = ArrayItems::kUnsupported;
constexpr auto kArray = ArrayItems::kOptional;
constexpr auto kRequired = ArrayItems::kRequired;
constexpr char kZeroUuid[] = "00000000-0000-0000-0000-000000000000";
constexpr char kEpoch[] = "1970-01-01 00:00:00";
constexpr char kZonedEpoch[] = "1970-01-01 00:00:00+00";
constexpr char kJson[] = "io.debezium.data.Json";

// clang-format off
constexpr TypeRow kTypes[] = {
  // name, extension, Connect type, semantic name, append, refine, filler, function default, placeholder, array, its placeholder
  {"bool", false, kBoolean, "", AppendBoolean, nullptr, "f", "f", kNone, kArray, kNone},
  {"int2", false, kInt16, "", AppendInt16, nullptr, "0", "0", kNone, kArray, kNone},
  {"int4", false, kInt32, "", AppendInt32, nullptr, "0", "0", kNone, kArray, kNumbers},
  {"int8", false, kInt64, "", AppendInt64, nullptr, "0", "0", kNone, kArray, kNumbers},
  {"oid", false, kInt64, "", AppendOid, nullptr, "0", nullptr, kNone, kArray, kNone},
  {"float4", false, ConnectType::kFloat, "", AppendFloat4, nullptr, "0", "0", kNone, kArray, kNone},
  {"float8", false, ConnectType::kDouble, "", AppendFloat8, nullptr, "0", "0", kNone, kArray, kNone},
  {"numeric", false, kBytes, "org.apache.kafka.connect.data.Decimal", AppendDecimal, RefineNumeric, "0", "0", kNone, kArray, kNone},
  {"money", false, kBytes, "org.apache.kafka.connect.data.Decimal", AppendMoney, RefineMoney, "0", nullptr, kNone, kNoArray, kNone},

  {"text", false, kString, "", AppendString, nullptr, "", "", kText, kArray, kText},
  {"varchar", false, kString, "", AppendString, nullptr, "", "", kText, kArray, kText},
  {"bpchar", false, kString, "", AppendString, nullptr, "", "", kText, kArray, kText},
  {"char", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"name", false, kString, "", AppendString, nullptr, "", nullptr, kText, kNoArray, kNone},
  {"citext", true, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"json", false, kString, kJson, AppendString, nullptr, "", "{}", kText, kArray, kText},
  {"jsonb", false, kString, kJson, AppendString, nullptr, "", "{}", kText, kArray, kText},
  {"xml", false, kString, "io.debezium.data.Xml", AppendString, nullptr, "", "", kText, kNoArray, kNone},
  {"uuid", false, kString, "io.debezium.data.Uuid", AppendString, nullptr, "", kZeroUuid, kText, kArray, Placeholder::kUuid},
  {"inet", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"cidr", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"macaddr", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"macaddr8", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"tsvector", false, kString, "io.debezium.data.Tsvector", AppendString, nullptr, "", nullptr, kText, kRequired, kNone},
  {"ltree", true, kString, "io.debezium.data.Ltree", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"isbn", true, kString, "", AppendString, nullptr, "", nullptr, kText, kNoArray, kNone},
  {"hstore", true, kString, kJson, AppendHstoreJson, nullptr, "", nullptr, Placeholder::kHstore, kArray, kNone},
  {"int4range", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"int8range", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"numrange", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"tsrange", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"tstzrange", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},
  {"daterange", false, kString, "", AppendString, nullptr, "", nullptr, kText, kArray, kNone},

  {"bytea", false, kBytes, "", AppendBytea, nullptr, "\\x", nullptr, Placeholder::kBytes, kArray, Placeholder::kBytes},
  {"bit", false, kBytes, "io.debezium.data.Bits", AppendBits, RefineBits, "", "", kNone, kNoArray, kNone},
  {"varbit", false, kBytes, "io.debezium.data.Bits", AppendBits, RefineBits, "", "", kNone, kNoArray, kNone},

  {"date", false, kInt32, "io.debezium.time.Date", AppendDate, nullptr, "1970-01-01", "1970-01-01", kNone, kArray, kNumbers},
  {"time", false, kInt64, "io.debezium.time.MicroTime", AppendTimeMicros, RefineTime, "00:00:00", "00:00:00", kNone, kArray, kNone},
  {"timetz", false, kString, "io.debezium.time.ZonedTime", AppendZonedTime, nullptr, "00:00:00+00", nullptr, kText, kArray, kNone},
  {"timestamp", false, kInt64, "io.debezium.time.MicroTimestamp", AppendTimestampMicros, RefineTimestamp, kEpoch, kEpoch, kNone, kArray, kNone},
  {"timestamptz", false, kString, "io.debezium.time.ZonedTimestamp", AppendZonedTimestamp, RefineZonedTimestamp, kZonedEpoch, kZonedEpoch, kText, kArray, kNone},
  {"interval", false, kInt64, "io.debezium.time.MicroDuration", AppendIntervalMicros, nullptr, "00:00:00", "00:00:00", kNone, kNoArray, kNone},
};

constexpr TypeRow kEnum =
  {"", true, kString, "io.debezium.data.Enum", AppendString, nullptr, "", "", kText, kRequired, kNone};
// clang-format on

const TypeRow* FindRow(const Type& type) {
  if (type.kind == TypeKind::kEnum) return &kEnum;
  if (type.kind != TypeKind::kBase && type.kind != TypeKind::kRange) return nullptr;
  for (const TypeRow& row : kTypes) {
    if (row.name == type.name && (row.extension || type.schema == "pg_catalog")) return &row;
  }
  return nullptr;
}

bool MapScalar(const Type& type, int32_t typmod, TypeMapping* mapping) {
  const TypeRow* row = FindRow(type);
  if (row == nullptr) return false;
  mapping->row = row;
  mapping->schema = Schema(row->type, row->semantic_name);
  mapping->plan.append = row->append;
  if (row->refine != nullptr) row->refine(typmod, &mapping->schema, &mapping->plan);
  if (type.kind == TypeKind::kEnum)
    mapping->schema.parameters = {{"allowed", absl::StrJoin(type.labels, ",")}};
  mapping->filler = std::string(row->filler);
  mapping->placeholder = row->placeholder;
  return true;
}

bool MapArray(const Type& element, int32_t typmod, TypeMapping* mapping) {
  TypeMapping item;
  if (!MapScalar(element, typmod, &item) || item.row->array_items == ArrayItems::kUnsupported)
    return false;
  item.schema.optional = item.row->array_items == ArrayItems::kOptional;
  mapping->schema = Schema(ConnectType::kArray);
  mapping->schema.items = Shared(std::move(item.schema));
  mapping->plan.append = AppendArray;
  mapping->plan.element = std::make_shared<const ValuePlan>(item.plan);
  mapping->filler = "{}";
  mapping->placeholder = item.row->array_placeholder;
  mapping->array = true;
  mapping->row = item.row;
  return true;
}

// The modifier of a domain applies when the column has none of its own.
int32_t EffectiveTypmod(const Type& type, int32_t typmod) {
  const Type* t = &type;
  while (typmod == -1 && t->kind == TypeKind::kDomain && t->base != nullptr) {
    typmod = t->base_typmod;
    t = t->base.get();
  }
  return typmod;
}

}  // namespace

bool MapType(const Type& type, int32_t typmod, TypeMapping* mapping) {
  const Type& base = event::BaseType(type);
  const int32_t effective = EffectiveTypmod(type, typmod);
  if (base.kind != TypeKind::kArray) return MapScalar(base, effective, mapping);
  return base.element != nullptr && MapArray(*base.element, effective, mapping);
}

}  // namespace walduct::encode
