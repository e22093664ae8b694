#include "recover/run/position_check.h"

#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/server_check.h"
#include "slot/start/server_history.h"
#include "slot/start/start_position.h"

namespace walduct::recover {

absl::Status CheckPosition(const offset::StoredOffset& stored,
                           const replication::SystemIdentity& system, postgres::Connection& sql,
                           postgres::Connection& replication, Lsn slot) {
  RETURN_IF_ERROR(slot::CheckServerOfOffset(stored, system));
  ASSIGN_OR_RETURN(const bool in_recovery, postgres::IsInRecovery(sql));
  slot::ServerHistory server{
      .system = system, .timelines = {}, .in_recovery = in_recovery, .next_xid = 0, .slot = slot};
  if (stored.timeline && *stored.timeline != system.timeline) {
    absl::StatusOr<replication::TimelineHistory> timelines =
        replication::ReadTimelineHistory(replication, system.timeline);
    // Of a history that nobody has kept it is not known to be, either.
    const bool unknown = ErrorReason(timelines.status()) == "timeline_unknown";
    if (!timelines.ok() && !unknown) return timelines.status();
    if (timelines.ok()) server.timelines = *std::move(timelines);
  }
  return slot::CheckHistory(stored, server);
}

}  // namespace walduct::recover
