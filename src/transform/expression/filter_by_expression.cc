// Debezium's Filter: keeps the records for which an expression is true.
#include <memory>

#include "base/status_macros.h"
#include "transform/expression/expression_stage.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::RecordTemplate;
using event::Scalar;

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

}  // namespace

StagePtr MakeFilterByExpression(const TransformSpec& spec) {
  return std::make_unique<FilterByExpression>(spec);
}

}  // namespace walduct::transform
