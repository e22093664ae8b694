#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "java/regex/regex.h"
#include "transform/expression/bound_expression.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Scalar;
using Kind = Expression::Kind;
using Value = ExpressionValue;

class Evaluation {
 public:
  explicit Evaluation(absl::Span<const Scalar> operands) : operands_(operands) {}

  absl::StatusOr<Value> Evaluate(const BoundExpression& bound) const {
    switch (bound.source) {
      case BoundExpression::Source::kOperand:
        return Opaque(Value{operands_[bound.operand], false, bound.type}, bound.opaque);
      case BoundExpression::Source::kConstant:
        return Opaque(Value{bound.constant->leaf.constant_value(), false, bound.type},
                      bound.opaque);
      case BoundExpression::Source::kStruct:
        return Value{{}, true};
      case BoundExpression::Source::kError:
        return bound.error;
      case BoundExpression::Source::kExpression:
        break;
    }
    const Expression& expression = *bound.expression;
    switch (expression.kind) {
      case Kind::kNull:
      case Kind::kPath:
      case Kind::kList:
        return Value{};
      case Kind::kBoolean:
        return Value{Scalar::Boolean(expression.integer != 0)};
      case Kind::kNumber:
        return Number(expression);
      case Kind::kText:
        return Value{Scalar::Text(expression.text)};
      case Kind::kChoice:
        return Choose(bound);
      case Kind::kNot:
      case Kind::kAnd:
      case Kind::kOr:
        return Logic(bound);
      case Kind::kIn:
        return In(bound);
      case Kind::kLower:
      case Kind::kUpper:
        return InCase(bound);
      case Kind::kConcatenate:
        return Sum(bound);
      default:
        return Relate(bound);
    }
  }

 private:
  static Value Opaque(Value value, bool opaque) {
    return opaque && !value.is_null() ? Value{{}, true} : value;
  }

  static Value Number(const Expression& expression) {
    if (!expression.whole && !expression.text.empty())
      return Value{Scalar::Decimal(expression.text)};
    if (!expression.whole) return Value{Scalar::Real(expression.real), false, ConnectType::kDouble};
    return Value{Scalar::Integer(expression.integer), false,
                 expression.wide ? ConnectType::kInt64 : ConnectType::kInt32};
  }

  absl::StatusOr<Value> Choose(const BoundExpression& bound) const {
    ASSIGN_OR_RETURN(const Value condition, Evaluate(bound.children[0]));
    return Evaluate(bound.children[Truth(condition) ? 1 : 2]);
  }

  absl::StatusOr<Value> Logic(const BoundExpression& bound) const {
    const Kind kind = bound.expression->kind;
    ASSIGN_OR_RETURN(const Value left, Evaluate(bound.children[0]));
    if (kind == Kind::kNot) return Value{Scalar::Boolean(!Truth(left))};
    if (Truth(left) == (kind == Kind::kOr)) return Value{Scalar::Boolean(kind == Kind::kOr)};
    ASSIGN_OR_RETURN(const Value right, Evaluate(bound.children[1]));
    return Value{Scalar::Boolean(Truth(right))};
  }

  absl::StatusOr<Value> In(const BoundExpression& bound) const {
    ASSIGN_OR_RETURN(const Value value, Evaluate(bound.children[0]));
    for (const BoundExpression& item : bound.children[1].children) {
      ASSIGN_OR_RETURN(const Value other, Evaluate(item));
      if (Equals(value, other)) return Value{Scalar::Boolean(true)};
    }
    return Value{Scalar::Boolean(false)};
  }

  // Texts that an expression makes live as long as the evaluation.
  std::string* NewText() const {
    texts_.push_back(std::make_unique<std::string>());
    return texts_.back().get();
  }

  absl::StatusOr<Value> InCase(const BoundExpression& bound) const {
    ASSIGN_OR_RETURN(const Value value, Evaluate(bound.children[0]));
    if (value.is_null() && bound.expression->safe_call) return Value{};
    if (!value.is_text()) return NoText();
    std::string* text = NewText();
    *text = std::string(value.scalar.text);
    if (bound.expression->kind == Kind::kLower) absl::AsciiStrToLower(text);
    if (bound.expression->kind == Kind::kUpper) absl::AsciiStrToUpper(text);
    return Value{Scalar::Text(*text)};
  }

  absl::StatusOr<Value> Sum(const BoundExpression& bound) const {
    ASSIGN_OR_RETURN(const Value left, Evaluate(bound.children[0]));
    ASSIGN_OR_RETURN(const Value right, Evaluate(bound.children[1]));
    return Add(left, right, NewText());
  }

  static absl::Status NoText() {
    return RecordError(
        "the expression calls a string method on null or on a value that is not a string");
  }

  absl::StatusOr<Value> Relate(const BoundExpression& bound) const {
    ASSIGN_OR_RETURN(const Value left, Evaluate(bound.children[0]));
    const Expression& expression = *bound.expression;
    if (expression.safe_call && left.is_null()) return Value{};
    if (expression.regex != nullptr) return Match(expression, left);
    ASSIGN_OR_RETURN(const Value right, Evaluate(bound.children[1]));
    if (expression.kind == Kind::kEqual && expression.call)
      return Value{Scalar::Boolean(Equals(left, right))};
    int order = 0;
    const bool comparable = Compare(left, right, &order);
    const auto result = [](bool truth) { return Value{Scalar::Boolean(truth)}; };
    switch (expression.kind) {
      case Kind::kEqual:
        return result(comparable && order == 0);
      case Kind::kNotEqual:
        return result(!comparable || order != 0);
      case Kind::kStartsWith:
      case Kind::kEndsWith:
      case Kind::kContains:
        return Search(expression.kind, left, right);
      default:
        break;
    }
    if (!comparable) return RecordError("the expression compares values of different types");
    switch (expression.kind) {
      case Kind::kLess:
        return result(order < 0);
      case Kind::kLessOrEqual:
        return result(order <= 0);
      case Kind::kGreater:
        return result(order > 0);
      default:
        return result(order >= 0);
    }
  }

  static absl::StatusOr<Value> Search(Kind kind, const Value& left, const Value& right) {
    if (!left.is_text() || !right.is_text()) return NoText();
    const absl::string_view text = left.scalar.text, part = right.scalar.text;
    if (kind == Kind::kStartsWith) return Value{Scalar::Boolean(absl::StartsWith(text, part))};
    if (kind == Kind::kEndsWith) return Value{Scalar::Boolean(absl::EndsWith(text, part))};
    return Value{Scalar::Boolean(absl::StrContains(text, part))};
  }

  static absl::StatusOr<Value> Match(const Expression& expression, const Value& value) {
    if (expression.call && !value.is_text()) return NoText();
    if (value.is_null()) return Value{Scalar::Boolean(false)};
    std::string text;
    RETURN_IF_ERROR(AppendText(value, &text));
    return Value{Scalar::Boolean(expression.regex->FullMatch(text))};
  }

  const absl::Span<const Scalar> operands_;
  mutable std::vector<std::unique_ptr<std::string>> texts_;
};

}  // namespace

absl::StatusOr<ExpressionValue> Evaluate(const BoundExpression& bound,
                                         absl::Span<const Scalar> operands, std::string* buffer) {
  const Evaluation evaluation(operands);
  ASSIGN_OR_RETURN(Value value, evaluation.Evaluate(bound));
  if (!value.scalar.text.empty()) {
    buffer->assign(value.scalar.text.data(), value.scalar.text.size());
    value.scalar.text = *buffer;
  }
  return value;
}

}  // namespace walduct::transform
