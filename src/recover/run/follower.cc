#include "recover/run/follower.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/amount_text.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/control/status_board.h"
#include "metrics/connector_metrics.h"
#include "recover/judgement.h"
#include "recover/run/window.h"
#include "recover/wal_name.h"

namespace walduct::recover {
namespace {

constexpr absl::Duration kTurn = absl::Milliseconds(25);
constexpr absl::Duration kTellEach = absl::Seconds(10);
constexpr absl::Duration kSeen = absl::Milliseconds(100);
constexpr absl::Duration kPatience = absl::Seconds(15);
// Replay may be so much before the slot: while that is decoded, more is replayed.
constexpr uint64_t kAheadBytes = 64 << 20;

// Of its stream, where it is the restored server's slot that is lost.
constexpr std::array<absl::string_view, 6> kLost = {"slot_lost",    "slot_invalidated",
                                                    "slot_missing", "position_lost",
                                                    "wal_removed",  "position_skipped"};

constexpr absl::string_view kSlotSql = R"(
SELECT s.confirmed_flush_lsn, s.catalog_xmin,
  coalesce(s.wal_status = 'lost' OR s.conflicting, false), s.slot_name IS NOT NULL,
  s.restart_lsn IS NOT NULL,
  pg_catalog.pg_last_wal_replay_lsn(), pg_catalog.pg_get_wal_replay_pause_state(),
  pg_catalog.trunc(extract(epoch FROM pg_catalog.pg_last_xact_replay_timestamp()) * 1000000),
  s.datoid
FROM (SELECT) one LEFT JOIN pg_catalog.pg_replication_slots s ON s.slot_name = $1)";

Lsn LsnIn(const postgres::Result& result, int column) {
  const absl::StatusOr<Lsn> lsn = Lsn::Parse(result.Get(0, column));
  return lsn.ok() ? *lsn : Lsn();
}

absl::Status TooYoung(absl::string_view begins, Lsn position, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "recover_backup_too_young",
               absl::StrCat("the restored server comes too late for ", begins,
                            position == Gap::kUnknown ? "" : absl::StrCat(" ", position.ToString()),
                            ": ", why),
               "restore an older backup: one that ended before then, and before the oldest "
               "transaction began that was open there; into a new folder for --state");
}

uint64_t Ahead(uint64_t segment_bytes) {
  return std::max<uint64_t>(kAheadBytes / segment_bytes, 1);
}

uint64_t Events(const metrics::ConnectorMetrics& metrics) {
  uint64_t events = 0;
  for (const metrics::Counter& counter : metrics.events_seen) events += counter.value();
  return events;
}

}  // namespace

absl::Status Follower::SlotLost(const std::string& why) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "recover_slot_lost",
      absl::StrCat("the restored server has ended its slot: ", why,
                   "; what was streamed is published and stored, and nothing is lost by it"),
      "restore the backup once more, with a new folder for --state (of a replay: one into which "
      "replay and, where there is one, offsets.dat of this one are copied first), and start this "
      "again: it goes on where it ended. docs/recover.md: what ends the slot");
}

absl::Status Follower::Explain(const absl::Status& status, const Follower* follower) {
  if (status.ok() || absl::IsCancelled(status)) return status;
  if (follower != nullptr && !follower->error().ok()) return follower->error();
  const std::string reason = ErrorReason(status);
  for (const absl::string_view lost : kLost)
    if (reason == lost) return SlotLost(std::string(status.message()));
  return status;
}

absl::StatusOr<std::unique_ptr<Follower>> Follower::Start(Options options) {
  std::unique_ptr<Follower> follower(new Follower(std::move(options)));
  RETURN_IF_ERROR(follower->Begin());
  return follower;
}

Follower::~Follower() {
  thread_.Stop();
  ShowStall(std::nullopt);
}

absl::Status Follower::WrongServer(const std::string& system) const {
  return Error(absl::StatusCode::kFailedPrecondition, "recover_wrong_server",
               absl::StrCat("the restored server is of another database cluster: its system "
                            "identifier is ",
                            system, ", the primary's ", options_.gap.system_identifier),
               "restore a backup of the primary itself, or of a standby of it; into a new folder "
               "for --state");
}

