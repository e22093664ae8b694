// Values of functions and constants, for any format: a template over its writer.
#pragma once

#include <cstdint>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "encode/formats/formats.h"
#include "encode/formats/java_text.h"
#include "encode/schema/connect_schema.h"
#include "event/scalar.h"
#include "java/time/connect_time.h"

namespace walduct::encode {
namespace internal {

inline int32_t ScaleOf(const ConnectSchema& schema) {
  int32_t scale = 0;
  for (const auto& [name, value] : schema.parameters) {
    if (name == "scale" && !absl::SimpleAtoi(value, &scale)) scale = 0;
  }
  return scale;
}

template <typename Writer>
bool WriteDecimal(absl::string_view digits, const ConnectSchema* schema, Scratch* scratch,
                  Writer* out) {
  DecimalText decimal;
  if (ParseDecimal(digits, &decimal) != Outcome::kOk) return false;
  const bool scaled = schema != nullptr && IsDecimal(*schema);
  const auto own_scale = static_cast<int32_t>(decimal.fraction.size());
  const int32_t scale = scaled ? ScaleOf(*schema) : own_scale;
  if (own_scale > scale) return false;
  out->Decimal(decimal, scale, scratch);
  return true;
}

template <typename Writer>
void WriteInteger(int64_t value, const ConnectSchema* schema, Writer* out) {
  const absl::string_view name = schema == nullptr ? "" : absl::string_view(schema->name);
  if (name == java::kConnectDate) {
    out->ConnectDate(value);
  } else if (name == java::kConnectTime) {
    out->ConnectTime(value);
  } else if (name == java::kConnectTimestamp) {
    out->ConnectTimestamp(value);
  } else {
    out->Integer(value);
  }
}

// Only a format of text has a form for it.
template <typename Writer>
bool WriteJson(absl::string_view json, const ConnectSchema* schema, Writer* out) {
  if constexpr (std::is_same_v<Writer, JavaWriter>) {
    AppendJavaText(json, schema, out->text());
    return true;
  } else if constexpr (requires { out->Ready(json); }) {
    out->Ready(json);
    return true;
  } else {
    return false;
  }
}

}  // namespace internal

// value is not null and of the schema's type; a null schema: by its kind. False: a value that the
// schema has no room for, or the format no form.
template <typename Writer>
bool WriteScalar(const event::Scalar& value, const ConnectSchema* schema, Scratch* scratch,
                 Writer* out) {
  switch (value.kind) {
    case event::Scalar::Kind::kNull:
      break;
    case event::Scalar::Kind::kBoolean:
      out->Boolean(value.integer != 0);
      break;
    case event::Scalar::Kind::kInteger:
      internal::WriteInteger(value.integer, schema, out);
      break;
    case event::Scalar::Kind::kReal:
      if (schema != nullptr && schema->type == ConnectType::kFloat) {
        out->Float(static_cast<float>(value.real));
      } else {
        out->Double(value.real);
      }
      break;
    case event::Scalar::Kind::kText:
      out->String(value.text);
      break;
    case event::Scalar::Kind::kBytes:
      out->Bytes(value.text);
      break;
    case event::Scalar::Kind::kDecimal:
      return internal::WriteDecimal(value.text, schema, scratch, out);
    case event::Scalar::Kind::kJson:
      return internal::WriteJson(value.text, schema, out);
  }
  return true;
}
}  // namespace walduct::encode
