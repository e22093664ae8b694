#include "engine/configuration/shared_slots.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace walduct::engine {
namespace {

std::string PlaceOf(const ConnectorNames& names) {
  return absl::StrCat(names.host, ":", names.port, " ", names.slot);
}

}  // namespace

void SharedSlots::Add(const ConnectorNames& names) {
  if (!names.slot.empty()) by_slot_[PlaceOf(names)].insert(names.called.name);
}

std::string SharedSlots::TextOf(const ConnectorNames& names) const {
  const auto found = by_slot_.find(PlaceOf(names));
  if (names.slot.empty() || found == by_slot_.end()) return "";
  std::set<std::string> others = found->second;
  others.erase(names.called.name);
  if (others.empty()) return "";
  return absl::StrCat("replication slot '", names.slot, "' is that of connector ",
                      absl::StrJoin(others, ", "), ", too: one of them can read it at a time");
}

}  // namespace walduct::engine
