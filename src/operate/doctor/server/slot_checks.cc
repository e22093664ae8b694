// Slots of a server, and the stored position beside ours. Declared in doctor/checks.h.
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/amount_text.h"
#include "base/status_macros.h"
#include "operate/doctor/checks.h"
#include "postgres/host_checks.h"
#include "postgres/server_check.h"
#include "replication/options.h"
#include "replication/session_names.h"
#include "replication/slot.h"
#include "replication/slot_lock.h"
#include "replication/slots/other_slot.h"
#include "replication/watched_slot.h"
#include "slot/start/preparation.h"
#include "slot/start/slot_hold.h"
#include "snapshot/options.h"

namespace walduct::operate {
namespace {

using postgres::Connection;

constexpr uint64_t kMuch = uint64_t{1} << 30;

// Retained, in bytes.
constexpr absl::string_view kAllSlots = R"(
SELECT s.slot_name, s.active, pg_catalog.pg_wal_lsn_diff(
         CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_receive_lsn()
              ELSE pg_catalog.pg_current_wal_lsn() END, s.restart_lsn)
FROM pg_catalog.pg_replication_slots s
WHERE s.restart_lsn IS NOT NULL AND (pg_catalog.to_jsonb(s) OPERATOR(pg_catalog.->>) 'wal_status') IS DISTINCT FROM 'lost')";

// Creating a slot waits for them.
constexpr absl::string_view kOldest = R"(
SELECT a.pid, a.application_name, pg_catalog.date_part('epoch', pg_catalog.now() - a.xact_start)
FROM pg_catalog.pg_stat_activity a
WHERE a.backend_xid IS NOT NULL AND a.xact_start < pg_catalog.now() - interval '1 minute'
ORDER BY a.xact_start LIMIT 1)";

constexpr absl::string_view kReader = R"(
SELECT a.application_name FROM pg_catalog.pg_stat_activity a WHERE a.pid = $1::pg_catalog.int4)";

std::string DropHint(absl::string_view slot) {
  return absl::StrCat("SELECT pg_drop_replication_slot(", postgres::QuoteLiteral(slot), ")");
}

struct OwnSlot {
  std::string name, hint;
  bool works = false;  // who is to read it works on it, and has not come to that
  bool alone = false;  // nothing is said of others
};

absl::Status Retained(Connection& connection, const OwnSlot& own, Findings* findings) {
  ASSIGN_OR_RETURN(const postgres::Result slots, connection.Query(postgres::Rows(3), kAllSlots));
  for (int row = 0; row < slots.rows(); ++row) {
    uint64_t retained = 0;
    if (slots.Get(row, 1) == "t" || !absl::SimpleAtoi(slots.Get(row, 2), &retained)) continue;
    const std::string name(slots.Get(row, 0));
    const std::string keeps = absl::StrCat("replication slot ", postgres::QuoteIdentifier(name),
                                           " is read by nobody and keeps ", BytesText(retained),
                                           " of WAL on the server's disk");
    const Severity severity = retained > kMuch ? Severity::kWarning : Severity::kNotice;
    if (name == own.name) {
      if (own.works && retained <= kMuch) continue;
      findings->Add(
          {.severity = severity, .reason = "slot_inactive", .message = keeps, .hint = own.hint});
    } else if (retained > kMuch && !own.alone) {
      findings->Add(
          {.severity = severity,
           .reason = "other_slot_inactive",
           .message = keeps,
           .hint = absl::StartsWith(name, absl::StrCat(own.name, "_"))
                       ? absl::StrCat("where it is one of this connector's, of another "
                                      "walduct.slots: start the connector, which reads it "
                                      "to its end and drops it; else, if nobody needs it: ",
                                      DropHint(name))
                       : "start its reader, or, if nobody needs it: " + DropHint(name)});
    }
  }
  return absl::OkStatus();
}

