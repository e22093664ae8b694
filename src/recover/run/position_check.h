// Whether the stored position lies in the history of the connector's server: of one that lost WAL
// by a failover or a restore neither a gap nor that there is none can be told.
#pragma once

#include "absl/status/status.h"
#include "base/lsn.h"
#include "offset/stored_offset.h"
#include "postgres/connection.h"
#include "replication/slot.h"

namespace walduct::recover {

// FailedPrecondition system_mismatch, position_diverged, position_ahead: as a start says it.
// replication: the session that `system` is of. slot: where it begins; invalid: there is none.
absl::Status CheckPosition(const offset::StoredOffset& stored,
                           const replication::SystemIdentity& system, postgres::Connection& sql,
                           postgres::Connection& replication, Lsn slot);

}  // namespace walduct::recover
