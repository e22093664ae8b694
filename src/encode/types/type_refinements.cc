#include "encode/types/type_refinements.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "encode/options/value_options.h"

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

}  // namespace

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

}  // namespace walduct::encode
