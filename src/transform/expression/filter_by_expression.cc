// Debezium's Filter: keeps the records for which an expression is true.
#include <utility>

#include "base/status_macros.h"
#include "transform/expression/expression_stage.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::RecordTemplate;
using event::Scalar;

constexpr OptionRow kOptions[] = {kLanguage,
                                  {.name = "condition",
                                   .required = true,
                                   .doc = "Expression; records for which it is true are kept.",
                                   .check = CheckExpression},
                                  kTopicRegex,
                                  kNullHandling};

ExpressionOptions Read(const Setting& setting) {
  return ReadExpressionOptions(setting.options, "condition");
}

class FilterByExpression final : public ExpressionStage {
 public:
  explicit FilterByExpression(ExpressionOptions options) : ExpressionStage(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (const auto verdict = Before(*record, questions)) return *verdict;
    ASSIGN_OR_RETURN(const auto answer, Result(*record, Scalar::Kind::kBoolean, questions));
    if (!answer) return Verdict::kAsk;
    if (answer->null) return RecordError("the condition is null instead of true or false");
    return answer->text == "true" ? Verdict::kKeep : Verdict::kDrop;
  }
};

}  // namespace

extern constinit const TransformClass kFilterByExpression = {
    .name = "io.debezium.transforms.Filter",
    .options = kOptions,
    .doc = "Keeps the records for which an expression is true.",
    .make = MakeStage<FilterByExpression, Read>};

}  // namespace walduct::transform