// How much it keeps, and has left. How fast that goes the connector knows, if one runs.
absl::Status CheckWalStatus(Connection& connection, const std::string& name, Findings* findings) {
  ASSIGN_OR_RETURN(const std::vector<replication::WatchedSlot> looks,
                   replication::ReadWatchedSlots(connection, {name}));
  const replication::WatchedSlot& slot = looks.front();
  const bool unreserved = slot.wal_status == "unreserved";
  if (!unreserved && !replication::IsEndangered(slot)) return absl::OkStatus();
  const uint64_t left = static_cast<uint64_t>(std::max<int64_t>(slot.safe_bytes.value_or(0), 0));
  findings->Add(
      {.severity = unreserved ? Severity::kError : Severity::kWarning,
       .reason = unreserved ? "slot_unreserved" : "slot_soon_lost",
       .message = absl::StrCat("replication slot ", postgres::QuoteIdentifier(name),
                               " is about to be lost: it is ", slot.wal_status, ", ",
                               BytesText(slot.retained_bytes), " of WAL kept, ",
                               left == 0 ? "nothing left" : BytesText(left), " until it is lost"),
       .hint = kKeepSlot});
  return absl::OkStatus();
}

// By the connector that is asked about, which runs: its stream's session is named so.
absl::StatusOr<bool> IsRead(Connection& connection, const std::string& connector,
                            const replication::SlotState& slot) {
  ASSIGN_OR_RETURN(const postgres::Result reader,
                   connection.Query(postgres::Rows(1), kReader, {absl::StrCat(slot.active_pid)}));
  return reader.rows() == 1 &&
         replication::SameSession(replication::StreamSession(connector), reader.Get(0, 0));
}

absl::Status CheckBlockers(Connection& connection, Findings* findings) {
  ASSIGN_OR_RETURN(const postgres::Result oldest, connection.Query(postgres::Rows(3), kOldest));
  if (oldest.rows() == 0) return absl::OkStatus();
  double seconds = 0;
  if (!absl::SimpleAtod(oldest.Get(0, 2), &seconds)) seconds = 0;
  findings->Add(
      {.severity = Severity::kWarning,
       .reason = "long_transaction",
       .message = absl::StrCat("a transaction of process ", oldest.Get(0, 0), " (application ",
                               postgres::QuoteIdentifier(oldest.Get(0, 1)), ") has been open for ",
                               absl::FormatDuration(absl::Seconds(static_cast<int64_t>(seconds))),
                               ": creating the slot waits for its end"),
       .hint = absl::StrCat("end it, or SELECT pg_terminate_backend(", oldest.Get(0, 0), ")")});
  return absl::OkStatus();
}

Finding HandoverNotice(const offset::StoredOffset& stored, int slots) {
  if (stored.handover) {
    return {.severity = Severity::kNotice,
            .reason = "slots_handover",
            .message = absl::StrCat("tables are on their way from ", stored.handover->from, " to ",
                                    stored.handover->to, " slots (",
                                    offset::HandoverText(*stored.handover), ")"),
            .hint = absl::StrCat("walduct.slots=", stored.handover->to, " goes on with it")};
  }
  return {.severity = Severity::kNotice,
          .reason = "slots_handover",
          .message =
              absl::StrCat("the position is one of ", stored.slots, " slots, and walduct.slots is ",
                           slots, ": the next start hands tables over to other slots"),
          .hint = "docs/slots.md: another number"};
}

// Asked before a move from Debezium it is nothing wrong: the position is still where that keeps it.
absl::Status BeforeAMove(const absl::Status& missing) {
  if (missing.ok()) return missing;
  return Error(missing.code(), ErrorReason(missing), missing.message(),
               absl::StrCat("before a move from a file or from Connect's REST interface this is "
                            "the normal case: stop what runs there, name its "
                            "offset.storage.file.filename or walduct offsets import its position, "
                            "ask again. ",
                            ErrorHint(missing)));
}

