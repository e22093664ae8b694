#include "loader/source_types.h"

#include <iterator>

#include "poll/poll_source.h"
#include "slot/attempts/slot_source.h"

namespace walduct::loader {
namespace {

constexpr const engine::SourceType* kTypes[] = {&poll::kPollPositionSource, &poll::kPollSource,
                                                &slot::kSlotSource};

}  // namespace

absl::Span<const engine::SourceType* const> SourceTypes() { return kTypes; }

const engine::SourceType& ChosenSource(const config::PropertySet& properties) {
  for (const engine::SourceType* type : kTypes)
    if (type->chosen != nullptr && type->chosen(properties)) return *type;
  return **std::rbegin(kTypes);
}

void CheckSources(const config::PropertySet& properties, config::Findings* findings) {
  for (const engine::SourceType* type : kTypes)
    if (type->check != nullptr) type->check(properties, findings);
}

}  // namespace walduct::loader