absl::Status Follower::Begin() {
  const absl::StatusOr<HowFar> read = folder_.ReadHowFar();
  if (!read.ok() && !absl::IsNotFound(read.status())) {
    return Error(absl::StatusCode::kFailedPrecondition, "recover_state_folder",
                 read.status().message(), "give this recovery a folder of its own: --state");
  }
  HowFar how_far = read.ok() && read->cut_from.valid() ? *read : Anew();
  how_far.ahead = Ahead(how_far.segment_bytes);
  how_far.cut_at_ddl = options_.cut_at_ddl;
  RETURN_IF_ERROR(Write(std::move(how_far)));
  started_at_ = told_at_ = clock().Monotonic();
  seen_.begun = seen_.replayed_at = clock().Now();
  thread_.Start([this] { Loop(); });
  return absl::OkStatus();
}

bool Follower::knows_slot() const {
  const MutexLock lock(mutex_);
  return how_far_.confirmed.valid();
}

absl::Status Follower::error() const {
  const MutexLock lock(mutex_);
  return error_;
}

// Cut a segment early, so that a slot which is made there can begin at any running-xacts record.
HowFar Follower::Anew() const {
  const Gap& gap = options_.gap;
  const uint64_t number = gap.from == Gap::kUnknown ? 0 : gap.from.value() / gap.segment_bytes;
  HowFar anew;
  anew.segment_bytes = gap.segment_bytes;
  anew.cut_from =
      Lsn(std::max<uint64_t>((std::max<uint64_t>(number, 1) - 1) * gap.segment_bytes, 1));
  anew.free_to = Lsn(1);
  anew.ahead = Ahead(gap.segment_bytes);
  anew.clear_marks = true;
  anew.cut_at_ddl = options_.cut_at_ddl;
  return anew;
}

absl::Status Follower::ForgetSlot() { return Write(Anew()); }

absl::Status Follower::SlotMade(Lsn confirmed) {
  HowFar how_far;
  {
    const MutexLock lock(mutex_);
    how_far = how_far_;
  }
  const absl::StatusOr<GateNotes> notes = folder_.ReadNotes();
  if (notes.ok()) how_far.server = notes->data_folder;
  how_far.confirmed = how_far.settled_to = confirmed;
  return Write(std::move(how_far));
}

absl::Status Follower::Write(HowFar how_far) {
  if (const absl::Status written = folder_.WriteHowFar(how_far); !written.ok()) {
    return Error(absl::StatusCode::kFailedPrecondition, "recover_state_folder", written.message(),
                 "the folder of --state is written to by this process and by the restored "
                 "server's user: give both the right, and see whether the disk is full");
  }
  const MutexLock lock(mutex_);
  how_far_ = std::move(how_far);
  return absl::OkStatus();
}

void Follower::Loop() {
  log::SetConnector(options_.connector);
  while (thread_.Pause(kTurn)) {
    const absl::Status turned = Turn();
    if (absl::IsFailedPrecondition(turned)) {
      {
        const MutexLock lock(mutex_);
        error_ = turned;
      }
      EndSession();
    } else if (!turned.ok()) {
      // The server is not there, or not yet.
      session_.reset();
      thread_.Pause(absl::Milliseconds(200));
    }
  }
}

absl::Status Follower::Turn() {
  if (!error().ok()) {
    if (clock().Monotonic() - asked_at_ >= absl::Seconds(1)) EndSession();
    return absl::OkStatus();
  }
  const absl::StatusOr<GateNotes> notes = folder_.ReadNotes();
  if (!notes.ok()) return CannotRead(notes.status());
  unread_since_.reset();
  const bool another = !notes->data_folder.empty() && knows_slot() && [this, &notes] {
    const MutexLock lock(mutex_);
    return !how_far_.server.empty() && how_far_.server != notes->data_folder;
  }();
  if (another) {
    log::Info("another restored server uses the folder of --state: it gets a slot of its own");
    RETURN_IF_ERROR(ForgetSlot());
  }
  const std::string& wanted = options_.gap.system_identifier;
  if (!wanted.empty() && !notes->system.empty() && notes->system != wanted)
    return WrongServer(notes->system);
  LookIfNobodyDoes();
  RETURN_IF_ERROR(TellTrouble(*notes));
  TellProgress(*notes);
  return knows_slot() ? Look(*notes) : (LetMoreIn(*notes), absl::OkStatus());
}

