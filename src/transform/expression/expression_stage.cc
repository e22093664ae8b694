#include "transform/expression/expression_stage.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "transform/expression/bound_expression.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

std::string CheckLanguage(absl::string_view value) {
  if (absl::StartsWith(value, "jsr223.groovy") || absl::StartsWith(value, "jsr223.js") ||
      absl::StartsWith(value, "jsr223.graal.js"))
    return "";
  return "is not supported; write the condition in the subset described in docs/transforms.md, and "
         "set jsr223.groovy";
}

std::string CheckExpression(absl::string_view value) {
  const auto expression = ParseExpression(value);
  return expression.ok() ? "" : absl::StrCat("is not understood: ", expression.status().message());
}

ExpressionOptions ReadExpressionOptions(const OptionValues& options, absl::string_view option) {
  absl::StatusOr<Expression> parsed = ParseExpression(options.Text(option));
  CHECK(parsed.ok());  // checked before
  ExpressionOptions read{.expression = std::make_shared<const Expression>(*std::move(parsed)),
                         .topics = nullptr,
                         .nulls = options.Text(kNullHandling.name)};
  if (options.Has(kTopicRegex.name)) {
    auto topics = java::Regex::Compile(options.Text(kTopicRegex.name), {});
    CHECK(topics.ok());  // checked before
    read.topics = *std::move(topics);
  }
  return read;
}

std::optional<Verdict> ExpressionStage::Before(const RecordTemplate& record,
                                               Questions* questions) const {
  if (options_.topics != nullptr && !options_.topics->FullMatch(record.topic))
    return Verdict::kKeep;
  if (options_.nulls == "evaluate") return std::nullopt;
  return UnlessPresent(record.value, questions,
                       options_.nulls == "drop" ? Verdict::kDrop : Verdict::kKeep);
}

absl::StatusOr<std::optional<event::Answer>> ExpressionStage::Result(const RecordTemplate& record,
                                                                     Scalar::Kind wanted,
                                                                     Questions* questions) const {
  std::vector<Node> operands;
  const BoundExpression root = Bind(*options_.expression, record, &operands);
  const auto expression = options_.expression;  // what the bound nodes point into
  const auto function =
      MakeFunction([root, expression, wanted](auto in, std::string* buffer, Scalar* out) {
        ASSIGN_OR_RETURN(const ExpressionValue value, Evaluate(root, in, buffer));
        if (!value.is_null() && (value.is_struct || value.scalar.kind != wanted))
          return RecordError(wanted == Scalar::Kind::kBoolean
                                 ? "the result of the expression is neither true nor false"
                                 : "the result of the expression is not a string");
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
