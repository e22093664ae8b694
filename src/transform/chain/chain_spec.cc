#include "transform/chain/chain_spec.h"

#include <algorithm>

#include "java/regex/regex_list.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {

bool ChainSpec::MayMakeEvents(absl::string_view table) const {
  return std::any_of(transforms.begin(), transforms.end(), [&](const TransformSpec& spec) {
    return spec.type->makes_events && (!spec.tables || spec.tables->Matches(table));
  });
}

bool ChainSpec::IsOutbox(absl::string_view table) const {
  return std::any_of(transforms.begin(), transforms.end(), [&](const TransformSpec& spec) {
    return spec.type->makes_events &&
           (spec.tables ? spec.tables->Matches(table) : spec.predicate == nullptr);
  });
}

bool ChainSpec::ReadsMessages() const {
  return std::any_of(transforms.begin(), transforms.end(),
                     [](const TransformSpec& spec) { return spec.type->reads_messages; });
}

bool ChainSpec::DropsHeaders() const {
  return std::any_of(transforms.begin(), transforms.end(),
                     [](const TransformSpec& spec) { return spec.type->drops_headers; });
}

bool ChainSpec::IsStrict() const {
  return std::any_of(transforms.begin(), transforms.end(),
                     [](const TransformSpec& spec) { return spec.strict; });
}

}  // namespace walduct::transform
