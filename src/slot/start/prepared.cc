// What the stored position says to who goes on from it.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/configuration/options_of.h"
#include "incremental/state.h"
#include "names/table_filter.h"
#include "slot/start/preparation.h"
#include "slot/world/capture/capture_record.h"
#include "slot/world/capture/list_problems.h"

namespace walduct::slot {

std::string Prepared::SlotRead(const engine::ConnectorOptions& config) const {
  std::string own = decision.stream ? engine::SlotNameOf(config) : "";
  if (own.empty() && stored) own = stored->slot_name;
  return own;
}

// An offset of a Debezium's has no name of a slot, until the first position of ours is stored.
bool Preparation::HasRead() const {
  return parts_.slots_read != nullptr && parts_.slots_read->contains(engine::SlotNameOf(config()));
}

event::OffsetMembers Prepared::GoingOn() const {
  return stored ? incremental::MembersThatGoOn(stored->members, resumes()) : event::OffsetMembers();
}

void Prepared::RememberNames(const names::TableFilterOptions& lists, CaptureRecord* record) const {
  if (record == nullptr) return;
  if (!resumes()) record->lacking.clear();
  if (!resumes() || !same_system()) return;
  RememberStoredNames(KnownTablesIn(stored->members), lists, &record->memory);
}

// A supervisor tries again and again, and a restored server that is written to grows past the
// position meanwhile: that it was once behind is not forgotten.
absl::Status Preparation::Refuse(const absl::Status& why) {
  if (ErrorReason(why) != "position_ahead" || prepared_.stored->seen_behind) return why;
  // An offset of Debezium's may be any server's.
  if (prepared_.stored->system_identifier.empty()) return why;
  offset::StoredOffset offset = *prepared_.stored;
  offset.seen_behind =
      facts_.slot ? replication::SlotLsn(*facts_.slot) : offset.position.commit_end;
  if (const absl::Status saved = Save(offset); !saved.ok())
    log::Warn("cannot remember this refusal", {{"error", std::string(saved.message())}});
  return why;
}

// The slot is kept all the same: deletes that it still has are in no snapshot.
void Preparation::WarnOfRepeats() const {
  const bool overlaps = facts_.slot && facts_.slot->used && lost_slot_.ok();
  if (committing_ == nullptr || !prepared_.decision.snapshot || !(recovers_ || overlaps)) return;
  log::Warn(
      absl::StrCat(
          "exactly once does not cover this snapshot: rows that were published before come again, "
          "as reads",
          overlaps ? absl::StrCat("; what was written after ",
                                  replication::SlotLsn(*facts_.slot).ToString(),
                                  ", where the slot stands, comes as a read and as a change")
                   : ""),
      {{"hint", "whoever cannot take that sets snapshot.mode=initial: it stops here instead"}});
}

// One start goes on from there, by word of whoever upgraded the server; the next ones are its own.
void Preparation::MoveToUpgraded(offset::StoredOffset* offset) const {
  const event::SnapshotPhase phase = offset->position.snapshot;
  offset->position = prepared_.start;
  offset->position.snapshot = phase;
  offset->system_identifier = facts_.system.system_identifier;
  offset->timeline = facts_.system.timeline;
  offset->of_standby = false;
  offset->seen_behind.reset();
  offset->snapshot_seen.reset();
}

}  // namespace walduct::slot
