#include "encode/formats/scalar_text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "encode/formats/write_scalar.h"
#include "java/time/connect_time.h"

namespace walduct::encode {
namespace {

using event::Scalar;

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
