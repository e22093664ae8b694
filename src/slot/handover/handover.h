// Handover: from one walduct.slots to another, without a snapshot: nothing is lost, and of each key
// the order is kept. docs/slots.md says what an operator sees of it.
//
// The first lane leads, the others wait, and nobody streams meanwhile but the slots that gave
// tables away, one after the other, up to the point from where others have these tables. How far it
// came stands with the first slot's position (offset::SlotHandover) before anything is changed, and
// each step may be repeated, so that a start after a crash goes on where the last one was:
//
//   moving     nobody reads any of the slots. Publications without tables, then slots are made, and
//              the slots' positions stored where they begin. Then tables go from publication to
//              publication (replication/slots/table_moves.h).
//   draining   `cut` is behind all that. Each slot that gave tables away reads up to it.
//   ending     slots without tables are dropped, with their publications and positions. The other
//              positions become those of the new number, the first slot's last.
//
// One Handover serves one attempt. Data thread only.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/control/control.h"
#include "engine/control/status_board.h"
#include "offset/offset_store.h"
#include "offset/stored_offset.h"
#include "slot/world/slots/handover_server.h"
#include "slot/world/world.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::slot {

class Handover {
 public:
  // All borrowed.
  struct Parts {
    const engine::ConnectorOptions* config = nullptr;  // of a lane
    World* world = nullptr;
    engine::Control* control = nullptr;
    engine::StatusBoard* board = nullptr;
    // Streams that lane, which takes no snapshot, until what is before the LSN is published and its
    // position stored. Cancelled: interrupted.
    std::function<absl::Status(const engine::ConnectorOptions& lane, Lsn until)> drain;
    postgres::StopCheck stopping = {};  // what waits for the database gives up
  };
  explicit Handover(const Parts& parts);

  // OK: the stored positions are those of walduct.slots, or there are none. Cancelled: interrupted.
  //   FailedPrecondition slots_changed  it cannot be begun, or one to another number is under way
  absl::Status Run();

 private:
  absl::Status Lead();
  absl::Status Await();
  absl::Status Begin(const offset::StoredOffset& first);
  absl::Status GoOn();
  absl::Status LookAgain();
  absl::Status CheckOffsets(const offset::StoredOffset& first);
  absl::Status CheckSlots();
  absl::Status Move();
  absl::Status HoldSlots();
  absl::Status MakeSlot(int number);
  absl::Status MoveTables();
  absl::Status MoveWhenUnlocked(const replication::TableMove& move);
  absl::Status Drain();
  absl::Status DrainLane(int number);
  absl::Status End();
  absl::Status TellTables();
  absl::Status EndSlot(int number);

  const engine::ConnectorOptions& config() const { return *parts_.config; }
  bool grows() const { return change_.to() > handover_.from; }
  int both() const { return std::max(handover_.from, change_.to()); }
  engine::ConnectorOptions Lane(int number) const;
  std::string SlotName(int number) const;
  absl::Status Refused(absl::string_view why) const;
  absl::Status PositionLost(int number) const;
  absl::StatusOr<std::optional<offset::StoredOffset>> Load(int number);
  absl::Status Store(int number, const offset::StoredOffset& offset);
  absl::Status Forget(int number);
  absl::Status Save(offset::OffsetStore& store, offset::StoredOffset offset);
  // As it is stored, changed.
  absl::Status Change(int number, const std::function<void(offset::StoredOffset*)>& change);
  absl::Status Reach(offset::SlotHandover::Step step, Lsn cut = {});
  bool Wait(absl::Duration duration);

  const Parts parts_;
  std::unique_ptr<HandoverServer> server_;
  offset::SlotHandover handover_;
  replication::SlotsChange change_;
};

}  // namespace walduct::slot
