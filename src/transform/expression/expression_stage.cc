#include "transform/expression/expression_stage.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "base/status_macros.h"
#include "transform/expression/bound_expression.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {

using config::Expression;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

ExpressionStage::ExpressionStage(const config::TransformSpec& spec, absl::string_view option)
    : nulls_(spec.options.Text("null.handling.mode")) {
  absl::StatusOr<Expression> parsed = config::ParseExpression(spec.options.Text(option));
  CHECK(parsed.ok());  // checked before
  expression_ = std::make_shared<const Expression>(*std::move(parsed));
  if (!spec.options.Has("topic.regex")) return;
  auto regex = java::Regex::Compile(spec.options.Text("topic.regex"), {});
  CHECK(regex.ok());
  topics_ = *std::move(regex);
}

std::optional<Verdict> ExpressionStage::Before(const RecordTemplate& record,
                                               Questions* questions) const {
  if (topics_ != nullptr && !topics_->FullMatch(record.topic)) return Verdict::kKeep;
  if (nulls_ == "evaluate") return std::nullopt;
  return UnlessPresent(record.value, questions, nulls_ == "drop" ? Verdict::kDrop : Verdict::kKeep);
}

absl::StatusOr<std::optional<event::Answer>> ExpressionStage::Result(const RecordTemplate& record,
                                                                     Scalar::Kind wanted,
                                                                     Questions* questions) const {
  std::vector<Node> operands;
  const BoundExpression root = Bind(*expression_, record, &operands);
  const auto expression = expression_;  // what the bound nodes point into
  const auto function =
      MakeFunction([root, expression, wanted](auto in, std::string* buffer, Scalar* out) {
        ASSIGN_OR_RETURN(const ExpressionValue value, Evaluate(root, in, buffer));
        if (!value.is_null() && (value.is_struct || value.scalar.kind != wanted))
          return RecordError(wanted == Scalar::Kind::kBoolean
                                 ? "the expression is neither true nor false"
                                 : "the expression is no text");
        *out = value.scalar;
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
  const event::Answer* answer = questions->Ask(
      event::FunctionNode(PlainSchema(ConnectType::kString, true), function, std::move(operands)));
  if (answer == nullptr) return std::nullopt;
  return *answer;
}

}  // namespace walduct::transform