// Somebody may put that right; but nobody waits for ever.
absl::Status Follower::CannotRead(const absl::Status& why) {
  const absl::Duration now = clock().Monotonic();
  if (!unread_since_) unread_since_ = now;
  if (now - *unread_since_ < kPatience) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "recover_state_folder", why.message(),
               "the gate's file is the restored server's user's: give this process's user the "
               "right to read it, and start this again");
}

// A server that takes sessions waits until the slot is begun: it is made where replay comes to a
// running-xacts record behind that. How it is with the server shows a moment after it has asked.
bool Follower::MayGoOn() {
  const absl::StatusOr<SlotRow> row = ReadSlot();
  if (!row.ok()) {
    session_.reset();
    return ErrorReason(row.status()) == "server_starting";
  }
  return makes_ && row->reserved;
}

// The slot is made where replay comes to a running-xacts record, which may be in any segment.
void Follower::LetMoreIn(const GateNotes& notes) {
  const bool waits_here = notes.waits_for == "slot" || notes.waits_for == "confirmed" ||
                          notes.waits_for == "catalog_xmin";
  if (!waits_here) return;
  HowFar how_far;
  {
    const MutexLock lock(mutex_);
    how_far = how_far_;
  }
  const std::optional<WalName> asked = WalName::OfSegment(notes.asked);
  if (!asked) return;
  const bool at_cut = notes.waits_for != "slot" && notes.cut;
  const Lsn next = at_cut ? notes.cut->end : Lsn(asked->Begin(how_far.segment_bytes).value() + 1);
  if (next <= how_far.free_to) return;
  const absl::Duration waits = clock().Now() - absl::FromUnixMillis(notes.waits_since_ms);
  if (waits < kSeen || !MayGoOn()) return;
  const bool late = options_.gap.from == Gap::kUnknown
                        ? options_.window->since <= last_time_us_
                        : next.value() > options_.gap.from.value() + 1;
  if (!late) {
    how_far.free_to = next;
    const absl::Status written = Write(std::move(how_far));
    if (written.ok()) return;
    const MutexLock lock(mutex_);
    error_ = written;
    return;
  }
  const MutexLock lock(mutex_);
  error_ = TooYoung(options_.begins, options_.gap.from,
                    absl::StrCat("it has replayed all before ", next.ToString(),
                                 ", and its slot is not consistent yet"));
}

absl::StatusOr<Follower::SlotRow> Follower::ReadSlot() {
  absl::StatusOr<SlotRow> row = AskSlot();
  const absl::Time now = clock().Now();
  if (row.ok()) {
    seen_.away_since.reset();
    seen_.pause = row->pause;
    if (row->replayed != seen_.replayed) seen_.replayed_at = now;
    seen_.replayed = row->replayed;
    const uint64_t events = std::exchange(events_, Events(*options_.metrics));
    if (row->confirmed != seen_.confirmed || events != events_) seen_.confirmed_at = now;
    seen_.confirmed = row->confirmed;
  } else {
    seen_.pause.clear();
    if (ErrorReason(row.status()) == "server_starting")
      seen_.away_since.reset();
    else if (!seen_.away_since)
      seen_.away_since = now;
    seen_.away_why = std::string(row.status().message());
  }
  return row;
}

absl::StatusOr<Follower::SlotRow> Follower::AskSlot() {
  if (session_ == nullptr) {
    ASSIGN_OR_RETURN(session_, options_.open([this] { return thread_.stopping(); }));
  }
  ASSIGN_OR_RETURN(const postgres::Result result,
                   session_->Query(postgres::OneRow(9), kSlotSql, {options_.slot}));
  SlotRow row;
  row.confirmed = LsnIn(result, 0);
  uint32_t xmin = 0;
  if (absl::SimpleAtoi(result.Get(0, 1), &xmin)) row.catalog_xmin = Xid(xmin);
  row.lost = result.Get(0, 2) == "t";
  row.there = result.Get(0, 3) == "t";
  row.reserved = result.Get(0, 4) == "t";
  row.replayed = LsnIn(result, 5);
  row.pause = std::string(result.Get(0, 6));
  if (absl::SimpleAtoi(result.Get(0, 7), &row.time_us)) last_time_us_ = row.time_us;
  uint32_t database = 0;
  if (absl::SimpleAtoi(result.Get(0, 8), &database)) row.database = database;
  return row;
}

