// Debezium's Filter and ContentBasedRouter with the expressions of config/transforms/expression.h.
// What an expression says about a template is worked out when the template is known: paths become
// leaves or constants. Only what is left asks each record.
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "config/transforms/expression.h"
#include "java/regex/regex.h"
#include "java/time/connect_time.h"
#include "transform/stages/expression_value.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using config::Expression;
using config::TransformSpec;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using Kind = Expression::Kind;

using Value = ExpressionValue;

// An expression whose paths have become operands, constants or structs.
struct Bound {
  const Expression* expression = nullptr;
  enum class Source { kExpression, kOperand, kConstant, kStruct, kError };
  Source source = Source::kExpression;
  absl::Status error;  // kError: of each record for which the path is looked at
  size_t operand = 0;
  ConnectType type = ConnectType::kString;  // kOperand, kConstant
  bool opaque = false;                      // kOperand, kConstant: a Date in Java, no number
  std::shared_ptr<const Node> constant;     // owns the text
  std::vector<Bound> children;
};

class Evaluation {
 public:
  explicit Evaluation(absl::Span<const Scalar> operands) : operands_(operands) {}

  absl::StatusOr<Value> Evaluate(const Bound& bound) const {
    switch (bound.source) {
      case Bound::Source::kOperand:
        return Opaque(Value{operands_[bound.operand], false, bound.type}, bound.opaque);
      case Bound::Source::kConstant:
        return Opaque(Value{bound.constant->leaf.constant_value(), false, bound.type},
                      bound.opaque);
      case Bound::Source::kStruct:
        return Value{{}, true};
      case Bound::Source::kError:
        return bound.error;
      case Bound::Source::kExpression:
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

  absl::StatusOr<Value> Choose(const Bound& bound) const {
    ASSIGN_OR_RETURN(const Value condition, Evaluate(bound.children[0]));
    return Evaluate(bound.children[Truth(condition) ? 1 : 2]);
  }

  absl::StatusOr<Value> Logic(const Bound& bound) const {
    const Kind kind = bound.expression->kind;
    ASSIGN_OR_RETURN(const Value left, Evaluate(bound.children[0]));
    if (kind == Kind::kNot) return Value{Scalar::Boolean(!Truth(left))};
    if (Truth(left) == (kind == Kind::kOr)) return Value{Scalar::Boolean(kind == Kind::kOr)};
    ASSIGN_OR_RETURN(const Value right, Evaluate(bound.children[1]));
    return Value{Scalar::Boolean(Truth(right))};
  }

  absl::StatusOr<Value> In(const Bound& bound) const {
    ASSIGN_OR_RETURN(const Value value, Evaluate(bound.children[0]));
    for (const Bound& item : bound.children[1].children) {
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

  absl::StatusOr<Value> InCase(const Bound& bound) const {
    ASSIGN_OR_RETURN(const Value value, Evaluate(bound.children[0]));
    if (value.is_null() && bound.expression->safe_call) return Value{};
    if (!value.is_text()) return NoText();
    std::string* text = NewText();
    *text = std::string(value.scalar.text);
    if (bound.expression->kind == Kind::kLower) absl::AsciiStrToLower(text);
    if (bound.expression->kind == Kind::kUpper) absl::AsciiStrToUpper(text);
    return Value{Scalar::Text(*text)};
  }

  absl::StatusOr<Value> Sum(const Bound& bound) const {
    ASSIGN_OR_RETURN(const Value left, Evaluate(bound.children[0]));
    ASSIGN_OR_RETURN(const Value right, Evaluate(bound.children[1]));
    return Add(left, right, NewText());
  }

  static absl::Status NoText() {
    return RecordError("the expression calls a method of text on null or on what is no text");
  }

  absl::StatusOr<Value> Relate(const Bound& bound) const {
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
    if (!comparable) return RecordError("the expression compares values of different kinds");
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

// Finds what the paths of an expression mean in one template.
class Binder {
 public:
  explicit Binder(const RecordTemplate& record) : record_(record) {}

  Bound Bind(const Expression& expression) {
    Bound bound;
    bound.expression = &expression;
    if (expression.kind == Kind::kPath) {
      absl::StatusOr<Bound> path = BindPath(expression);
      if (path.ok()) return *std::move(path);
      // `value.op == 'd' || value.after.id == 1` never looks at the row that a delete lacks.
      bound.source = Bound::Source::kError;
      bound.error = path.status();
    }
    for (const Expression& child : expression.children) bound.children.push_back(Bind(child));
    return bound;
  }

  std::vector<Node> TakeOperands() { return std::move(operands_); }

 private:
  static Bound Constant(const Scalar& value) {
    Bound bound;
    bound.source = Bound::Source::kConstant;
    bound.constant = std::make_shared<const Node>(event::ConstantNode(nullptr, value));
    return bound;
  }

  absl::StatusOr<Bound> BindPath(const Expression& expression) {
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
      return RecordError(absl::StrCat("the expression takes '", name, "' of null; write ?.", name));
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
  absl::StatusOr<Bound> BindHeader(const Expression& expression) {
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
    Bound bound = Constant(Scalar::Null());
    if (found != nullptr) bound.source = Bound::Source::kStruct;
    return bound;
  }

  Bound BindNode(const Node& node) {
    if (node.kind == Node::Kind::kNull) return Constant(Scalar::Null());
    Bound bound;
    if (node.is_struct()) {
      bound.source = Bound::Source::kStruct;
      return bound;
    }
    const Node taken = Taken(node, true);
    if (taken.leaf.kind == event::Leaf::Kind::kConstant) {
      bound = Constant(taken.leaf.constant_value());
    } else {
      bound.source = Bound::Source::kOperand;
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

class ExpressionStage : public Stage {
 protected:
  ExpressionStage(const TransformSpec& spec, absl::string_view option)
      : nulls_(spec.options.Text("null.handling.mode")) {
    absl::StatusOr<Expression> parsed = config::ParseExpression(spec.options.Text(option));
    CHECK(parsed.ok());  // checked before
    expression_ = std::make_shared<const Expression>(*std::move(parsed));
    if (!spec.options.Has("topic.regex")) return;
    auto regex = java::Regex::Compile(spec.options.Text("topic.regex"), {});
    CHECK(regex.ok());
    topics_ = *std::move(regex);
  }

  // kKeep where the expression says nothing about the record; nullopt: it does.
  std::optional<Verdict> Before(const RecordTemplate& record, Questions* questions) const {
    if (topics_ != nullptr && !topics_->FullMatch(record.topic)) return Verdict::kKeep;
    if (nulls_ == "evaluate") return std::nullopt;
    return UnlessPresent(record.value, questions,
                         nulls_ == "drop" ? Verdict::kDrop : Verdict::kKeep);
  }

  // wanted: what the result must be, or null. nullopt: asked.
  absl::StatusOr<std::optional<event::Answer>> Result(const RecordTemplate& record,
                                                      Scalar::Kind wanted,
                                                      Questions* questions) const {
    Binder binder(record);
    const Bound root = binder.Bind(*expression_);
    std::vector<Node> operands = binder.TakeOperands();
    const auto expression = expression_;  // what the bound nodes point into
    const auto function =
        MakeFunction([root, expression, wanted](auto in, std::string* buffer, Scalar* out) {
          const Evaluation evaluation(in);
          ASSIGN_OR_RETURN(const Value value, evaluation.Evaluate(root));
          if (!value.is_null() && (value.is_struct || value.scalar.kind != wanted))
            return RecordError(wanted == Scalar::Kind::kBoolean
                                   ? "the expression is neither true nor false"
                                   : "the expression is no text");
          *out = value.scalar;
          if (!out->text.empty()) {
            buffer->assign(out->text.data(), out->text.size());
            out->text = *buffer;
          }
          return absl::OkStatus();
        });
    if (operands.empty()) {
      std::string buffer;
      Scalar value;
      RETURN_IF_ERROR(function->Apply({}, &buffer, &value));
      event::Answer answer{value.is_null(), std::string(value.text)};
      if (value.kind == Scalar::Kind::kBoolean) answer.text = value.integer != 0 ? "true" : "false";
      return answer;
    }
    const event::Answer* answer = questions->Ask(event::FunctionNode(
        PlainSchema(ConnectType::kString, true), function, std::move(operands)));
    if (answer == nullptr) return std::nullopt;
    return *answer;
  }

 private:
  const std::string nulls_;
  std::shared_ptr<const Expression> expression_;
  std::shared_ptr<const java::Regex> topics_;
};

class FilterByExpression final : public ExpressionStage {
 public:
  explicit FilterByExpression(const TransformSpec& spec) : ExpressionStage(spec, "condition") {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (const auto verdict = Before(*record, questions)) return *verdict;
    ASSIGN_OR_RETURN(const auto answer, Result(*record, Scalar::Kind::kBoolean, questions));
    if (!answer) return Verdict::kAsk;
    if (answer->null) return RecordError("the condition is null, neither true nor false");
    return answer->text == "true" ? Verdict::kKeep : Verdict::kDrop;
  }
};

class ContentBasedRouter final : public ExpressionStage {
 public:
  explicit ContentBasedRouter(const TransformSpec& spec)
      : ExpressionStage(spec, "topic.expression") {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (const auto verdict = Before(*record, questions)) return *verdict;
    ASSIGN_OR_RETURN(const auto answer, Result(*record, Scalar::Kind::kText, questions));
    if (!answer) return Verdict::kAsk;
    if (!answer->null) record->topic = answer->text;
    return Verdict::kKeep;
  }
};

}  // namespace

StagePtr MakeFilterByExpression(const TransformSpec& spec) {
  return std::make_unique<FilterByExpression>(spec);
}
StagePtr MakeContentBasedRouter(const TransformSpec& spec) {
  return std::make_unique<ContentBasedRouter>(spec);
}

}  // namespace walduct::transform
