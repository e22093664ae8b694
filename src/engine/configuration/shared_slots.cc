#include "engine/configuration/shared_slots.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "names/called.h"

namespace walduct::engine {
namespace {

// As a slot may be called: lower-case letters, digits and underscores, 63 of them at most.
std::string FreeSlotName(const ConnectorNames& names) {
  constexpr size_t kMost = 56;
  std::string name;
  for (const char c : absl::AsciiStrToLower(names.called.name)) {
    if (name.size() < kMost)
      name.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_');
  }
  const std::string slot = name + "_slot";
  return slot == names.slot ? name + "_slot2" : slot;
}

std::string PlaceOf(const ConnectorNames& names) {
  return absl::StrCat(names.host, ":", names.port, " ", names.slot);
}

}  // namespace

void SharedSlots::Add(const ConnectorNames& names) {
  if (!names.slot.empty()) by_slot_[PlaceOf(names)].insert(names.called.name);
}

std::string SharedSlotHint(const ConnectorNames& names, bool reads) {
  if (reads)
    return "this connector reads it and keeps it: give the other one another slot.name, for which "
           "its own status has the command";
  return absl::StrCat(kSharedSlotHint,
                      "; for this one, where it had another slot before, that slot's name, else a "
                      "new one: ",
                      names::SetCommand(names.called, "slot.name=" + FreeSlotName(names)));
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
