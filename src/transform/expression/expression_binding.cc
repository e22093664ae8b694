#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "java/time/connect_time.h"
#include "transform/expression/bound_expression.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using Kind = Expression::Kind;

// Finds what the paths of an expression mean in one template.
class Binder {
 public:
  explicit Binder(const RecordTemplate& record) : record_(record) {}

  BoundExpression Bind(const Expression& expression) {
    BoundExpression bound;
    bound.expression = &expression;
    if (expression.kind == Kind::kPath) {
      absl::StatusOr<BoundExpression> path = BindPath(expression);
      if (path.ok()) return *std::move(path);
      // `value.op == 'd' || value.after.id == 1` never looks at the row that a delete lacks.
      bound.source = BoundExpression::Source::kError;
      bound.error = path.status();
    }
    for (const Expression& child : expression.children) bound.children.push_back(Bind(child));
    return bound;
  }

  std::vector<Node> TakeOperands() { return std::move(operands_); }

 private:
  static BoundExpression Constant(const Scalar& value) {
    BoundExpression bound;
    bound.source = BoundExpression::Source::kConstant;
    bound.constant = std::make_shared<const Node>(event::ConstantNode(nullptr, value));
    return bound;
  }

  absl::StatusOr<BoundExpression> BindPath(const Expression& expression) {
    const std::string& root = expression.path[0];
    if (root == "topic") return Constant(Scalar::Text(record_.topic));
    if (root == "header") return BindHeader(expression);
    const std::optional<Node>& record = root == "key" ? record_.key : record_.value;
    Node node = record ? *record : event::NullNode(nullptr);
    for (size_t i = 1; i < expression.path.size(); ++i) {
      ASSIGN_OR_RETURN(node, Step(node, expression.path[i], expression.safe[i]));
    }
    return BindNode(node);
  }

  static absl::StatusOr<Node> Step(const Node& node, const std::string& name, bool safe) {
    if (node.kind == Node::Kind::kNull) {
      if (safe) return event::NullNode(nullptr);
      return RecordError(absl::StrCat("the expression reads '", name, "' of null; write ?.", name));
    }
    if (node.is_struct()) {
      const Node* member = node.Find(name);
      if (member != nullptr) return *member;
      if (node.schema == nullptr) return event::NullNode(nullptr);  // a map
    } else if (node.schema != nullptr && node.schema->type == ConnectType::kStruct) {
      if (const event::ConnectField* field = node.schema->Find(name))
        return MemberOfLeaf(node, name, field->schema);
    }
    return RecordError(absl::StrCat(name, " is not a valid field name"));
  }

  // header.name is an object; header.name.value its value.
  absl::StatusOr<BoundExpression> BindHeader(const Expression& expression) {
    const std::vector<std::string>& path = expression.path;
    if (path.size() < 2 || path.size() > 3 || (path.size() == 3 && path[2] != "value"))
      return RecordError("the expression must name a header as header.name.value");
    const Node* found = nullptr;
    for (const Node& header : record_.headers) {
      if (header.name == path[1]) found = &header;
    }
    if (found != nullptr && path.size() == 3) return BindNode(*found);
    if (found == nullptr && path.size() == 3 && !expression.safe[2])
      return RecordError(absl::StrCat("the record has no header '", path[1], "'"));
    BoundExpression bound = Constant(Scalar::Null());
    if (found != nullptr) bound.source = BoundExpression::Source::kStruct;
    return bound;
  }

  BoundExpression BindNode(const Node& node) {
    if (node.kind == Node::Kind::kNull) return Constant(Scalar::Null());
    BoundExpression bound;
    if (node.is_struct()) {
      bound.source = BoundExpression::Source::kStruct;
      return bound;
    }
    const Node taken = Taken(node, true);
    if (taken.leaf.kind == event::Leaf::Kind::kConstant) {
      bound = Constant(taken.leaf.constant_value());
    } else {
      bound.source = BoundExpression::Source::kOperand;
      bound.operand = operands_.size();
      operands_.push_back(taken);
    }
    if (node.schema == nullptr) return bound;
    bound.type = node.schema->type;
    const std::string& name = node.schema->name;
    bound.opaque =
        name == java::kConnectDate || name == java::kConnectTime || name == java::kConnectTimestamp;
    return bound;
  }

  const RecordTemplate& record_;
  std::vector<Node> operands_;
};

}  // namespace

BoundExpression Bind(const Expression& expression, const RecordTemplate& record,
                     std::vector<Node>* operands) {
  Binder binder(record);
  BoundExpression bound = binder.Bind(expression);
  *operands = binder.TakeOperands();
  return bound;
}

}  // namespace walduct::transform
