// What a start judges by facts that others have read, so that `walduct doctor` judges the same.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "offset/stored_offset.h"
#include "replication/offset_mismatch.h"
#include "replication/slot.h"
#include "replication/slots/other_slot.h"
#include "replication/timeline.h"
#include "replication/upgrade_traces.h"
#include "slot/start/start_position.h"
#include "snapshot/mode.h"

namespace walduct::slot {

snapshot::OffsetState StateOf(const std::optional<offset::StoredOffset>& stored);

// FailedPrecondition slots_changed: the offset was stored with another walduct.slots.
absl::Status CheckSameSlots(int slots, const std::optional<offset::StoredOffset>& stored);

// A standby takes over when it is promoted: until then nothing may be created on it in place of
// what the primary has. decodes: why it cannot decode at all, an old one.
struct PromotionFacts {
  bool in_recovery = false;
  absl::Status decodes;
  const std::optional<replication::SlotState>* slot = nullptr;
  const std::optional<offset::StoredOffset>* stored = nullptr;
};
// Unavailable waiting_for_promotion, or `decodes`.
absl::Status CheckPromoted(const PromotionFacts& facts);

// Of a terminal sink (SinkTraits), by its name. FailedPrecondition slot_of_another_sink: what is
// printed would be confirmed to a live slot.
absl::Status CheckSlotIsOurs(const std::string& slot_name, absl::string_view sink,
                             const std::optional<replication::SlotState>& slot,
                             const std::optional<offset::StoredOffset>& stored);

// Where no position is stored: FailedPrecondition offset_missing when one must have been.
struct Identity {
  std::string connector, topic_prefix, slot;
};
absl::Status CheckNoneIsMissing(const Identity& of, snapshot::SnapshotMode mode,
                                const std::optional<replication::SlotState>& slot);

// What the stored position tells of the slot that it was read from.
replication::PositionTrace TraceOf(const offset::StoredOffset& stored);

// Whether a slot that cannot be read, by `usable`, makes room for another and a new snapshot.
bool ReplacesSlot(snapshot::SnapshotMode mode, const absl::Status& usable);

// The stored position, a slot that may be lost (lost_slot, else OK), and a server that is asked for
// its history only where that matters. All borrowed.
struct PositionFacts {
  replication::OffsetMismatch strategy = replication::OffsetMismatch::kNoValidation;
  const std::optional<offset::StoredOffset>* stored = nullptr;
  const std::optional<replication::SlotState>* slot = nullptr;
  replication::SystemIdentity system;
  bool in_recovery = false;
  uint64_t next_xid = 0;
  absl::Status lost_slot;
  bool holds = false;  // HoldsSlot
  std::function<absl::StatusOr<replication::TimelineHistory>()> timelines;
  std::function<absl::StatusOr<std::optional<replication::UpgradeTraces>>()> traces;
  // Of a slot that is not there: see replication::CheckSlotName.
  std::function<absl::Status(const replication::PositionTrace& trace)> other_name = {};
};
absl::StatusOr<StartVerdict> JudgePosition(const PositionFacts& facts);

// Snapshot, stream, both or neither; the verdict's own error where the position is lost by it.
absl::StatusOr<snapshot::StartDecision> DecideBy(snapshot::SnapshotMode mode,
                                                 const std::optional<offset::StoredOffset>& stored,
                                                 const StartVerdict& verdict);

}  // namespace walduct::slot