absl::Status Follower::Look(const GateNotes& notes) {
  const absl::StatusOr<SlotRow> row = ReadSlot();
  // A folder that was used before: nobody would let that server go on.
  if (ErrorReason(row.status()) == "server_starting" &&
      LeavesOut(notes, options_.gap.segment_bytes)) {
    log::Info("the folder of --state is of an earlier restore: this one gets a slot of its own");
    return ForgetSlot();
  }
  // Whatever it says of itself, the stream tells it better.
  if (!row.ok()) return absl::UnavailableError(row.status().message());
  if (options_.window != nullptr) options_.window->OnReplayed(row->replayed, row->time_us);
  if (!row->there) return absl::OkStatus();
  if (row->lost)
    return SlotLost(absl::StrCat("replay had come to ", row->replayed.ToString(), " in ",
                                 notes.file, ", the slot had confirmed ",
                                 row->confirmed.ToString()));
  HowFar next;
  {
    const MutexLock lock(mutex_);
    next = how_far_;
  }
  const HowFar before = next;
  next.confirmed = std::max(next.confirmed, row->confirmed);
  if (row->catalog_xmin) next.catalog_xmin = row->catalog_xmin;
  if (row->database != 0) next.database = row->database;
  Settle(notes, &next);
  const bool moved = next.confirmed != before.confirmed ||
                     next.catalog_xmin != before.catalog_xmin || next.database != before.database ||
                     next.settled_to != before.settled_to;
  return moved ? Write(std::move(next)) : absl::OkStatus();
}

void Follower::Settle(const GateNotes& notes, HowFar* how_far) {
  if (!settling_.LetsGo(notes, *how_far, Events(*options_.metrics), clock().Monotonic())) return;
  how_far->settled_to = notes.cut->end;
  if (!notes.cut->ddl) return;
  log::Warn("the slot stands, so replay goes over a commit that changes tables",
            {{"cut", notes.cut->end.ToString()},
             {"confirmed", how_far->confirmed.ToString()},
             {"waited", absl::FormatDuration(kSlotPatience)},
             {"means",
              "what the catalog alone tells of rows before it, as a column's default, may be read "
              "as of behind it: docs/recover.md, Cuts"}});
}

// A server that nobody has a session on yet.
void Follower::LookIfNobodyDoes() {
  const absl::Duration now = clock().Monotonic();
  if (knows_slot() || now - asked_at_ < absl::Seconds(1)) return;
  asked_at_ = now;
  if (!ReadSlot().ok()) session_.reset();
}

// Said at once, then again and again, with since when and what it costs.
absl::Status Follower::TellTrouble(const GateNotes& notes) {
  const absl::Time now = clock().Now();
  const absl::Duration patience =
      options_.patience > absl::ZeroDuration() ? options_.patience : kPatience;
  std::optional<Trouble> trouble = FindTrouble(notes, seen_, options_.state_folder, now, patience);
  if (!trouble) {
    // What only takes longer comes and goes with each segment.
    const bool passes = !stalled_ && clock().Monotonic() - trouble_at_ < 3 * patience;
    if (trouble_.empty() || passes) return absl::OkStatus();
    log::Info("the recovery goes on", {{"waited_for", trouble_}});
    trouble_.clear();
    ShowStall(std::nullopt);
    return absl::OkStatus();
  }
  if (trouble->reason == "recover_archive_waits" && !options_.archive_hint.empty())
    trouble->hint = options_.archive_hint;
  const absl::Duration waits = absl::Trunc(now - trouble->since, absl::Seconds(1));
  if (options_.ends_at_hole && trouble->reason == "recover_archive_waits" &&
      now - std::max(trouble->since, seen_.begun) > 3 * patience)
    return Error(absl::StatusCode::kFailedPrecondition, "recover_archive_hole",
                 absl::StrCat(trouble->what, ", and was asked for it for ",
                              absl::FormatDuration(waits), ": what follows cannot be decoded"),
                 "walduct recover read compares the tables with the topics; or bring the segment "
                 "into the archive and start this again");
  const absl::Duration at = clock().Monotonic();
  const bool told = trouble->reason == trouble_ && trouble->stands == stalled_;
  if (told && at - trouble_at_ < 3 * patience) return absl::OkStatus();
  trouble_ = std::string(trouble->reason);
  trouble_at_ = at;
  ShowStall(trouble->stands ? trouble : std::nullopt);
  log::Warn(trouble->what,
            {{"reason", trouble_},
             {"since", absl::FormatTime("%H:%M:%S UTC", trouble->since, absl::UTCTimeZone())},
             {"waits", absl::FormatDuration(waits)},
             {"costs", trouble->stands
                           ? absl::StrCat("nothing is published meanwhile, and the position stands",
                                          options_.costs)
                           : "time"},
             {"hint", trouble->hint}});
  return absl::OkStatus();
}

