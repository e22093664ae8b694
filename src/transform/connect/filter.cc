// Kafka Connect's Filter: drops every record that its predicate lets through.

#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

using event::RecordTemplate;

class Filter final : public Stage {
 public:
  absl::StatusOr<Verdict> Apply(RecordTemplate*, Questions*) const override {
    return Verdict::kDrop;
  }
};

}  // namespace

extern constinit const TransformClass kFilter = {
    .name = "org.apache.kafka.connect.transforms.Filter",
    .doc = "Drops every record that matches its predicate.",
    .without_predicate = "drops every record",
    .make = MakeStage<Filter>};

}  // namespace walduct::transform
