// Debezium's SchemaChangeEventFilter: without effect, as PostgreSQL has no schema change events.
#include <memory>

#include "transform/stages/stages.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::RecordTemplate;

class Pass final : public Stage {
 public:
  absl::StatusOr<Verdict> Apply(RecordTemplate*, Questions*) const override {
    return Verdict::kKeep;
  }
};

}  // namespace

StagePtr MakePass(const TransformSpec&) { return std::make_unique<Pass>(); }

}  // namespace walduct::transform
