#include "encode/values/scalar_text.h"

#include <charconv>
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "encode/values/appenders.h"
#include "encode/values/base64.h"
#include "encode/values/java_text.h"
#include "java/text/number_text.h"
#include "java/time/connect_time.h"

namespace walduct::encode {
namespace {

using event::Scalar;

void AppendInteger(int64_t value, std::string* out) {
  char digits[24];
  out->append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

void AppendReal(double value, bool single, ValueContext* context) {
  const bool quoted = context->format == TextFormat::kJson && !std::isfinite(value);
  if (quoted) context->out->push_back('"');
  if (single) {
    java::AppendFloat(static_cast<float>(value), context->out);
  } else {
    java::AppendDouble(value, context->out);
  }
  if (quoted) context->out->push_back('"');
}

int32_t ScaleOf(const ConnectSchema& schema) {
  int32_t scale = 0;
  for (const auto& [name, value] : schema.parameters) {
    if (name == "scale" && !absl::SimpleAtoi(value, &scale)) scale = 0;
  }
  return scale;
}

bool AppendDecimalScalar(absl::string_view digits, const ConnectSchema* schema,
                         ValueContext* context) {
  ValuePlan plan;
  if (schema == nullptr || !IsDecimal(*schema)) {
    const size_t point = digits.find('.');
    plan.scale =
        point == absl::string_view::npos ? 0 : static_cast<int32_t>(digits.size() - point - 1);
  } else {
    plan.scale = ScaleOf(*schema);
  }
  return AppendDecimal(digits, plan, context) == Outcome::kOk;
}

}  // namespace

bool AppendScalar(const Scalar& value, const ConnectSchema* schema, ValueContext* context) {
  switch (value.kind) {
    case Scalar::Kind::kNull:
      break;
    case Scalar::Kind::kBoolean:
      context->out->append(value.integer != 0 ? "true" : "false");
      break;
    case Scalar::Kind::kInteger:
      if (context->format == TextFormat::kHeader && schema != nullptr &&
          java::AppendConnectTime(schema->name, value.integer, context->out))
        break;
      AppendInteger(value.integer, context->out);
      break;
    case Scalar::Kind::kReal:
      AppendReal(value.real, schema != nullptr && schema->type == ConnectType::kFloat, context);
      break;
    case Scalar::Kind::kText:
      AppendText(value.text, context);
      break;
    case Scalar::Kind::kBytes:
      if (context->format != TextFormat::kStruct) context->out->push_back('"');
      AppendBase64(value.text, context->out);
      if (context->format != TextFormat::kStruct) context->out->push_back('"');
      break;
    case Scalar::Kind::kDecimal:
      return AppendDecimalScalar(value.text, schema, context);
    case Scalar::Kind::kJson:
      if (context->format == TextFormat::kStruct) {
        AppendJavaText(value.text, schema, context->out);
      } else {
        context->out->append(value.text.data(), value.text.size());
      }
      break;
  }
  return true;
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
