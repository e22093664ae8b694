// NoTransforms: the chain of a connector without transforms.
#pragma once

#include <utility>

#include "event/transform_chain.h"

namespace walduct::event {

class NoTransforms final : public TransformChain {
 public:
  ChainOutcome Start(RecordTemplate record) const override {
    ChainOutcome outcome;
    outcome.record = std::move(record);
    return outcome;
  }
  ChainOutcome Resume(const ChainOutcome& at, const Answer&) const override { return at; }
};

}  // namespace walduct::event
