// Does the stored position lie in the history of this server? A server that was promoted or
// restored may have begun another history before the position: changes that were published never
// happened there, and what it writes up to the position would never be read. Pure.
#pragma once

#include "absl/status/status.h"
#include "offset/stored_offset.h"
#include "replication/slot.h"
#include "replication/timeline.h"

namespace walduct::slot {

struct ServerHistory {
  replication::SystemIdentity system;
  replication::TimelineHistory timelines;  // before the present one
  bool in_recovery = false;
  uint64_t next_xid = 0;  // 0: not known
  Lsn slot;               // where the slot stands; 0/0: there is none
};

// FailedPrecondition:
//   position_diverged  on another timeline, which left the position's before it
//   position_ahead     the server has not come as far as the position, or was once seen so
absl::Status CheckHistory(const offset::StoredOffset& stored, const ServerHistory& server);

}  // namespace walduct::slot
