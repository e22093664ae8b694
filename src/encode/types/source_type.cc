#include "encode/types/source_type.h"

#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "encode/types/type_table.h"

namespace walduct::encode {
namespace {

using event::Type;
using event::TypeKind;

constexpr int32_t kUnknown = std::numeric_limits<int32_t>::max();
constexpr int32_t kTypmodHeader = 4;  // VARHDRSZ
constexpr int32_t kNumericMax =
    131089;                           // digits of a numeric without modifier, as the driver has it
constexpr int32_t kMaxPrecision = 6;  // digits of a second's fraction

// How length and scale follow from the type modifier.
enum class Rule : uint8_t { kFixed, kCharacters, kBits, kNumeric, kTime, kInterval };

struct LengthRow {
  absl::string_view name;
  Rule rule;
  int32_t length;  // kFixed: itself; kTime: without a fraction
  int32_t scale;
};

constexpr LengthRow kLengths[] = {
    {"bool", Rule::kFixed, 1, 0},         {"int2", Rule::kFixed, 5, 0},
    {"int4", Rule::kFixed, 10, 0},        {"int8", Rule::kFixed, 19, 0},
    {"oid", Rule::kFixed, 10, 0},         {"float4", Rule::kFixed, 8, 8},
    {"float8", Rule::kFixed, 17, 17},     {"char", Rule::kFixed, 1, 0},
    {"date", Rule::kFixed, 13, 0},        {"varchar", Rule::kCharacters, 0, 0},
    {"bpchar", Rule::kCharacters, 0, 0},  {"bit", Rule::kBits, 0, 0},
    {"varbit", Rule::kBits, 0, 0},        {"numeric", Rule::kNumeric, 0, 0},
    {"time", Rule::kTime, 8, 0},          {"timetz", Rule::kTime, 14, 0},
    {"timestamp", Rule::kTime, 22, 0},    {"timestamptz", Rule::kTime, 28, 0},
    {"interval", Rule::kInterval, 49, 0},
};

const LengthRow* FindLength(const Type& type) {
  if (type.schema != "pg_catalog" || type.kind != TypeKind::kBase) return nullptr;
  for (const LengthRow& row : kLengths) {
    if (row.name == type.name) return &row;
  }
  return nullptr;
}

// Width of ".ffffff"; the driver gives one digit three places.
int32_t FractionWidth(int32_t precision) {
  if (precision == 0) return 0;
  return precision == 1 ? 3 : precision + 1;
}

// An integer with a sequence, whatever the DEFAULT makes of its number.
std::string NameInSnapshot(const event::Column& column) {
  const std::string& name = column.type->name;
  if (!column.default_expression || !absl::StrContains(*column.default_expression, "nextval("))
    return name;
  if (name == "int4") return "serial";
  if (name == "int8") return "bigserial";
  return name == "int2" ? "smallserial" : name;
}

void SetLength(const LengthRow& row, int32_t typmod, SourceType* type) {
  type->length = row.length;
  type->scale = row.scale;
  switch (row.rule) {
    case Rule::kFixed:
      return;
    case Rule::kCharacters:
      type->length = typmod < kTypmodHeader ? kUnknown : typmod - kTypmodHeader;
      return;
    case Rule::kBits:
      type->length = typmod < 0 ? kUnknown : typmod;
      return;
    case Rule::kNumeric:
      type->length = typmod < kTypmodHeader ? kNumericMax : (typmod - kTypmodHeader) >> 16 & 0xFFFF;
      type->scale = typmod < kTypmodHeader ? 0 : (typmod - kTypmodHeader) & 0xFFFF;
      return;
    case Rule::kTime:
      type->scale = typmod < 0 ? kMaxPrecision : typmod;
      type->length += FractionWidth(*type->scale);
      return;
    case Rule::kInterval:
      type->scale = typmod < 0 ? kMaxPrecision : typmod & 0xFFFF;
      return;
  }
}

}  // namespace

SourceType SourceTypeOf(const event::Column& column, bool snapshot) {
  SourceType source;
  source.name = snapshot ? NameInSnapshot(column) : column.type->name;
  source.length = kUnknown;
  source.scale = 0;
  const Type& base = event::BaseType(*column.type);
  const bool array = base.kind == TypeKind::kArray && base.element != nullptr;
  // The driver knows nothing of an element that is a domain.
  const LengthRow* row = FindLength(array ? *base.element : base);
  if (row == nullptr) return source;
  const int32_t typmod = EffectiveTypmod(*column.type, column.typmod);
  SetLength(*row, typmod, &source);
  if (snapshot && row->rule == Rule::kNumeric && typmod < kTypmodHeader &&
      &base == column.type.get() && !array) {
    source.length = 0;
    source.scale.reset();
  }
  return source;
}

bool IsCharacterType(const Type& type) {
  const Type& base = event::BaseType(type);
  if (base.kind == TypeKind::kEnum || IsKnownByText(base)) return true;
  const bool of_name = base.kind == TypeKind::kBase || base.kind == TypeKind::kUnknown;
  if (!of_name || base.schema != "pg_catalog") return false;
  for (const absl::string_view name : {"text", "varchar", "bpchar", "char", "name"}) {
    if (base.name == name) return true;
  }
  return false;
}

}  // namespace walduct::encode
