#include "slot/start/start_rules.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::slot {
snapshot::OffsetState StateOf(const std::optional<offset::StoredOffset>& stored) {
  if (!stored) return snapshot::OffsetState::kNone;
  return stored->position.snapshot == event::SnapshotPhase::kRunning
             ? snapshot::OffsetState::kSnapshotRunning
             : snapshot::OffsetState::kStreaming;
}

absl::Status CheckSameSlots(int slots, const std::optional<offset::StoredOffset>& stored) {
  if (!stored || stored->slots == slots) return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "slots_changed",
      absl::StrCat("the tables of this connector are spread over ", stored->slots,
                   stored->slots == 1 ? " slot" : " slots", ", and walduct.slots is now ", slots,
                   ": the stored positions are not those of tables that would move"),
      absl::StrCat("set walduct.slots=", stored->slots,
                   "; docs/slots.md says how another number is begun with"));
}

absl::Status CheckPromoted(const PromotionFacts& facts) {
  if (!facts.in_recovery) return absl::OkStatus();
  const std::optional<offset::StoredOffset>& stored = *facts.stored;
  const std::optional<replication::SlotState>& slot = *facts.slot;
  const bool came_from_primary = stored && !stored->of_standby;
  const bool synced = slot && slot->synced;
  const bool waits = synced || (came_from_primary && (!slot || !facts.decodes.ok()));
  if (!waits) return facts.decodes;
  return Error(
      absl::StatusCode::kUnavailable, "waiting_for_promotion",
      absl::StrCat("waiting for promotion: the server is a standby",
                   synced ? ", and its replication slot a copy of the primary's that cannot be "
                            "read before"
                          : ""),
      "nothing to do while a failover is under way; else connect to the primary: "
      "database.hostname=HOST1,HOST2 with database.target_session_attrs=primary finds it");
}

replication::PositionTrace TraceOf(const offset::StoredOffset& stored) {
  return {.position = stored.position.commit_end,
          .slot = stored.slot_name,
          .exact = stored.written_by_walduct};
}

bool ReplacesSlot(snapshot::SnapshotMode mode, const absl::Status& usable) {
  return ErrorReason(usable) == "slot_lost" && snapshot::FillsGaps(mode);
}

namespace {

// Why a slot that a position was read from is not there.
absl::Status ExplainLost(const PositionFacts& facts, absl::Status* lost) {
  if (!facts.lost_slot.ok()) *lost = facts.lost_slot;
  if (!facts.lost_slot.ok() || *facts.slot || !facts.other_name) return absl::OkStatus();
  const absl::Status other = facts.other_name(TraceOf(**facts.stored));
  if (ErrorReason(other) != "slot_other_name") return other;
  *lost = other;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StartVerdict> JudgePosition(const PositionFacts& facts) {
  const std::optional<offset::StoredOffset>& stored = *facts.stored;
  ServerHistory server{.system = facts.system,
                       .timelines = {},
                       .in_recovery = facts.in_recovery,
                       .next_xid = facts.next_xid,
                       .slot = *facts.slot ? replication::SlotLsn(**facts.slot) : Lsn()};
  std::optional<replication::UpgradeTraces> traces;
  if (NeedsTraces(stored, facts.system)) {
    ASSIGN_OR_RETURN(traces, facts.traces());
  } else if (stored && stored->timeline && *stored->timeline != facts.system.timeline) {
    absl::StatusOr<replication::TimelineHistory> timelines = facts.timelines();
    const bool unknown = ErrorReason(timelines.status()) == "timeline_unknown";
    if (!timelines.ok() && !unknown) return timelines.status();
    if (unknown) log::Warn(std::string(timelines.status().message()));
    if (timelines.ok()) server.timelines = *std::move(timelines);
    log::Info("the server is on a different timeline than the stored position",
              {{"stored", *stored->timeline}, {"server", facts.system.timeline}});
  }
  ASSIGN_OR_RETURN(StartVerdict verdict, JudgeStart({.stored = &stored,
                                                     .slot = facts.slot,
                                                     .server = std::move(server),
                                                     .strategy = facts.strategy,
                                                     .traces = traces}));
  if (ErrorReason(verdict.available) == "position_lost")
    RETURN_IF_ERROR(ExplainLost(facts, &verdict.available));
  const std::string reason = ErrorReason(verdict.available);
  verdict.holds = facts.holds && (reason == "slot_lost" || reason == "position_lost" ||
                                  reason == "lost_slot_held" || reason == "slot_other_name");
  return verdict;
}

absl::StatusOr<snapshot::StartDecision> DecideBy(snapshot::SnapshotMode mode,
                                                 const std::optional<offset::StoredOffset>& stored,
                                                 const StartVerdict& verdict) {
  const bool streams = snapshot::Streams(mode);
  absl::StatusOr<snapshot::StartDecision> decision = snapshot::DecideStart(
      {.mode = mode,
       .offset = StateOf(stored),
       .position_available = !streams || verdict.available.ok(),
       .stored_position_text = stored ? stored->position.commit_end.ToString() : ""});
  // JudgeStart knows better why the position is gone than the rule that trips over it.
  const bool lost = ErrorReason(decision.status()) == "position_lost";
  if (verdict.holds && (!decision.ok() || decision->snapshot)) return verdict.available;
  return lost && !verdict.available.ok() ? verdict.available : std::move(decision);
}

// Printing confirms changes to the slot, so a slot used by another connector is refused.
absl::Status CheckSlotIsOurs(const std::string& slot_name, absl::string_view sink,
                             const std::optional<replication::SlotState>& slot,
                             const std::optional<offset::StoredOffset>& stored) {
  if (!slot || !slot->confirmed_flush_lsn.valid() || (stored && stored->sink == sink))
    return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "slot_of_another_sink",
      absl::StrCat("replication slot \"", slot_name, "\" exists, and sink=", sink,
                   " is not known to have read it before: what is printed would be confirmed "
                   "to it, and the connector that uses it would never publish it"),
      "to look at changes beside it, use walduct tail; to print them for good, set a "
      "slot.name and an offset.storage.file.filename of its own: without the file nobody "
      "knows at the next start who has read the slot");
}

absl::Status CheckNoneIsMissing(const Identity& of, snapshot::SnapshotMode mode,
                                const std::optional<replication::SlotState>& slot) {
  const bool used = slot && slot->used;
  if (!used || mode != snapshot::SnapshotMode::kInitial) return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "offset_missing",
      absl::StrCat("changes have been read from replication slot ", of.slot, " (it stands at ",
                   replication::SlotLsn(*slot).ToString(),
                   "), but no offset is stored for connector ", of.connector, " and topic.prefix ",
                   of.topic_prefix, ": all tables would be read and published again"),
      absl::StrCat(
          "did you mean to import one? walduct offsets import stores the position of "
          "another worker or of a Debezium. Else check the offset store, the "
          "connector's name and topic.prefix; or choose: walduct offsets set NAME ",
          replication::SlotLsn(*slot).ToString(),
          " goes on where the slot stands: nothing is left out, and what was not confirmed "
          "to it comes again; snapshot.mode=when_needed takes the snapshot, "
          "snapshot.mode=no_data goes on where the slot stands, too, and after SELECT "
          "pg_drop_replication_slot('",
          of.slot, "') it is a first start"));
}

}  // namespace walduct::slot