// Its own session is at work, and nothing is stored where this configuration looks for it.
absl::Status UnderTheConnector(const Subject& subject, const absl::Status& missing) {
  if (missing.ok()) return missing;
  return Error(missing.code(), ErrorReason(missing),
               absl::StrCat("no offset is stored for connector ", subject.name,
                            " and topic.prefix ", subject.identity.topic_prefix,
                            ", and the connector runs: it alone knows the position"),
               "do not stop it before a position is stored again, which it does with the next "
               "change: walduct status NAME says what keeps it from that; else check that these "
               "are the name, the topic.prefix and the offset store that it runs with");
}

absl::Status CheckOtherName(Examination& examined, const replication::PositionTrace& trace) {
  const replication::ReplicationOptions& own = examined.subject.replication;
  if (!own.takes_up_a_slot()) return absl::OkStatus();
  const std::set<std::string>& others = examined.subject.slots_of_others;
  return replication::CheckSlotName(*examined.sql, own.slot_name, own.share, trace,
                                    {.own = replication::StreamSession(examined.subject.name),
                                     .of_others = [&others] { return others; },
                                     .at_position_only = own.holds_lost_slot,
                                     .waits = !std::exchange(examined.has_waited, true)});
}

absl::StatusOr<slot::StartVerdict> Judge(Examination& examined,
                                         const replication::SystemIdentity& system) {
  const std::optional<replication::SlotState> none;
  return slot::JudgePosition(
      {.strategy = examined.subject.replication.offset_mismatch,
       .stored = &examined.position.stored,
       .slot = examined.lost_slot.ok() ? &*examined.slot : &none,
       .system = system,
       .in_recovery = examined.server->in_recovery,
       .next_xid = examined.server->next_xid,
       .lost_slot = examined.lost_slot,
       .holds = slot::HoldsSlot(examined.subject.whole, examined.position.stored),
       .timelines =
           [&] { return replication::ReadTimelineHistory(*examined.replication, system.timeline); },
       .traces = [&] { return replication::ReadUpgradeTraces(*examined.sql); },
       .other_name =
           [&](const replication::PositionTrace& trace) {
             return CheckOtherName(examined, trace);
           }});
}

// Slot, position and server are asked one after the other, and a connector that runs, or has just
// begun, goes on meanwhile. What looks wrong is looked at again, all of it.
absl::StatusOr<slot::StartVerdict> JudgeTwice(Examination& examined) {
  ASSIGN_OR_RETURN(const auto system, replication::IdentifySystem(*examined.replication));
  absl::StatusOr<slot::StartVerdict> verdict = Judge(examined, system);
  const bool fine = verdict.ok() && verdict->available.ok();
  if (fine || examined.store == nullptr || !examined.lost_slot.ok()) return verdict;
  RETURN_IF_ERROR(LookAtSlot(examined));
  RETURN_IF_ERROR(ReadPosition(examined));
  ASSIGN_OR_RETURN(const auto now, replication::IdentifySystem(*examined.replication));
  return Judge(examined, now);
}

// Who works on the slot and does not read it: a snapshot, or a start. That of the connector that is
// asked about is nothing wrong.
absl::Status LookForWork(Connection& connection, Examination& examined) {
  ASSIGN_OR_RETURN(examined.works,
                   replication::WorksOnSlot(connection, examined.subject.replication.slot_name,
                                            replication::StreamSession(examined.subject.name)));
  return absl::OkStatus();
}

// A default name may be that of another database's.
absl::Status SlotLeft(Examination& examined) {
  const Subject& subject = examined.subject;
  const std::string& name = subject.replication.slot_name;
  if (subject.slots_of_others.contains(name)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto connection,
                   OpenCaptureSession(subject, examined.environment, postgres::SessionKind::kSql));
  ASSIGN_OR_RETURN(const auto slot, replication::InspectSlot(*connection, name));
  if (!slot || slot->active || slot->database != connection->database()) return absl::OkStatus();
  const std::string hint = absl::StrCat(
      "this connector polls, and reads no slot; if nobody else is to read it: ", DropHint(name));
  return Retained(*connection, {.name = name, .hint = hint, .alone = true}, &examined.findings);
}

}  // namespace

