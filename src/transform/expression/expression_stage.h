// ExpressionStage: what Debezium's Filter and ContentBasedRouter have in common.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/options/transform_spec.h"
#include "config/transforms/expression.h"
#include "event/record_template.h"
#include "event/transform_chain.h"
#include "java/regex/regex.h"
#include "transform/template/stage.h"

namespace walduct::transform {

class ExpressionStage : public Stage {
 protected:
  ExpressionStage(const config::TransformSpec& spec, absl::string_view option);

  // kKeep where the expression says nothing about the record; nullopt: it does.
  std::optional<Verdict> Before(const event::RecordTemplate& record, Questions* questions) const;

  // wanted: what the result must be, or null. nullopt: asked.
  absl::StatusOr<std::optional<event::Answer>> Result(const event::RecordTemplate& record,
                                                      event::Scalar::Kind wanted,
                                                      Questions* questions) const;

 private:
  const std::string nulls_;
  std::shared_ptr<const config::Expression> expression_;
  std::shared_ptr<const java::Regex> topics_;
};

}  // namespace walduct::transform
