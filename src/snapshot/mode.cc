#include "snapshot/mode.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::snapshot {
namespace {

struct ModeRules {
  bool snapshots = false;    // with no usable offset
  bool every_start = false;  // whatever the offset
  bool streams = true;
  bool fills_gaps = false;  // a lost position is answered with a snapshot
};

ModeRules RulesOf(SnapshotMode mode) {
  switch (mode) {
    case SnapshotMode::kInitial:
      return {.snapshots = true};
    case SnapshotMode::kInitialOnly:
      return {.snapshots = true, .streams = false};
    case SnapshotMode::kAlways:
      return {.snapshots = true, .every_start = true};
    case SnapshotMode::kWhenNeeded:
      return {.snapshots = true, .fills_gaps = true};
    case SnapshotMode::kNoData:
    case SnapshotMode::kNever:
      return {};
    case SnapshotMode::kAlwaysOnly:
      return {.snapshots = true, .every_start = true, .streams = false};
    case SnapshotMode::kGapsOnly:
      return {.fills_gaps = true};
    case SnapshotMode::kNothing:
      return {.streams = false};
  }
  return {};
}

absl::Status InterruptedError() {
  return Error(
      absl::StatusCode::kFailedPrecondition, "snapshot_interrupted",
      "The connector previously stopped while taking a snapshot, but now the connector is "
      "configured to never "
      "allow snapshots. Reconfigure the connector to use snapshots initially or when needed.",
      "set snapshot.mode=initial to take the snapshot again from its beginning");
}

absl::Status PositionLostError(absl::string_view position) {
  return Error(absl::StatusCode::kFailedPrecondition, "position_lost",
               absl::StrCat("The connector is trying to read change stream starting at ", position,
                            ", but this is no longer available on the server. Reconfigure the "
                            "connector to use a snapshot "
                            "mode when needed."),
               "changes since that position cannot be read any more: set snapshot.mode=when_needed "
               "to take a new snapshot");
}

}  // namespace

bool FillsGaps(SnapshotMode mode) { return RulesOf(mode).fills_gaps; }

bool Streams(SnapshotMode mode) { return RulesOf(mode).streams; }

absl::StatusOr<StartDecision> DecideStart(const StartFacts& facts) {
  const ModeRules rules = RulesOf(facts.mode);
  StartDecision decision{.stream = rules.streams};
  switch (facts.offset) {
    case OffsetState::kNone:
      decision.snapshot = rules.snapshots;
      return decision;
    case OffsetState::kSnapshotRunning:
      // Its position is the snapshot's own, which nobody streams from: the snapshot begins anew.
      if (!rules.snapshots) return InterruptedError();
      decision.snapshot = true;
      decision.discard_offset = true;
      return decision;
    case OffsetState::kStreaming:
      break;
  }
  // As in Debezium also with `always`: the gap must not close unseen just because a snapshot
  // follows.
  const bool lost = rules.streams && !facts.position_available;
  if (lost && !rules.fills_gaps) return PositionLostError(facts.stored_position_text);
  decision.snapshot = rules.every_start || lost;
  decision.discard_offset = decision.snapshot;
  return decision;
}

}  // namespace walduct::snapshot
