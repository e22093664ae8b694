// SaveOffset: one position stored, and waited for, where no loop of duties turns yet: at a start,
// in a hand-over. Data thread only.
#pragma once

#include "absl/status/status.h"
#include "engine/control/control.h"
#include "engine/control/status_board.h"
#include "offset/stored_offset.h"
#include "slot/duties/ownership.h"
#include "slot/world/world.h"

namespace walduct::slot {

// All borrowed.
struct OffsetSaving {
  World* world = nullptr;
  engine::Control* control = nullptr;
  engine::StatusBoard* board =
      nullptr;  // shows what is waited for, and the database again afterwards
  // Nor may an instance that stood still store it late; its store is where the offset goes.
  Ownership* ownership = nullptr;
};

// What the store or the ownership says; Cancelled: interrupted.
//   Unavailable offset_store_slow  not within half a minute
absl::Status SaveOffset(offset::OffsetStore& store, const offset::StoredOffset& offset,
                        const OffsetSaving& saving);

}  // namespace walduct::slot
