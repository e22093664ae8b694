#include "engine/start/start_position.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::engine {
namespace {

using replication::OffsetMismatch;
using replication::SlotLsn;

constexpr absl::string_view kResnapshotHint =
    "set snapshot.mode=when_needed to take a new snapshot, or erase the stored offset (walduct "
    "offsets reset)";

event::Position AtBoundary(Lsn lsn) {
  event::Position position;
  position.commit_end = lsn;
  position.change_lsn = lsn;
  return position;
}

bool TrustsSlot(OffsetMismatch strategy) {
  return strategy == OffsetMismatch::kTrustSlot || strategy == OffsetMismatch::kTrustGreaterLsn;
}

absl::Status Unavailable(absl::string_view reason, Lsn stored, absl::string_view why) {
  return Error(
      absl::StatusCode::kFailedPrecondition, reason,
      absl::StrCat("The connector is trying to read change stream starting at ", stored.ToString(),
                   ", but this is no longer available on the server: ", why),
      kResnapshotHint);
}

}  // namespace

absl::Status CheckServerOfOffset(const offset::StoredOffset& stored,
                                 const replication::SystemIdentity& system) {
  if (!stored.system_identifier.empty() && stored.system_identifier != system.system_identifier) {
    return Error(
        absl::StatusCode::kFailedPrecondition, "system_mismatch",
        absl::StrCat("the stored position belongs to the server with system identifier ",
                     stored.system_identifier, ", but this server is ", system.system_identifier),
        "connect to the original server, or erase the stored offset and take a new snapshot");
  }
  return absl::OkStatus();
}

absl::StatusOr<StartVerdict> JudgeStart(const StartFacts& facts) {
  const std::optional<offset::StoredOffset>& stored = *facts.stored;
  const std::optional<replication::SlotState>& slot = *facts.slot;
  StartVerdict verdict;
  if (!stored) {
    if (slot) verdict.position = AtBoundary(SlotLsn(*slot));
    return verdict;
  }
  RETURN_IF_ERROR(CheckServerOfOffset(*stored, facts.server.system));
  // Nobody streams from the position of a snapshot that was cut short.
  if (stored->position.snapshot == event::SnapshotPhase::kRunning) {
    if (slot) verdict.position = AtBoundary(SlotLsn(*slot));
    return verdict;
  }
  verdict.available = CheckHistory(*stored, facts.server);
  if (!verdict.available.ok()) {
    if (slot) verdict.position = AtBoundary(SlotLsn(*slot));
    return verdict;
  }
  const Lsn position = stored->position.commit_end;
  verdict.position = stored->position;
  if (!slot) {
    verdict.position.reset();
    verdict.available =
        Unavailable("position_lost", position, "the replication slot does not exist");
    return verdict;
  }
  const Lsn slot_lsn = SlotLsn(*slot);
  if (slot_lsn <= position) return verdict;
  if (TrustsSlot(facts.strategy)) {
    log::Warn("the slot is ahead of the stored position; offset.mismatch.strategy trusts the slot",
              {{"stored", position.ToString()}, {"slot", slot_lsn.ToString()}});
    verdict.position = AtBoundary(slot_lsn);
    return verdict;
  }
  verdict.available = Unavailable(
      "position_skipped", position,
      absl::StrCat("the slot has been moved to ", slot_lsn.ToString(),
                   " by another client; PostgreSQL would silently skip the changes in between"));
  verdict.position = AtBoundary(slot_lsn);
  return verdict;
}

}  // namespace walduct::engine
