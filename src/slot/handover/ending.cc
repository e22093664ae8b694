// The last step of a hand-over: slots without tables end, and positions become those of the new
// number.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/status_macros.h"
#include "slot/handover/handover.h"
#include "slot/incremental/new_tables.h"
#include "slot/masks/mask_memory.h"
#include "slot/phases/remembered_types.h"

namespace walduct::slot {

using Stored = std::optional<offset::StoredOffset>;

absl::Status Handover::End() {
  RETURN_IF_ERROR(TellTables());
  for (int number = change_.to() + 1; number <= handover_.from; ++number)
    RETURN_IF_ERROR(EndSlot(number));
  const auto finish = [this](offset::StoredOffset* offset) {
    offset->slots = change_.to();
    offset->handover.reset();
  };
  // The first says that all is done.
  for (int number = std::min(handover_.from, change_.to()); number >= 1; --number)
    RETURN_IF_ERROR(Change(number, finish));
  log::Info("tables are handed over", {{"slots", change_.to()}});
  return absl::OkStatus();
}

// Each slot learns which tables were captured, and their types, while all that know it are there:
// those that come from elsewhere are not new, those that no slot had are.
absl::Status Handover::TellTables() {
  std::vector<std::string> known, types, masks;
  for (int number = 1; number <= handover_.from; ++number) {
    ASSIGN_OR_RETURN(const Stored stored, Load(number));
    if (!stored) continue;  // it has ended, after all others were told
    known.push_back(event::FindMember(stored->members, event::kTablesMember));
    types.push_back(event::FindMember(stored->members, event::kTypesMember));
    masks.push_back(event::FindMember(stored->members, event::kMasksMember));
  }
  const std::string all = NewTables::Merge(known);
  if (all.empty()) {
    log::Info("tables that are captured only later will not be told of at the next start",
              {{"why", "which tables all slots know is not known, or too much for a position"}});
  }
  // With more slots, those that give tables away still know them.
  const std::string all_types = MergeTypes(types), all_masks = MergeMasks(masks);
  const bool keeps = all.empty() && change_.to() > handover_.from;
  for (int number = 1; number <= change_.to(); ++number) {
    RETURN_IF_ERROR(Change(number, [&](offset::StoredOffset* offset) {
      if (!all_types.empty()) offset->members[event::kTypesMember] = all_types;
      if (!all_masks.empty()) offset->members[event::kMasksMember] = all_masks;
      if (keeps) return;
      offset->members.erase(event::kTablesMember);
      if (!all.empty()) offset->members.emplace(event::kTablesMember, all);
    }));
  }
  return absl::OkStatus();
}

// All that it gave away is behind it, and its position says so.
absl::Status Handover::EndSlot(int number) {
  RETURN_IF_ERROR(server_->CheckHeld());
  log::Info("dropping a replication slot that has no tables any more",
            {{"slot", SlotName(number)}});
  RETURN_IF_ERROR(server_->DropSlot(SlotName(number)));
  RETURN_IF_ERROR(
      server_->DropPublication(change_.share.publications[static_cast<size_t>(number) - 1]));
  return Forget(number);
}

}  // namespace walduct::slot
