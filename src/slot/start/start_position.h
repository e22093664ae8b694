// Is the stored position still good for this server and this slot? Pure rules over facts; the
// answer decides whether to stream, to take a snapshot, or to stop before anything could be lost.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "offset/stored_offset.h"
#include "replication/offset_mismatch.h"
#include "replication/slot.h"
#include "replication/upgrade_traces.h"
#include "slot/start/server_history.h"

namespace walduct::slot {

struct StartFacts {
  const std::optional<offset::StoredOffset>* stored = nullptr;
  const std::optional<replication::SlotState>* slot = nullptr;
  ServerHistory server;
  replication::OffsetMismatch strategy = replication::OffsetMismatch::kNoValidation;
  // Of a server with another system identifier; absent: nobody has asked.
  std::optional<replication::UpgradeTraces> traces = {};
};

struct StartVerdict {
  // OK: the stream can go on from `position`. Otherwise why the stored position is of no use; a new
  // snapshot would mend it.
  absl::Status available;
  // Where to stream from when the slot exists: the stored position, or the slot's where the
  // strategy trusts that. Absent when neither is known.
  std::optional<event::Position> position;
  // It is the slot that was lost, and another is to stand in its place until somebody has chosen.
  bool holds = false;
};

// FailedPrecondition system_mismatch: the offset was stored of another server.
absl::Status CheckServerOfOffset(const offset::StoredOffset& stored,
                                 const replication::SystemIdentity& system);

// Whether the facts need traces.
bool NeedsTraces(const std::optional<offset::StoredOffset>& stored,
                 const replication::SystemIdentity& system);

// system_mismatch: the position is another server's, which no snapshot mends. server_upgraded: it
// is, and pg_upgrade seems to have made this one of it: the strategy that trusts the slot goes on.
// outbox_position_lost: it is that of outbox tables that were polled.
absl::StatusOr<StartVerdict> JudgeStart(const StartFacts& facts);

}  // namespace walduct::slot