// A session that has ended since, and begun anew, is not found by the number that the slot names.
absl::Status LookAtSlot(Examination& examined) {
  constexpr int kLooks = 2;
  examined.is_read = false;
  for (int look = 0; look < kLooks && !examined.is_read; ++look) {
    ASSIGN_OR_RETURN(examined.slot, replication::InspectSlot(
                                        *examined.sql, examined.subject.replication.slot_name));
    if (!*examined.slot || !(**examined.slot).active) break;
    ASSIGN_OR_RETURN(examined.is_read,
                     IsRead(*examined.sql, examined.subject.name, **examined.slot));
  }
  return absl::OkStatus();
}

// As `run` does: pg_hba.conf, poolers and limits treat a replication session apart.
void AskServer(Examination& examined) {
  auto sql =
      OpenCaptureSession(examined.subject, examined.environment, postgres::SessionKind::kSql);
  examined.findings.Add(sql.status());
  if (!sql.ok()) return;
  examined.sql = *std::move(sql);
  Connection& connection = *examined.sql;
  examined.findings.asked.push_back(
      absl::StrCat("PostgreSQL ", connection.server_version_text(), " at ",
                   postgres::HostAndPort(connection.host(), connection.port()),
                   connection.shared() ? ", whose sessions a connection pooler shares" : ""));
  const auto server = postgres::CheckServer(connection);
  examined.findings.Add(server.status());
  if (server.ok()) examined.server = *server;
  examined.findings.Add(LookAtSlot(examined));
  if (!examined.is_read)
    examined.findings.Add(LookForWork(connection, examined), Severity::kWarning);
  auto replication = OpenCaptureSession(examined.subject, examined.environment,
                                        postgres::SessionKind::kReplication);
  if (replication.ok()) {
    examined.replication = *std::move(replication);
    return;
  }
  const std::string reason = ErrorReason(replication.status());
  // Found before.
  if (reason == "role_may_not_replicate" || reason == "wal_level_not_logical") return;
  // A connector that has one is not in need of another.
  examined.findings.Add(replication.status(),
                        examined.is_read ? Severity::kWarning : Severity::kError);
}

void AskSlotCount(Examination& examined) {
  if (!examined.position.known) return;
  const std::optional<offset::StoredOffset>& stored = examined.position.stored;
  const int slots = examined.subject.replication.share.count;
  if (offset::IsHandoverDue(stored, slots))
    examined.findings.Add(HandoverNotice(*stored, slots));
  else
    examined.findings.Add(slot::CheckSameSlots(slots, stored));
}

void AskPromotion(Examination& examined) {
  if (!examined.server || !examined.slot) return;
  examined.findings.Add(slot::CheckPromoted({.in_recovery = examined.server->in_recovery,
                                             .decodes = examined.server->decodes,
                                             .slot = &*examined.slot,
                                             .stored = &examined.position.stored}));
}

void AskSlot(Examination& examined) {
  if (!examined.slot || !*examined.slot) return;
  const std::string& name = examined.subject.replication.slot_name;
  const absl::Status usable = slot::AndReset(
      replication::CheckSlotUsable(*examined.sql, name, **examined.slot), examined.position.stored);
  const bool in_use = ErrorReason(usable) == "slot_in_use";
  const bool holds = slot::HoldsSlot(examined.subject.whole, examined.position.stored);
  const bool replaces = !holds && slot::ReplacesSlot(examined.subject.snapshot.mode, usable);
  examined.refused = !usable.ok() && !in_use && !replaces;
  if (!examined.is_read || !in_use)
    examined.findings.Add(usable, in_use || replaces ? Severity::kWarning : Severity::kError);
  examined.findings.Add(CheckWalStatus(*examined.sql, name, &examined.findings));
  // What else would be said is that it is lost.
  if (ErrorReason(usable) == "slot_lost") examined.lost_slot = usable;
}

void AskSlotOwner(Examination& examined) {
  if (!examined.position.known || !examined.slot) return;
  examined.findings.Add(
      slot::CheckSlotOwner(examined.subject.whole, *examined.slot, examined.position.stored));
}

