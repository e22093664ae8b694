#include "transform/template/value_functions.h"

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "transform/template/template_edit.h"
#include "transform/values/json_reader.h"

namespace walduct::transform {

using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;
using event::Scalar;

absl::StatusOr<Node> Converted(const Node& operand, ConnectSchemaPtr schema,
                               const event::ValueFunctionPtr& function) {
  if (operand.kind == Node::Kind::kNull) return event::NullNode(std::move(schema), operand.name);
  if (operand.leaf.kind != event::Leaf::Kind::kConstant)
    return event::FunctionNode(std::move(schema), function, {operand}, operand.name);
  const Scalar in = operand.leaf.constant_value();
  std::string buffer;
  Scalar out;
  if (absl::Status status = function->Apply({&in, 1}, &buffer, &out); !status.ok()) return status;
  return event::ConstantNode(std::move(schema), out, operand.name);
}

Node IsNullNode(const Node& leaf) {
  static const event::ValueFunctionPtr* const function =
      new event::ValueFunctionPtr(MakeFunction([](auto in, std::string*, Scalar* out) {
        *out = Scalar::Boolean(in[0].is_null());
        return absl::OkStatus();
      }));
  return event::FunctionNode(PlainSchema(ConnectType::kBoolean, false), *function, {leaf});
}

Node MemberOfLeaf(const Node& leaf, const std::string& member, ConnectSchemaPtr schema) {
  const auto function = MakeFunction([member, schema](auto in, std::string* buffer, Scalar* out) {
    *out = Scalar::Null();
    if (in[0].is_null()) return absl::OkStatus();
    const absl::string_view json = JsonMember(in[0].text, member);
    if (json.empty() || json == "null") return absl::OkStatus();
    return ScalarFromJson(json, *schema, buffer, out)
               ? absl::OkStatus()
               : RecordError(absl::StrCat("field ", member, " is not of the type of its schema"));
  });
  return event::FunctionNode(std::move(schema), function, {leaf}, member);
}

Scalar DefaultOf(const ConnectSchema& schema, std::string* buffer) {
  if (!schema.default_value) return Scalar::Null();
  Scalar value = schema.default_value->value();
  buffer->assign(value.text.data(), value.text.size());
  value.text = *buffer;
  return value;
}

namespace {

bool NumberFromJson(absl::string_view json, ConnectType type, Scalar* out) {
  if (type == ConnectType::kFloat || type == ConnectType::kDouble) {
    double real = 0;
    if (json.size() > 2 && json[0] == '"') json = json.substr(1, json.size() - 2);  // "Infinity"
    if (!absl::SimpleAtod(json, &real)) return false;
    *out = Scalar::Real(real);
    return true;
  }
  int64_t integer = 0;
  if (!absl::SimpleAtoi(json, &integer)) return false;
  *out = Scalar::Integer(integer);
  return true;
}

}  // namespace

bool ScalarFromJson(absl::string_view json, const ConnectSchema& schema, std::string* buffer,
                    Scalar* out) {
  switch (schema.type) {
    case ConnectType::kBoolean:
      *out = Scalar::Boolean(json == "true");
      return json == "true" || json == "false";
    case ConnectType::kInt8:
    case ConnectType::kInt16:
    case ConnectType::kInt32:
    case ConnectType::kInt64:
    case ConnectType::kFloat:
    case ConnectType::kDouble:
      return NumberFromJson(json, schema.type, out);
    case ConnectType::kString:
      if (!JsonText(json, buffer)) return false;
      *out = Scalar::Text(*buffer);
      return true;
    case ConnectType::kBytes: {
      std::string base64;
      if (!JsonText(json, &base64) || !absl::Base64Unescape(base64, buffer)) return false;
      *out = Scalar::Bytes(*buffer);
      return true;
    }
    default:
      buffer->assign(json.data(), json.size());
      *out = Scalar::Json(*buffer);
      return true;
  }
}

}  // namespace walduct::transform
