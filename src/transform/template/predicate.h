// Predicate: says whether a transform applies to a record, by its template. Immutable; thread-safe.
#pragma once

#include <memory>
#include <optional>

#include "event/record_template.h"
#include "transform/template/stage.h"

namespace walduct::transform {

class Predicate {
 public:
  virtual ~Predicate() = default;
  // nullopt: it asked a question.
  virtual std::optional<bool> Test(const event::RecordTemplate& record,
                                   Questions* questions) const = 0;
};
using PredicatePtr = std::shared_ptr<const Predicate>;

}  // namespace walduct::transform
