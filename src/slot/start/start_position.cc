#include "slot/start/start_position.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "offset/shared_name.h"
#include "postgres/connection.h"
#include "slot/start/slot_hold.h"
#include "slot/start/upgraded_server.h"

namespace walduct::slot {
namespace {

using replication::SlotLsn;
using replication::TrustsSlot;

constexpr absl::string_view kResnapshotHint =
    "set snapshot.mode=when_needed to take a new snapshot, or erase the stored offset (walduct "
    "offsets reset)";

event::Position AtBoundary(Lsn lsn) {
  event::Position position;
  position.commit_end = lsn;
  position.change_lsn = lsn;
  return position;
}

std::string NoLonger(Lsn stored, absl::string_view why) {
  return absl::StrCat("The connector is trying to read change stream starting at ",
                      stored.ToString(), ", but this is no longer available on the server: ", why);
}

// Whoever has another one in slot.name sees by the name which is meant.
absl::Status Lost(const offset::StoredOffset& stored) {
  const std::string read_from = stored.slot_name.empty()
                                    ? ""
                                    : absl::StrCat("; the position was read from replication slot ",
                                                   postgres::QuoteIdentifier(stored.slot_name));
  return Error(absl::StatusCode::kFailedPrecondition, "position_lost",
               NoLonger(stored.position.commit_end,
                        absl::StrCat("the replication slot does not exist", read_from)),
               kResnapshotHint);
}

absl::Status Skipped(Lsn stored, Lsn slot) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "position_skipped",
      NoLonger(stored, absl::StrCat("the slot stands beyond it, at ", slot.ToString(),
                                    "; PostgreSQL would silently skip the changes in between. "
                                    "Perhaps another client has read from the slot, the server "
                                    "was upgraded (docs/upgrade.md), or an older position was "
                                    "stored (walduct offsets import or set)")),
      absl::StrCat("if another process has read from the slot and keeps its position elsewhere "
                   "(another worker, Kafka Connect, walduct run with a file): export it there and "
                   "import it here (docs/migration.md); "
                   "if an older position was stored by mistake: walduct offsets import NAME FILE "
                   "puts the one before it back, from its export, or walduct offsets set "
                   "NAME ",
                   slot.ToString(), " --accept-loss goes on where the slot stands; else ",
                   kResnapshotHint));
}

absl::Status AnotherSystem(const offset::StoredOffset& stored,
                           const replication::SystemIdentity& system, const std::string& why) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "system_mismatch",
      absl::StrCat("the stored position belongs to the server with system identifier ",
                   stored.system_identifier, ", but this server is ", system.system_identifier,
                   why.empty() ? "" : ", and not what pg_upgrade makes of that one: ", why),
      absl::StrCat(
          offset::kSharedNameHint,
          ". Else connect to the original server, or bring it back at this address; then "
          "start again; after pg_upgrade see docs/upgrade.md; only if this server is meant "
          "to take its place, erase the stored offset (walduct offsets reset --accept-foreign) and "
          "take a new snapshot"));
}

absl::Status Upgraded(const offset::StoredOffset& stored, const StartFacts& facts) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "server_upgraded",
      absl::StrCat(
          "the stored position ", stored.position.commit_end.ToString(),
          " belongs to the server with system identifier ", stored.system_identifier,
          ", and this server, ", facts.server.system.system_identifier,
          ", looks like what pg_upgrade makes of it: the replication slot stands untouched "
          "at ",
          SlotLsn(**facts.slot).ToString(), ", where its WAL begins, and transaction ids go on"),
      "if you have upgraded it, after this connector was stopped, and nobody else has moved the "
      "slot, there is nothing in between: start once with "
      "offset.mismatch.strategy=trust_slot (walduct run … -o offset.mismatch.strategy=trust_slot); "
      "no row is read again. Else connect to the original server. docs/upgrade.md");
}

absl::Status CheckUpgraded(const offset::StoredOffset& stored, const StartFacts& facts) {
  if (!facts.traces) return AnotherSystem(stored, facts.server.system, "");
  if (stored.slot_held)
    return AnotherSystem(stored, facts.server.system, "its slot had been lost before");
  const std::string why = WhyNotUpgraded(
      {.stored = &stored, .slot = facts.slot, .server = &facts.server, .traces = &*facts.traces});
  if (!why.empty())
    return AnotherSystem(stored, facts.server.system, TrustsSlot(facts.strategy) ? why : "");
  return TrustsSlot(facts.strategy) ? absl::OkStatus() : Upgraded(stored, facts);
}

// The position as the same place of the server that was made of the other.
event::Position OnUpgraded(const event::Position& position, Lsn slot) {
  event::Position moved = AtBoundary(slot);
  moved.xid = position.xid;
  moved.commit_time_us = position.commit_time_us;
  return moved;
}

}  // namespace

absl::Status CheckServerOfOffset(const offset::StoredOffset& stored,
                                 const replication::SystemIdentity& system) {
  return IsOfAnotherSystem(stored, system) ? AnotherSystem(stored, system, "") : absl::OkStatus();
}

bool NeedsTraces(const std::optional<offset::StoredOffset>& stored,
                 const replication::SystemIdentity& system) {
  return stored && IsOfAnotherSystem(*stored, system);
}

absl::StatusOr<StartVerdict> JudgeStart(const StartFacts& facts) {
  const std::optional<offset::StoredOffset>& stored = *facts.stored;
  const std::optional<replication::SlotState>& slot = *facts.slot;
  StartVerdict verdict;
  if (!stored) {
    if (slot) verdict.position = AtBoundary(SlotLsn(*slot));
    return verdict;
  }
  if (!event::FindMember(stored->members, event::kOutboxMember).empty())
    return Error(absl::StatusCode::kFailedPrecondition, "outbox_position_lost",
                 "the stored position is that of polled outbox tables: no changes were read up to "
                 "its place in the WAL",
                 "give the connector that reads the slot another name, or walduct offsets reset");
  if (IsOfAnotherSystem(*stored, facts.server.system)) {
    RETURN_IF_ERROR(CheckUpgraded(*stored, facts));
    log::Warn(
        "the server was upgraded; offset.mismatch.strategy trusts its slot",
        {{"stored", stored->position.commit_end.ToString()}, {"slot", SlotLsn(*slot).ToString()}});
    verdict.position = OnUpgraded(stored->position, SlotLsn(*slot));
    return verdict;
  }
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
    verdict.available = Lost(*stored);
    return verdict;
  }
  const Lsn slot_lsn = SlotLsn(*slot);
  if (slot_lsn <= position) return verdict;
  if (stored->slot_held) {
    verdict.available = SlotHeld(*stored, slot_lsn);
    verdict.position = AtBoundary(slot_lsn);
    return verdict;
  }
  if (TrustsSlot(facts.strategy)) {
    log::Warn("the slot is ahead of the stored position; offset.mismatch.strategy trusts the slot",
              {{"stored", position.ToString()}, {"slot", slot_lsn.ToString()}});
    verdict.position = AtBoundary(slot_lsn);
    return verdict;
  }
  verdict.available = Skipped(position, slot_lsn);
  verdict.position = AtBoundary(slot_lsn);
  return verdict;
}

}  // namespace walduct::slot
