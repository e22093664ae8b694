// The lock of a slot: one instance at a time works on it, from before it looks at the stored
// position to the end of its stream. While an instance streams, the server keeps others from the
// slot by itself; while it reads tables nothing would. So the session that is going to stream holds
// an advisory lock first. The lock goes with that session, whatever ends it. No pooler shares a
// replication session, and a standby has locks of its own, as it has slots of its own.
//
// Its key is SlotLockKey(slot name), in the slot's database; pg_locks shows the upper half of the
// key as classid, the lower as objid.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "postgres/connection.h"

namespace walduct::replication {

int64_t SlotLockKey(absl::string_view slot_name);

// Takes it on the replication session; waits a moment for a session that is just ending. False: the
// role may not lock, or the server cannot; a warning says so, and the start goes on without.
// Errors name pid, application and client of the holder:
//   Aborted slot_in_use     it streams
//   Unavailable slot_held   it reads tables, or is about to stream
absl::StatusOr<bool> TakeSlotLock(postgres::Connection& replication, postgres::Connection& sql,
                                  absl::string_view slot_name);

// Looks only. True: a session that is named so works on the slot, and does not stream from it.
// Unavailable slot_held: another one does.
absl::StatusOr<bool> WorksOnSlot(postgres::Connection& sql, absl::string_view slot_name,
                                 absl::string_view own_application);

// Whether the session with this pid still has it. Answers within a second.
//   FailedPrecondition slot_taken_over   another session has it
//   Unavailable slot_released            none has it
absl::Status CheckSlotLock(postgres::Connection& sql, absl::string_view slot_name, int own_pid);

}  // namespace walduct::replication
