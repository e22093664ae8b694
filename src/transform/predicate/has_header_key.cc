// Kafka Connect's HasHeaderKey.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

constexpr OptionRow kOptions[] = {
    {.name = "name", .required = true, .doc = "Name of the header.", .check = CheckNotEmpty}};

class HasHeaderKey final : public Predicate {
 public:
  explicit HasHeaderKey(std::string name) : name_(std::move(name)) {}
  std::optional<bool> Test(const event::RecordTemplate& record, Questions*) const override {
    return std::any_of(record.headers.begin(), record.headers.end(),
                       [&](const event::Node& header) { return header.name == name_; });
  }

 private:
  const std::string name_;
};

PredicatePtr Make(const OptionValues& options) {
  return std::make_shared<const HasHeaderKey>(options.Text("name"));
}

}  // namespace

extern constinit const PredicateClass kHasHeaderKey = {
    .name = "org.apache.kafka.connect.transforms.predicates.HasHeaderKey",
    .options = kOptions,
    .doc = "True when the record has the header.",
    .make = Make};

}  // namespace walduct::transform