void Follower::ShowStall(const std::optional<Trouble>& trouble) {
  if (!trouble) {
    if (std::exchange(stalled_, false)) {
      options_.metrics->stalled.Set(0);
      options_.board->ShowStall(std::nullopt);
    }
    return;
  }
  if (!std::exchange(stalled_, true)) options_.metrics->stalls.Add();
  options_.metrics->stalled.Set(1);
  options_.board->ShowStall(engine::Stall{
      .since = trouble->since,
      .kind = trouble->reason,
      .cause = trouble->what,
      .hint = trouble->hint,
  });
}

// What streams ends with it, and says why.
void Follower::EndSession() {
  asked_at_ = clock().Monotonic();
  if (session_ == nullptr) {
    absl::StatusOr<std::unique_ptr<postgres::Connection>> opened =
        options_.open([this] { return thread_.stopping(); });
    if (!opened.ok()) return;
    session_ = *std::move(opened);
  }
  const absl::Status ended =
      session_
          ->Query(postgres::Rows(1),
                  "SELECT pg_catalog.pg_terminate_backend(active_pid) FROM "
                  "pg_catalog.pg_replication_slots WHERE slot_name = $1 AND active_pid IS NOT NULL",
                  {options_.slot})
          .status();
  if (!ended.ok()) session_.reset();
}

// Between times nobody knows how much WAL there is.
void Follower::TellTimes(const GateNotes& notes) {
  const absl::Duration now = clock().Monotonic();
  if (now - told_at_ < kTellEach) return;
  told_at_ = now;
  log::Info("replaying",
            {{"handed_out", notes.file.empty() ? "nothing" : notes.file},
             {"at", last_time_us_ == 0 ? "not known yet"
                                       : absl::FormatTime(absl::FromUnixMicros(last_time_us_),
                                                          absl::UTCTimeZone())},
             {"rows", Events(*options_.metrics)}});
}

void Follower::TellProgress(const GateNotes& notes) {
  const Gap& gap = options_.gap;
  if (gap.to == Gap::kUnknown || gap.from == Gap::kUnknown || !gap.any()) return TellTimes(notes);
  Lsn confirmed;
  {
    const MutexLock lock(mutex_);
    confirmed = std::clamp(how_far_.confirmed, gap.from, gap.to);
  }
  const uint64_t all = gap.to.value() - gap.from.value();
  const uint64_t done = confirmed.value() - gap.from.value();
  options_.metrics->recovery_wal_bytes.Set(all);
  options_.metrics->recovery_left_bytes.Set(all - done);
  const absl::Duration now = clock().Monotonic();
  if (now - told_at_ < kTellEach) return;
  told_at_ = now;
  if (!knows_slot()) {
    log::Info("the restored server is on its way to the slot's beginning",
              {{"handed_out", notes.file.empty() ? "nothing" : notes.file},
               {"stored_position", gap.from.ToString()}});
    return;
  }
  const std::string left =
      done == 0
          ? "not known yet"
          : absl::FormatDuration(absl::Trunc(
                static_cast<double>(all - done) / static_cast<double>(done) * (now - started_at_),
                absl::Seconds(1)));
  log::Info("recovering",
            {{"segments", absl::StrCat(done / gap.segment_bytes, " of ",
                                       (all + gap.segment_bytes - 1) / gap.segment_bytes)},
             {"wal", absl::StrCat(BytesText(done), " of ", BytesText(all))},
             {"rows", Events(*options_.metrics)},
             {"left", left}});
}

}  // namespace walduct::recover
