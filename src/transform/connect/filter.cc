// Kafka Connect's Filter: drops every record that its predicate lets through.
#include <memory>

#include "transform/stages/stages.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::RecordTemplate;

class Filter final : public Stage {
 public:
  absl::StatusOr<Verdict> Apply(RecordTemplate*, Questions*) const override {
    return Verdict::kDrop;
  }
};

}  // namespace

StagePtr MakeFilter(const TransformSpec&) { return std::make_unique<Filter>(); }

}  // namespace walduct::transform
