// Debezium's ContentBasedRouter: takes the topic from an expression.
#include <utility>

#include "base/status_macros.h"
#include "transform/expression/expression_stage.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

using event::RecordTemplate;
using event::Scalar;

constexpr OptionRow kOptions[] = {kLanguage,
                                  {.name = "topic.expression",
                                   .required = true,
                                   .doc = "Expression for the new topic; null keeps the topic.",
                                   .check = CheckExpression},
                                  kTopicRegex,
                                  kNullHandling};

ExpressionOptions Read(const Setting& setting) {
  return ReadExpressionOptions(setting.options, "topic.expression");
}

class ContentBasedRouter final : public ExpressionStage {
 public:
  explicit ContentBasedRouter(ExpressionOptions options) : ExpressionStage(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (const auto verdict = Before(*record, questions)) return *verdict;
    ASSIGN_OR_RETURN(const auto answer, Result(*record, Scalar::Kind::kText, questions));
    if (!answer) return Verdict::kAsk;
    if (!answer->null) record->topic = answer->text;
    return Verdict::kKeep;
  }
};

}  // namespace

extern constinit const TransformClass kContentBasedRouter = {
    .name = "io.debezium.transforms.ContentBasedRouter",
    .options = kOptions,
    .doc = "Takes the topic from an expression.",
    .make = MakeStage<ContentBasedRouter, Read>};

}  // namespace walduct::transform
