// Kafka Connect's RecordIsTombstone.
#include <memory>
#include <optional>

#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

class RecordIsTombstone final : public Predicate {
 public:
  std::optional<bool> Test(const event::RecordTemplate& record,
                           Questions* questions) const override {
    const Presence presence = PresenceOf(record.value, questions);
    if (presence == Presence::kUnknown) return std::nullopt;
    return presence == Presence::kNull;
  }
};

PredicatePtr Make(const OptionValues&) { return std::make_shared<const RecordIsTombstone>(); }

}  // namespace

extern constinit const PredicateClass kRecordIsTombstone = {
    .name = "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone",
    .doc = "True when the value is null.",
    .make = Make};

}  // namespace walduct::transform
