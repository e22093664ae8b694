#include "operate/commands/position_move.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "offset/shared_name.h"

namespace walduct::operate {
namespace {

using replication::SlotLsn;

std::string Bytes(Lsn from, Lsn to) {
  return absl::StrCat(to.value() - from.value(), " bytes of WAL (", from.ToString(), " to ",
                      to.ToString(), ")");
}

constexpr absl::string_view kNothingChanged = "nothing is changed: ", kSoThat = ", so that ";

absl::Status Refused(absl::string_view reason, const std::string& why, const std::string& hint) {
  return Error(absl::StatusCode::kFailedPrecondition, reason, absl::StrCat(kNothingChanged, why),
               hint);
}

absl::Status Accepted(const MoveFacts& facts, const std::string& lost) {
  if (facts.accept_loss) return absl::OkStatus();
  return Refused("move_loses_changes", lost,
                 "if that is what you want, repeat the command with --accept-loss");
}

// "0/16B3748, committed at 2026-01-31 12:00:00 UTC, belongs to …"
std::string WhosePosition(const offset::StoredOffset& stored, absl::string_view system) {
  const int64_t committed = stored.position.commit_time_us;
  return absl::StrCat("the stored position ", stored.position.commit_end.ToString(),
                      committed > 0
                          ? absl::FormatTime(", committed at %Y-%m-%d %H:%M:%S UTC,",
                                             absl::FromUnixMicros(committed), absl::UTCTimeZone())
                          : "",
                      " belongs to the server with system identifier ", stored.system_identifier,
                      ", and database.hostname leads to ", system);
}

// Whoever goes on from it, on its own server, would find none, or another's.
absl::Status CheckForeign(const MoveFacts& facts) {
  if (!facts.foreign || facts.accept_foreign) return absl::OkStatus();
  return Refused(
      "system_mismatch", WhosePosition(*facts.foreign, facts.system),
      "where another connector of this name uses this offset store it is that one's: give this one "
      "another name. Where nobody goes on from it any more, repeat the command with "
      "--accept-foreign");
}

bool SnapshotCutShort(const MoveFacts& facts) {
  return facts.stored && facts.stored->position.snapshot == event::SnapshotPhase::kRunning;
}

// A start has to be able to stream from there.
absl::Status CheckReachable(const MoveFacts& facts) {
  const Lsn to = *facts.to;
  if (facts.of_other_server && !facts.upgraded) {
    return Refused("system_mismatch",
                   facts.foreign ? WhosePosition(*facts.foreign, facts.system)
                                 : "the stored position belongs to another server",
                   absl::StrCat(offset::kSharedNameHint,
                                ". Else check database.hostname; walduct offsets reset forgets the "
                                "position where nobody goes on from it any more"));
  }
  if (!facts.slot) {
    return Refused("position_lost",
                   absl::StrCat("replication slot ", facts.slot_name, " does not exist", kSoThat,
                                "no start could go on from ", to.ToString()),
                   "walduct offsets reset forgets the position: the next start is a first one");
  }
  if (!facts.slot->restart_lsn.valid() || facts.slot->wal_status == "lost") {
    return Refused("slot_lost",
                   absl::StrCat("replication slot ", facts.slot_name, " has lost its WAL"),
                   "a new snapshot is needed: walduct explain slot_lost");
  }
  const Lsn at = SlotLsn(*facts.slot);
  if (to < at) {
    return Refused("position_skipped",
                   absl::StrCat("replication slot ", facts.slot_name, " stands at ", at.ToString(),
                                ": the server sends nothing before that"),
                   absl::StrCat("the earliest position is ", at.ToString()));
  }
  if (to > facts.wal_end) {
    return Refused("position_ahead",
                   absl::StrCat("the server's WAL ends at ", facts.wal_end.ToString(), ", before ",
                                to.ToString()),
                   absl::StrCat("the latest position is ", facts.wal_end.ToString()));
  }
  return absl::OkStatus();
}

// Nobody knows how far it had come.
absl::StatusOr<std::string> JudgeUnreadable(const MoveFacts& facts, absl::string_view before) {
  const std::string lost = absl::StrCat(
      "the stored position is not readable: whether all was published that was changed before ",
      before, " is not known, and what was not is never told");
  RETURN_IF_ERROR(Accepted(facts, lost));
  return absl::StrCat(lost, "\n");
}

absl::StatusOr<std::string> JudgeSet(const MoveFacts& facts) {
  RETURN_IF_ERROR(CheckReachable(facts));
  const Lsn to = *facts.to, slot = SlotLsn(*facts.slot);
  // What is confirmed to a slot was published, and its position stored.
  const bool had_all = facts.slot->used && to == facts.slot->confirmed_flush_lsn;
  if (facts.unreadable && had_all && !facts.may_repeat_it) {
    return std::string(
        "nothing is left out; what was not confirmed to the slot comes again. A snapshot that may "
        "have been under way is not taken again\n");
  }
  if (facts.unreadable) return JudgeUnreadable(facts, to.ToString());
  if (SnapshotCutShort(facts)) {
    const std::string lost =
        "the snapshot that was cut short is not taken again; rows it had not reached are missing "
        "in the topics";
    RETURN_IF_ERROR(Accepted(facts, lost));
    return absl::StrCat(lost, "\n");
  }
  const Lsn from = facts.stored && !facts.upgraded ? facts.stored->position.commit_end : slot;
  if (to > from) {
    if (facts.imported) {
      return absl::StrCat("what was committed in ", Bytes(from, to),
                          " is not published by this connector: right if the process that the "
                          "position comes from has published it\n");
    }
    const std::string lost =
        absl::StrCat("what was committed in ", Bytes(from, to), " is never published");
    RETURN_IF_ERROR(Accepted(facts, lost));
    return absl::StrCat(lost, "\n");
  }
  if (to < from)
    return absl::StrCat("what was committed in ", Bytes(to, from), " is published again\n");
  if (facts.stored && facts.stored->position.ordinal > 0) {
    return absl::StrCat(facts.stored->position.ordinal,
                        " changes of the transaction after it are published again\n");
  }
  // Nobody knows what was published beyond it.
  if (!facts.stored)
    return std::string("nothing is left out; what was not confirmed to the slot comes again\n");
  return std::string("nothing is published again or left out\n");
}

bool IsLost(const replication::SlotState& slot) {
  return !slot.restart_lsn.valid() || slot.wal_status == "lost" ||
         !slot.invalidation_reason.empty();
}

absl::string_view NeverTold(const MoveFacts& facts) {
  return facts.reads_back ? " is never told, unless walduct recover read compares the tables with "
                            "the topics afterwards (docs/recover.md)"
                          : " is never told";
}

// The position of outbox tables that are polled.
absl::StatusOr<std::string> JudgeTables(const MoveFacts& facts) {
  if (facts.to)
    return Refused("no_position", "no LSN says how far an outbox table is published that is polled",
                   "walduct offsets reset forgets what is stored");
  RETURN_IF_ERROR(CheckForeign(facts));
  if (facts.takes_snapshot)
    return std::string("all rows that the outbox tables have are published again\n");
  const std::string lost =
      "what the outbox tables have at the next start, and is not published yet, never is";
  if (!facts.of_other_server || !facts.accept_foreign) RETURN_IF_ERROR(Accepted(facts, lost));
  return absl::StrCat(lost, "\n");
}

absl::StatusOr<std::string> JudgeForget(const MoveFacts& facts) {
  RETURN_IF_ERROR(CheckForeign(facts));
  const bool slot_usable = facts.slot && !IsLost(*facts.slot) && !facts.drops_slot;
  const std::string slot = absl::StrCat("replication slot ", facts.slot_name);
  std::string report;
  if (facts.takes_snapshot)
    report = "the next start takes a snapshot: every row of every table is published again\n";
  if (facts.of_other_server) {
    const std::string lost =
        "what was changed on the server that the position belongs to, and "
        "not published yet, is never told";
    if (!facts.accept_foreign) RETURN_IF_ERROR(Accepted(facts, lost));
    return absl::StrCat(report, lost, "\n");
  }
  if (facts.unreadable) {
    ASSIGN_OR_RETURN(const std::string lost,
                     JudgeUnreadable(facts, slot_usable ? SlotLsn(*facts.slot).ToString()
                                                        : std::string("the next start")));
    absl::StrAppend(&report, lost);
  }
  if (slot_usable) {
    const Lsn at = SlotLsn(*facts.slot);
    if (facts.stored && facts.stored->position.commit_end < at && !SnapshotCutShort(facts)) {
      const std::string lost =
          absl::StrCat(facts.takes_snapshot ? "what was deleted in " : "what was changed in ",
                       Bytes(facts.stored->position.commit_end, at), NeverTold(facts));
      RETURN_IF_ERROR(Accepted(facts, lost));
      absl::StrAppend(&report, lost, "\n");
    }
    absl::StrAppend(&report, "the stream goes on where ", slot, " stands, at ", at.ToString(),
                    "\n");
    if (facts.stored && facts.stored->position.commit_end > at) {
      absl::StrAppend(&report, "what was committed in ",
                      Bytes(at, facts.stored->position.commit_end), " is published again\n");
    }
    return report;
  }
  const bool drops_good = facts.slot && !IsLost(*facts.slot);
  if (facts.stored || drops_good) {
    const Lsn since = facts.stored ? facts.stored->position.commit_end : SlotLsn(*facts.slot);
    const std::string lost = absl::StrCat(
        slot,
        !facts.slot  ? " does not exist"
        : drops_good ? " is dropped"
                     : " has lost its WAL",
        ": ", facts.takes_snapshot ? "what was deleted since " : "what was changed since ",
        since.ToString(), NeverTold(facts));
    RETURN_IF_ERROR(Accepted(facts, lost));
    absl::StrAppend(&report, lost, "\n");
  }
  if (DropsSlot(facts)) {
    absl::StrAppend(&report, slot, IsLost(*facts.slot) ? ", which had lost its WAL," : "",
                    " is dropped; the next start makes it anew\n");
  }
  return report;
}

bool HasIncrementalSnapshot(const MoveFacts& facts) {
  return facts.stored &&
         std::any_of(facts.stored->members.begin(), facts.stored->members.end(),
                     [](const auto& one) { return event::IsIncrementalMember(one.first); });
}

absl::string_view WhyUnreachable(const absl::Status& unreachable) {
  return absl::StripPrefix(unreachable.message(), kNothingChanged);
}

// The same where a start takes a snapshot in the place of a position that is of no use.
absl::StatusOr<std::string> JudgeSnapshotInstead(const MoveFacts& facts,
                                                 const absl::Status& unreachable, bool accepted) {
  absl::string_view why = WhyUnreachable(unreachable);
  why = why.substr(0, why.find(kSoThat));
  const std::string means = absl::StrCat(
      "by snapshot.mode the next start takes a snapshot, every row of every table is published "
      "again, for nothing can be streamed from ",
      facts.to->ToString(), " on: ", why, "; what was deleted since", NeverTold(facts));
  if (accepted) return absl::StrCat(means, "\n");
  return Refused(ErrorReason(unreachable), means,
                 "if that is what you want, repeat the command with --accept-loss");
}

bool FillsGap(const MoveFacts& facts, absl::string_view reason) {
  return facts.fills_gaps && (reason == "position_skipped" || !facts.holds_slot);
}

// Of a position from elsewhere. It may be stored all the same: whoever has it may know better, and
// the next start says what it finds.
absl::StatusOr<std::string> JudgeUnreachable(const absl::Status& unreachable, bool accepted) {
  const std::string why = absl::StrCat(kNoStart, ": ", WhyUnreachable(unreachable));
  if (accepted) return absl::StrCat(why, "; ", ErrorHint(unreachable), "\n");
  return Refused(ErrorReason(unreachable), why,
                 absl::StrCat(ErrorHint(unreachable),
                              "; to store it all the same, repeat the command with --accept-loss"));
}

}  // namespace

bool DropsSlot(const MoveFacts& facts) {
  return !facts.to && facts.slot && (facts.drops_slot || IsLost(*facts.slot));
}

std::string PositionText(const std::optional<offset::StoredOffset>& stored) {
  if (!stored) return "none";
  const event::Position& position = stored->position;
  return absl::StrCat(
      position.commit_end.ToString(),
      position.ordinal > 0
          ? absl::StrCat(" and ", position.ordinal, " changes of the transaction after it")
          : "",
      position.snapshot == event::SnapshotPhase::kRunning ? ", in a snapshot that has not ended"
                                                          : "");
}

namespace {

// Of a position from elsewhere, before or beside what the slot has: where the next start goes on by
// offset.mismatch.strategy. A slot that was lost and made anew is not trusted.
std::string AtTrustedSlot(const MoveFacts& facts, const offset::StoredOffset& wanted) {
  if (!facts.trusts_slot || !facts.slot || wanted.slot_held) return "";
  const Lsn at = SlotLsn(*facts.slot), from = wanted.position.commit_end;
  const std::string goes_on =
      absl::StrCat("by offset.mismatch.strategy the next start goes on where replication slot ",
                   facts.slot_name, " stands, at ", at.ToString());
  if (!facts.of_other_server)
    return absl::StrCat(goes_on, ": what was committed in ", Bytes(from, at),
                        " is never published\n");
  if (!facts.upgraded) return "";
  if (wanted.position.snapshot == event::SnapshotPhase::kRunning)
    return "the next start takes the snapshot again: it had not ended\n";
  return absl::StrCat(
      "it is the position of another server, and this one looks like what pg_upgrade makes of it: ",
      goes_on, ", and nothing lies in between\n");
}

}  // namespace

absl::StatusOr<std::string> JudgeImport(MoveFacts facts,
                                        const std::optional<offset::StoredOffset>& wanted) {
  const bool accepted = std::exchange(facts.accept_loss, true);
  facts.drops_slot = false;
  facts.imported = true;
  facts.to.reset();
  RETURN_IF_ERROR(CheckForeign(facts));
  if (!wanted) return DropsSlot(facts) ? std::string() : JudgeForget(facts);
  if (facts.of_other_server) {
    if (std::string at_slot = AtTrustedSlot(facts, *wanted); !at_slot.empty()) return at_slot;
    return JudgeUnreachable(
        Refused("system_mismatch", "it is the position of another server",
                "check database.hostname, and whose position it is; after pg_upgrade see "
                "docs/upgrade.md"),
        accepted);
  }
  if (wanted->position.snapshot == event::SnapshotPhase::kRunning)
    return std::string("the next start takes the snapshot again: it had not ended\n");
  facts.to = wanted->position.commit_end;
  if (const absl::Status reachable = CheckReachable(facts); !reachable.ok()) {
    const std::string reason = ErrorReason(reachable);
    if (reason == "position_ahead") return reachable;
    if (reason == "position_skipped") {
      if (std::string at_slot = AtTrustedSlot(facts, *wanted); !at_slot.empty()) return at_slot;
    }
    if (FillsGap(facts, reason)) return JudgeSnapshotInstead(facts, reachable, accepted);
    return JudgeUnreachable(reachable, accepted);
  }
  return JudgeSet(facts);
}

absl::Status CheckMovedSlot(int slot, int slots) {
  const bool named = slot > 0 && slot <= slots;
  if (named || (slot == 0 && slots == 1)) return absl::OkStatus();
  if (slots == 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        kOfSlotNumber, "--slot ", slot, ": the connector has one slot; leave --slot out"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      kOfSlotNumber,
      slot == 0 ? "which slot is not said" : absl::StrCat("--slot ", slot, ": there is none"),
      ": the connector has ", slots, " (walduct.slots), each with a position of its own; say ",
      "--slot NUMBER, from 1 to ", slots, ", as walduct offsets show has them (walduct_slot; the ",
      "first has none)"));
}

absl::StatusOr<std::string> JudgeMove(const MoveFacts& facts) {
  ASSIGN_OR_RETURN(std::string means, facts.polls ? JudgeTables(facts)
                                      : facts.to  ? JudgeSet(facts)
                                                  : JudgeForget(facts));
  if (HasIncrementalSnapshot(facts))
    means += "the incremental snapshot under way is given up: send its signal again\n";
  return absl::StrCat("position was ",
                      facts.unreadable ? std::string(kUnreadable) : PositionText(facts.stored),
                      "; is now ", facts.to ? facts.to->ToString() : "none", "\n", means);
}

}  // namespace walduct::operate
