// Slot: what pg_replication_slots says about our slot, and how it is created: by the replication
// command, with an exported snapshot that lives until the next command on that replication
// connection.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "postgres/connection.h"
#include "replication/timeline.h"

namespace walduct::replication {

struct ReplicationOptions;

struct SlotState {
  std::string plugin;
  std::string database;
  bool active = false;
  int active_pid = 0;
  Lsn restart_lsn;          // 0/0: NULL, the slot was invalidated
  Lsn confirmed_flush_lsn;  // 0/0: NULL, half created
  std::string wal_status;   // reserved, extended, unreserved, lost; empty before PostgreSQL 13
  std::string invalidation_reason;  // PostgreSQL 16+
  bool synced = false;              // PostgreSQL 17+: a standby's copy of a slot of its primary
  bool used = false;  // PostgreSQL 14+: changes have been read from it, as far as statistics tell
  bool touched = false;  // PostgreSQL 17+: made, read or moved since the server was started
};

// Where it stands. A half-created or freshly promoted slot has no confirmed position yet.
inline Lsn SlotLsn(const SlotState& slot) {
  return slot.confirmed_flush_lsn.valid() ? slot.confirmed_flush_lsn : slot.restart_lsn;
}

// Absent when no slot has the name, whatever its plugin and database.
absl::StatusOr<std::optional<SlotState>> InspectSlot(postgres::Connection& connection,
                                                     absl::string_view slot_name);

// FailedPrecondition slot_wrong_plugin, slot_wrong_database, slot_lost; Aborted slot_in_use (names
// pid, application and client); OK when the slot can be streamed by us.
absl::Status CheckSlotUsable(postgres::Connection& connection, absl::string_view slot_name,
                             const SlotState& slot);

// Whether the slot is still read by the session with this pid, or, before it streams, by nobody (a
// temporary slot is its session's from the beginning). Answers within a second. FailedPrecondition
// slot_taken_over (names pid, application and client); Unavailable
// slot_released, or what the connection says.
absl::Status CheckSlotHeld(postgres::Connection& connection, absl::string_view slot_name,
                           int own_pid, bool streams);

// An error says of the slot that it is lost, missing, another's, or that its WAL is removed. The
// slot's own row may deny it: a server that has just changed its timeline looks once for a segment
// of the old one; of two servers behind one address another one answers.
bool IsSlotVerdict(const absl::Status& error);

// Why START_REPLICATION was refused: the server names only a process, or says in a language of its
// own what the slot itself tells. Unavailable slot_disputed: the slot's row denies the verdict.
absl::Status ExplainStart(postgres::Connection& connection, absl::string_view slot_name,
                          const absl::Status& error);

// Why a stream has ended that the server broke off: names the slot's invalidation where that is the
// reason, so that nobody looks for a server that was stopped. Unavailable slot_invalidated: the
// next start says what can be done. A verdict on the slot is its row's: slot_lost, or Unavailable
// slot_disputed where the row denies it. Otherwise the error as it was.
absl::Status ExplainEnd(postgres::Connection& connection, absl::string_view slot_name,
                        const absl::Status& error);

// Unavailable slot_moved: it stands beyond start by now, and the server would leave out in silence
// what lies between.
absl::Status CheckSlotNotMoved(postgres::Connection& sql, absl::string_view slot_name, Lsn start);

struct CreatedSlot {
  Lsn consistent_point;
  std::string snapshot_name;
};
// Is told the transactions that are in the way of a new slot: "pid 7 (…), prepared transaction …".
using TellBlockers = std::function<void(const std::string& transactions)>;
// replication must be a kReplication connection and stay idle while the snapshot is used. Waits for
// running transactions, which are told before, up to create_slot_timeout; then DeadlineExceeded
// slot_creation_blocked names the transactions in the way (needs sql). Cancelled stopped once
// `stopping` says so; the server then keeps no slot.
absl::StatusOr<CreatedSlot> CreateSlot(postgres::Connection& replication, postgres::Connection& sql,
                                       const ReplicationOptions& options,
                                       const postgres::StopCheck& stopping = nullptr,
                                       const TellBlockers& tell = nullptr);

// OK when there is no such slot. Waits a few seconds for a walsender that is just ending; then
// Aborted slot_in_use.
absl::Status DropSlot(postgres::Connection& sql, absl::string_view slot_name);

struct SystemIdentity {
  std::string system_identifier;
  uint32_t timeline = 0;
  Lsn wal_end;
};
absl::StatusOr<SystemIdentity> IdentifySystem(postgres::Connection& replication);
// The timelines before that one. FailedPrecondition timeline_unknown when the server has lost its
// file.
absl::StatusOr<TimelineHistory> ReadTimelineHistory(postgres::Connection& replication,
                                                    uint32_t timeline);

}  // namespace walduct::replication
