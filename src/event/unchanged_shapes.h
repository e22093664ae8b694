// UnchangedShapes: the chain of a connector without transforms.
#pragma once

#include <utility>

#include "event/shape_chain.h"

namespace walduct::event {

class UnchangedShapes final : public ShapeChain {
 public:
  ChainOutcome Start(RecordShape shape) const override {
    ChainOutcome outcome;
    outcome.shape = std::move(shape);
    return outcome;
  }
  ChainOutcome Resume(const ChainOutcome& at, const Answer&) const override { return at; }
};

}  // namespace walduct::event
