// Debezium's OpenLineage: tells a lineage service of the tables that pass, and changes no record.

#include <string>

#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

using event::RecordTemplate;

std::string Explain(OptionValues*) {
  return "has no effect: lineage events are not sent; records pass unchanged, as in Debezium";
}

class OpenLineage final : public Stage {
 public:
  absl::StatusOr<Verdict> Apply(RecordTemplate*, Questions*) const override {
    return Verdict::kKeep;
  }
};

}  // namespace

extern constinit const TransformClass kOpenLineage = {
    .name = "io.debezium.transforms.openlineage.OpenLineage",
    .doc =
        "No effect, with a warning at startup: records pass unchanged, and lineage events are "
        "not sent.",
    .modernize = Explain,
    .make = MakeStage<OpenLineage>};

}  // namespace walduct::transform
