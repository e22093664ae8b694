// Debezium's ContentBasedRouter: takes the topic from an expression.
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

StagePtr MakeContentBasedRouter(const TransformSpec& spec) {
  return std::make_unique<ContentBasedRouter>(spec);
}

}  // namespace walduct::transform