// Without the stored position a first start, which makes the slot, looks alike: the process knows
// better.
void SayMissing(Examination& examined) {
  const Subject& subject = examined.subject;
  const replication::ReplicationOptions& own = subject.replication;
  if (!subject.had_slot || own.temporary_slot || own.drop_slot_on_stop || examined.works) return;
  if (!examined.slot || *examined.slot) return;
  examined.findings.Add(
      {.severity = Severity::kError,
       .reason = "slot_missing",
       .message = absl::StrCat("the server has no replication slot ",
                               postgres::QuoteIdentifier(own.slot_name),
                               ", which this connector has read: what was written since the stored "
                               "position, which cannot be read now, is gone from it"),
       .hint = ""});
  examined.refused = true;
}

void AskPosition(Examination& examined) {
  if (!examined.position.known) return SayMissing(examined);
  if (!examined.slot || !examined.server || examined.replication == nullptr) return;
  const auto verdict = JudgeTwice(examined);
  const std::optional<offset::StoredOffset>& stored = examined.position.stored;
  const auto decision = verdict.ok()
                            ? slot::DecideBy(examined.subject.snapshot.mode, stored, *verdict)
                            : absl::StatusOr<snapshot::StartDecision>(verdict.status());
  // That the slot is lost is said.
  if (ErrorReason(decision.status()) != "slot_lost") examined.findings.Add(decision.status());
  examined.refused = examined.refused || !decision.ok();
  if (!decision.ok()) return;
  examined.decision = *decision;
  // A snapshot mends it; what was changed meanwhile is lost all the same.
  if (!verdict->available.ok() && ErrorReason(verdict->available) != "slot_lost")
    examined.findings.Add(verdict->available, Severity::kWarning);
  if (stored || examined.position.erased) return;
  const absl::Status missing =
      slot::CheckNoneIsMissing({.connector = examined.subject.name,
                                .topic_prefix = examined.subject.identity.topic_prefix,
                                .slot = examined.subject.replication.slot_name},
                               examined.subject.snapshot.mode, *examined.slot);
  examined.findings.Add(examined.runs() ? UnderTheConnector(examined.subject, missing)
                                        : BeforeAMove(missing));
  examined.refused = examined.refused || !missing.ok();
}

// Only an archive has what was before the new slot.
void AdviseToHold(Examination& examined) {
  if (examined.subject.replication.holds_lost_slot) return;
  const auto mode =
      examined.sql->Query(postgres::OneRow(1), "SELECT pg_catalog.current_setting('archive_mode')");
  examined.findings.Add(mode.status());
  if (!mode.ok() || mode->Get(0, 0) == "off") return;
  examined.findings.Add(
      {.severity = Severity::kNotice,
       .reason = "archive_without_hold",
       .message = absl::StrCat("the server archives WAL (archive_mode=", mode->Get(0, 0),
                               "), and walduct.slot.lost=fail leaves nothing to go on from when "
                               "the slot is lost"),
       .hint = "walduct.slot.lost=hold makes it anew at once, so that a base backup and the "
               "archive have what lies between (docs/start.md)"});
}

void CheckRetained(Examination& examined) {
  const std::string& name = examined.subject.replication.slot_name;
  if (examined.slot && !*examined.slot)
    examined.findings.Add(CheckBlockers(*examined.sql, &examined.findings));
  const std::string hint =
      examined.runs() || examined.works
          ? "the connector runs, and reads it once it gets to it: walduct status NAME "
            "says what it waits for"
          : absl::StrCat(examined.refused ? "a start would be refused: see to the "
                                            "errors of slot and position first"
                                          : "start the connector (one that runs and "
                                            "hands tables over to other slots "
                                            "reads it in its turn)",
                         "; or, if the slot is not needed any more: ", DropHint(name));
  const OwnSlot own = {.name = name, .hint = hint, .works = examined.works};
  examined.findings.Add(Retained(*examined.sql, own, &examined.findings));
  AdviseToHold(examined);
}

void CheckSlotLeft(Examination& examined) {
  examined.findings.Add(SlotLeft(examined), Severity::kWarning);
}

}  // namespace walduct::operate
