// FieldStage: what the transforms of fields have in common: what they work on, and how fields are
// copied.
#pragma once

#include <optional>

#include "config/options/transform_spec.h"
#include "event/record_template.h"
#include "transform/template/stage.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {

class FieldStage : public Stage {
 protected:
  explicit FieldStage(const config::TransformSpec& spec)
      : target_(spec.target), replace_null_(spec.options.Boolean("replace.null.with.default")) {}

  std::optional<event::Node>& target(event::RecordTemplate* record) const {
    return Target(target_, record);
  }
  bool replace_null() const { return replace_null_; }

  void TakeMembers(event::Node* node) const {
    for (event::Node& member : node->members) member = Taken(member, replace_null_);
  }

 private:
  const config::TransformTarget target_;
  const bool replace_null_;
};

}  // namespace walduct::transform
