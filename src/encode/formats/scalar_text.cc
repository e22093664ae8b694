#include "encode/formats/scalar_text.h"

#include <type_traits>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "encode/formats/formats.h"
#include "encode/formats/java_text.h"
#include "java/time/connect_time.h"

namespace walduct::encode {
namespace {

using event::Scalar;

int32_t ScaleOf(const ConnectSchema& schema) {
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

template <typename Writer>
void WriteJson(absl::string_view json, const ConnectSchema* schema, Writer* out) {
  if constexpr (std::is_same_v<Writer, JavaWriter>) {
    AppendJavaText(json, schema, out->text());
  } else {
    out->Ready(json);
  }
}

template <typename Writer>
bool WriteScalar(const Scalar& value, const ConnectSchema* schema, Scratch* scratch, Writer* out) {
  switch (value.kind) {
    case Scalar::Kind::kNull:
      break;
    case Scalar::Kind::kBoolean:
      out->Boolean(value.integer != 0);
      break;
    case Scalar::Kind::kInteger:
      WriteInteger(value.integer, schema, out);
      break;
    case Scalar::Kind::kReal:
      if (schema != nullptr && schema->type == ConnectType::kFloat) {
        out->Float(static_cast<float>(value.real));
      } else {
        out->Double(value.real);
      }
      break;
    case Scalar::Kind::kText:
      out->String(value.text);
      break;
    case Scalar::Kind::kBytes:
      out->Bytes(value.text);
      break;
    case Scalar::Kind::kDecimal:
      return WriteDecimal(value.text, schema, scratch, out);
    case Scalar::Kind::kJson:
      WriteJson(value.text, schema, out);
      break;
  }
  return true;
}

}  // namespace

bool AppendScalar(const Scalar& value, const ConnectSchema* schema, ValueContext* context) {
  return WithTextWriter(
      *context, [&](auto* out) { return WriteScalar(value, schema, context->scratch, out); });
}

bool AppendHeaderScalar(const Scalar& value, const ConnectSchema* schema, ValueContext* context) {
  const bool time = value.kind == Scalar::Kind::kInteger && schema != nullptr &&
                    java::AppendConnectTime(schema->name, value.integer, context->out);
  if (time) return true;
  context->format = value.kind == Scalar::Kind::kJson ? TextFormat::kHeader : TextFormat::kStruct;
  return AppendScalar(value, schema, context);
}

Scalar DefaultScalar(const ConnectSchema& schema, std::string* buffer) {
  if (!schema.default_value) return Scalar::Null();
  const std::string& text = schema.default_value->text;
  const std::string& json = schema.default_value->json;
  if (IsDecimal(schema)) return Scalar::Decimal(text);
  int64_t integer = 0;
  double real = 0;
  switch (schema.type) {
    case ConnectType::kBoolean:
      return Scalar::Boolean(json == "true");
    case ConnectType::kInt8:
    case ConnectType::kInt16:
    case ConnectType::kInt32:
    case ConnectType::kInt64:
      return absl::SimpleAtoi(json, &integer) ? Scalar::Integer(integer) : Scalar::Null();
    case ConnectType::kFloat:
    case ConnectType::kDouble:
      return absl::SimpleAtod(json, &real) ? Scalar::Real(real) : Scalar::Null();
    case ConnectType::kString:
      return Scalar::Text(text);
    case ConnectType::kBytes:
      if (json.size() < 2 || !absl::Base64Unescape(json.substr(1, json.size() - 2), buffer))
        return Scalar::Null();
      return Scalar::Bytes(*buffer);
    default:
      return Scalar::Json(json);
  }
}

}  // namespace walduct::encode
