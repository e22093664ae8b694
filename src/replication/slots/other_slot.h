// A slot.name that the server does not have, beside a slot that the connector may have read under
// another name: whoever has misspelt it has lost nothing, and is not to read all tables anew. The
// slot of another connector, taken for it, costs that one its changes: in doubt none is named.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/lsn.h"
#include "postgres/connection.h"
#include "replication/slot_share.h"

namespace walduct::replication {

// A logical slot of pgoutput in the connector's database.
struct FoundSlot {
  std::string name;
  Lsn confirmed;      // 0/0: half created
  bool idle = false;  // nobody reads it, and it is not lost
  bool own = false;   // it is read by a session of the connector itself
};

// What is known of the stored position.
struct PositionTrace {
  Lsn position;
  std::string slot = {};  // that it was read from; empty: not known
  // A slot of unknown name has to stand exactly there, as one does that was read to the position:
  // one that stands before it is anybody's. False: the position was brought from elsewhere, where
  // the slot may lag behind it.
  bool exact = true;
};

// Of those, the ones that slot.name may have meant: read by nobody or by the connector itself, at
// the position or before it as the trace has it, no lane of another slot, and not among those of
// others. Where the trace names a slot: that one alone. own: the slot that is missing. Of several
// slots: what has the same number; none where another one of the same name and another number is
// there, as the name is right then.
std::vector<FoundSlot> MayBeMeant(std::vector<FoundSlot> found, const std::string& own,
                                  const SlotShare& share, const PositionTrace& trace,
                                  const std::set<std::string>& of_others);

struct SlotReaders {
  std::string own = {};  // the connector's: application_name of its stream
  // What other connectors of this process read on the same server; null: nobody knows.
  std::function<std::set<std::string>()> of_others = nullptr;
  // Where a slot that is lost would be made anew at once, an idle one of somebody else's must not
  // be in the way: one of unknown name has to stand exactly where the stored position does.
  bool at_position_only = false;
  bool waits = true;  // shortly, for a session of the connector that is just ending
};

// own: slot.name, of a slot that is not there while a position is stored. FailedPrecondition
// slot_other_name: one that may be meant is there, and no second one. OK as well where the position
// was read from `own`: it was dropped, and has no other name.
absl::Status CheckSlotName(postgres::Connection& sql, const std::string& own,
                           const SlotShare& share, const PositionTrace& trace,
                           const SlotReaders& readers);

}  // namespace walduct::replication
