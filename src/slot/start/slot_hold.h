// A slot that was lost is made anew at once (walduct.slot.lost=hold): from there on the server
// keeps WAL and catalogs, so that what lies before can be read from a base backup and the archive.
// The stored position stays, and no start streams over the gap.
#pragma once

#include <functional>
#include <optional>

#include "absl/status/status.h"
#include "base/lsn.h"
#include "offset/stored_offset.h"
#include "postgres/connection.h"

namespace walduct::slot {

class Source;

// An error of CheckSlotUsable; of a slot that was replaced it says what becomes of the stored
// position, too.
absl::Status AndReset(const absl::Status& usable,
                      const std::optional<offset::StoredOffset>& stored);

// The verdict on a position behind a slot that is held.
absl::Status SlotHeld(const offset::StoredOffset& stored, Lsn slot);

// Not where it stands already, or slot.name seems to be misspelt.
bool IsMadeAnew(const absl::Status& why);

struct HoldParts {
  const absl::Status* why = nullptr;  // slot_lost, position_lost
  bool drops = false;                 // what is left of the slot
  const offset::StoredOffset* stored = nullptr;
  Source* source = nullptr;
  std::function<absl::Status(const offset::StoredOffset&)> save;
  postgres::StopCheck stopping;
};
// Always an error. FailedPrecondition lost_slot_held: it stands. lost_slot_not_held: the server
// refuses another. What may pass (engine::MayPass) as it came: the next attempt goes on here.
absl::Status HoldSlot(const HoldParts& parts);

}  // namespace walduct::slot
