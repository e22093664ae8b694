#include "transform/template/value_functions.h"

#include "event/tree.h"
#include "transform/template/template_edit.h"

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
  const auto function = MakeFunction([member](auto in, std::string*, Scalar* out) {
    *out = event::TreeField(in[0], member);
    return absl::OkStatus();
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

}  // namespace walduct::transform
