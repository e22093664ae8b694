// Predicate: says whether a transform applies to a record, by its shape. Immutable; thread-safe.
#pragma once

#include <memory>
#include <optional>

#include "config/options/transform_spec.h"
#include "event/record_shape.h"
#include "transform/shape/stage.h"

namespace walduct::transform {

class Predicate {
 public:
  virtual ~Predicate() = default;
  // nullopt: it asked a question.
  virtual std::optional<bool> Test(const event::RecordShape& shape, Questions* questions) const = 0;
};
using PredicatePtr = std::shared_ptr<const Predicate>;

PredicatePtr MakePredicate(const config::PredicateSpec& spec);

}  // namespace walduct::transform
