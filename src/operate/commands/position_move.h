// What moving the stored position of a stopped connector by hand would mean: what is published
// again, what is never published. Pure rules over facts.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "offset/stored_offset.h"
#include "replication/slot.h"

namespace walduct::operate {

struct MoveFacts {
  std::optional<offset::StoredOffset> stored = {};
  std::optional<Lsn> to = {};  // absent: the position is forgotten
  std::string slot_name;
  std::optional<replication::SlotState> slot = {};
  Lsn wal_end = {};
  std::string system;            // identifier of the server that was asked
  bool of_other_server = false;  // what is stored; LSNs of two servers cannot be compared
  // Yet all that can be seen says that pg_upgrade made the server of that one: what is stored goes
  // on where the slot stands.
  bool upgraded = false;
  // By offset.mismatch.strategy a start goes on at the slot where it stands beyond the position, or
  // pg_upgrade made the server.
  bool trusts_slot = false;
  // Something is stored that nobody can read: `stored` is absent.
  bool unreadable = false;
  bool takes_snapshot = true;  // a start without a position does, by its snapshot.mode
  bool may_repeat_it = false;  // by that it may do so of a slot that has been read, too
  bool fills_gaps = false;     // by that it does where a position is of no use
  bool holds_slot = false;     // but not of a slot that is gone or lost, which is made anew
  bool reads_back = false;     // names::Called: `walduct recover read` can be asked
  bool accept_loss = false;
  // What would be replaced or forgotten, where it is of a server that did not become this one: as a
  // rule of another connector of this name that uses this offset store.
  std::optional<offset::StoredOffset> foreign = {};
  bool accept_foreign = false;  // nobody goes on from it
  bool drops_slot = false;      // as was asked; one that is lost goes in any case
  bool polls = false;           // outbox tables, without a slot
  bool imported = false;        // it comes from elsewhere (JudgeImport)
};

// Lines for people. FailedPrecondition:
//   system_mismatch, position_lost, slot_lost, position_skipped, position_ahead
//     no start could go on from there
//   system_mismatch  also of what would be forgotten: whose it is (foreign), unless accept_foreign
//   no_position      an LSN is no position of outbox tables that are polled
//   move_loses_changes  changes would never be published, and nobody has accepted that
absl::StatusOr<std::string> JudgeMove(const MoveFacts& facts);

// Lines that say what a position from elsewhere means, with all that belongs to it. Refused: one
// that the server has not come to (position_ahead); unless that is accepted, one that no start
// could go on from, by the reasons of JudgeMove, also where a start takes a snapshot then; and what
// JudgeMove does not forget. facts:
// of_other_server and upgraded say it of `wanted`.
// Absent: the position is forgotten, and the slot stays.
absl::StatusOr<std::string> JudgeImport(MoveFacts facts,
                                        const std::optional<offset::StoredOffset>& wanted);

// Each slot has a position of its own: of several the one that is set is named, by its number; 0:
// it is not. InvalidArgument.
absl::Status CheckMovedSlot(int slot, int slots);
inline constexpr absl::string_view kOfSlotNumber = "offsets set: ";  // what it says begins so

// In what is said of a position that was stored all the same.
inline constexpr absl::string_view kNoStart = "no start can go on from there";

// Forgetting the position of a slot that no start could use drops it, too.
bool DropsSlot(const MoveFacts& facts);

// "0/16B3748", "none", and what else of it matters.
std::string PositionText(const std::optional<offset::StoredOffset>& stored);

// Of what is in the place of a position, and is none.
inline constexpr absl::string_view kUnreadable = "not readable";

}  // namespace walduct::operate
