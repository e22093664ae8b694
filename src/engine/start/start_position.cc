#include "engine/start/start_position.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"

namespace walduct::engine {
namespace {

using replication::OffsetMismatch;

constexpr absl::string_view kResnapshotHint =
    "set snapshot.mode=when_needed to take a new snapshot, or erase the stored offset (walduct "
    "offsets import with \"offset\": null)";

absl::Status CheckServerOfOffset(const offset::StoredOffset& stored, const StartFacts& facts) {
  const replication::SystemIdentity& system = facts.system;
  if (!stored.system_identifier.empty() && stored.system_identifier != system.system_identifier) {
    return Error(
        absl::StatusCode::kFailedPrecondition, "system_mismatch",
        absl::StrCat("the stored position belongs to the server with system identifier ",
                     stored.system_identifier, ", but this server is ", system.system_identifier),
        "connect to the original server, or erase the stored offset and take a new snapshot");
  }
  if (!facts.in_recovery && stored.position.commit_end > system.wal_end) {
    return Error(
        absl::StatusCode::kFailedPrecondition, "position_ahead",
        absl::StrCat("the stored position ", stored.position.commit_end.ToString(),
                     " lies beyond the end of the server's WAL ", system.wal_end.ToString(),
                     ": the server was restored or failed over to an older state"),
        "erase the stored offset and take a new snapshot; changes that consumers have seen may no "
        "longer exist");
  }
  if (stored.timeline && *stored.timeline != system.timeline) {
    log::Warn("the server is on a different timeline than the stored position",
              {{"stored", *stored.timeline}, {"server", system.timeline}});
  }
  return absl::OkStatus();
}

Lsn SlotLsn(const replication::SlotState& slot) {
  // A half-created or freshly promoted slot has no confirmed position yet.
  return slot.confirmed_flush_lsn.valid() ? slot.confirmed_flush_lsn : slot.restart_lsn;
}

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

absl::StatusOr<StartVerdict> JudgeStart(const StartFacts& facts) {
  const std::optional<offset::StoredOffset>& stored = *facts.stored;
  const std::optional<replication::SlotState>& slot = *facts.slot;
  StartVerdict verdict;
  if (!stored) {
    if (slot) verdict.position = AtBoundary(SlotLsn(*slot));
    return verdict;
  }
  if (const absl::Status server = CheckServerOfOffset(*stored, facts); !server.ok()) return server;
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
