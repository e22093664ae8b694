#include "incremental/incremental_snapshots.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "incremental/chunks/place.h"
#include "incremental/options/incremental_options.h"
#include "incremental/stored/key_text.h"
#include "postgres/table_argument.h"

namespace walduct::incremental {
namespace {

constexpr size_t kRecentCommits = 4096;
constexpr absl::Duration kFirstRetry = absl::Seconds(1);
constexpr absl::Duration kLongestRetry = absl::Seconds(30);

// The rows that it lacks come with the next one alone.
std::string AndAskAgain(const std::string& hint, const TableId& table,
                        const names::Called& called) {
  const std::string again = absl::StrCat(
      "ask for it again: ",
      names::SnapshotCommand(called, {postgres::TableArgument(table.schema, table.table)}));
  return hint.empty() ? again : absl::StrCat(absl::StripSuffix(hint, ";"), "; then ", again);
}

std::string KeylessHint(const TableId& table, bool by_place, const names::Called& called) {
  if (by_place)
    return "it has no blocks to be read by either: PostgreSQL before 14, or a foreign table among "
           "its partitions";
  return absl::StrCat(
      "name a column in the signal's \"surrogate-key\", add a primary key, set "
      "walduct.snapshot.keyless=ctid, or read it while the stream waits: ",
      names::BlockingSnapshotCommand(called, {postgres::TableArgument(table.schema, table.table)}));
}

}  // namespace

IncrementalSnapshots::IncrementalSnapshots(Parts parts)
    : parts_(std::move(parts)),
      retry_delay_(kFirstRetry),
      chunk_size_(parts_.options->chunk_size),
      pace_(parts_.options->pace) {
  recent_.reserve(kRecentCommits);
  has_signal_table_ = !parts_.options->signal_table.empty();
}

IncrementalSnapshots::~IncrementalSnapshots() {
  SettleSignals();
  state_ = SnapshotState();
  Show();
  parts_.metrics->incremental_runs.Forget();
}

ChunkSource& IncrementalSnapshots::source() {
  if (source_ == nullptr) source_ = parts_.open_source();
  return *source_;
}

absl::Status IncrementalSnapshots::Resume(const OffsetMembers& stored) {
  ASSIGN_OR_RETURN(state_, DecodeState(stored));
  if (!state_.running() || parts_.options->rests) return absl::OkStatus();
  read_ = state_.emitted;
  ShowNextTable();
  ShowResumed();
  Show();
  GoOn();
  return Next();
}

void IncrementalSnapshots::GoOn() {
  const bool forgets = state_.paused && !parts_.keeps_pause;
  if (forgets) {
    state_.paused = false;
    Changed();
  }
  if (state_.paused) {
    log::Info("incremental snapshot stays paused", {{"tables", state_.Tables()}});
    HoldFor("paused");
  } else if (forgets) {
    log::Warn("incremental snapshot goes on, though it was paused when the process ended",
              {{"tables", state_.Tables()},
               {"hint", "with walduct.snapshot.pause.kept=true it stays paused"}});
  } else {
    log::Info("incremental snapshot goes on", {{"tables", state_.Tables()}});
  }
}

void IncrementalSnapshots::Changed() {
  has_untold_ = false;
  mark_ = parts_.output->Keep(EncodeState(state_));
  Show();
}

IncrementalSnapshots::TableKind IncrementalSnapshots::KindOf(const event::TableSchema& schema) {
  if (schema.version.value() != last_version_) {
    last_version_ = schema.version.value();
    const IncrementalOptions& options = *parts_.options;
    const bool signals =
        schema.table == options.signal_table && schema.schema == options.signal_schema;
    last_kind_ = signals ? TableKind::kSignals : TableKind::kOther;
  }
  if (last_kind_ == TableKind::kSignals || step_ == Step::kIdle || !state_.running())
    return last_kind_;
  const TableId& current = state_.queue.front().table;
  const bool is_current = schema.table == current.table && schema.schema == current.schema;
  return is_current ? TableKind::kCurrent : TableKind::kOther;
}

absl::Status IncrementalSnapshots::Tell(const event::ChangeEvent& change,
                                        absl::Span<const event::Emission> emissions) {
  if (change.schema == nullptr) return absl::OkStatus();
  const TableKind kind = KindOf(*change.schema);
  if (kind == TableKind::kSignals) {
    seen_ = {change.lsn, change.xid.value_or(0), change.source_time_us, change.last_commit_end};
    return OnSignalRow(change);
  }
  Remember(change);
  if (kind == TableKind::kOther) return absl::OkStatus();
  if (change.operation == event::Operation::kTruncate) window_.RemoveAll(change);
  for (const event::Emission& emission : emissions) window_.Remove(change, emission);
  return absl::OkStatus();
}

// A transaction that only writes signals changes no chunk row.
void IncrementalSnapshots::OnCommit(uint64_t xid) {
  if (!std::exchange(has_rows_, false)) return;
  if (step_ != Step::kIdle) streamed_at_ = parts_.clock->Monotonic();
  if (recent_.size() < kRecentCommits) {
    recent_.push_back(static_cast<uint32_t>(xid));
    return;
  }
  recent_[recent_next_++ % kRecentCommits] = static_cast<uint32_t>(xid);
}

absl::Status IncrementalSnapshots::Next() {
  step_ = Step::kIdle;
  window_.Reset();
  window_id_.clear();
  window_done_ = false;
  if (!state_.running() || state_.paused || parts_.options->rests) return absl::OkStatus();
  if (!state_.stops.empty()) RETURN_IF_ERROR(Stop());
  if (!state_.running()) return absl::OkStatus();
  if (parts_.clock->Monotonic() < retry_at_ || HeldByPace() || HeldByStore()) {
    step_ = Step::kBroken;
    return absl::OkStatus();
  }
  window_id_ = parts_.new_id();
  if (parts_.options->writes_nothing()) {
    OpenUnmarked();
    return absl::OkStatus();
  }
  step_ = Step::kOpening;
  source().WriteOpen(window_id_);
  return absl::OkStatus();
}

absl::Status IncrementalSnapshots::Turn(Lsn behind) {
  RETURN_IF_ERROR(TakeSignals());
  if (step_ == Step::kIdle) return absl::OkStatus();
  if (step_ == Step::kBroken) {
    return parts_.clock->Monotonic() < retry_at_ ? absl::OkStatus() : Next();
  }
  if (awaits_stream()) return OnPassed(behind);
  if (step_ == Step::kWaiting) TellWhenUnmarked();
  std::optional<ChunkSource::Answer> answer = source().Poll();
  return answer ? OnAnswer(*std::move(answer)) : absl::OkStatus();
}

absl::Status IncrementalSnapshots::OnAnswer(ChunkSource::Answer answer) {
  // What was published needs no watermark any more.
  if (window_done_) return Next();
  if (completed_) {
    // Its last watermark closes nothing: one that is missing does no harm.
    RETURN_IF_ERROR(Send(*std::exchange(completed_, std::nullopt), "COMPLETED", LeftOut()));
    return Next();
  }
  if (!answer.status.ok()) {
    OnTrouble(answer.status);
    return absl::OkStatus();
  }
  retry_delay_ = kFirstRetry;
  if (!state_.paused && read_again_ == 0) HoldFor("");
  switch (step_) {
    case Step::kOpening:
      ReadChunk();
      return absl::OkStatus();
    case Step::kReading:
      return OnChunk(*std::move(answer.chunk));
    case Step::kClosing:
      step_ = Step::kWaiting;
      waits_since_ = unmarked_told_ = parts_.clock->Monotonic();
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

// The window is given up, and begun anew.
void IncrementalSnapshots::OnTrouble(const absl::Status& error) {
  log::Warn(absl::StrCat("incremental snapshot waits: ", error.message()),
            {{"table", state_.running() ? state_.queue.front().table.Text() : ""},
             {"reason", ErrorReason(error)},
             {"hint", ErrorHint(error)},
             {"again_in", absl::FormatDuration(retry_delay_)}});
  GiveUpWindow();
  if (!state_.paused) HoldFor(std::string(error.message()));
  step_ = Step::kBroken;
  window_id_.clear();
  retry_at_ = parts_.clock->Monotonic() + retry_delay_;
  retry_delay_ = std::min(2 * retry_delay_, kLongestRetry);
}

void IncrementalSnapshots::ReadChunk() {
  step_ = Step::kReading;
  told_ = recent_;
  told_.push_back(last_xid_);
  source().Read({.table = state_.queue.front(),
                 .after = read_,
                 .maximum = state_.maximum,
                 .most_rows = chunk_size_,
                 .storage = state_.storage,
                 .by_place = state_.by_place,
                 .places = doubted_,
                 .end = doubted_end_});
}

bool IncrementalSnapshots::LacksWhatWasTold(const TransactionView& view) const {
  return view.HiddenHeld() != 0 ||
         std::any_of(told_.begin(), told_.end(), [&](uint32_t xid) { return view.Hides(xid); });
}

absl::Status IncrementalSnapshots::OnChunk(Chunk chunk) {
  const TableId table = state_.queue.front().table;
  if (chunk.anew) ForgetTable();
  // Where it shows no row, or the greatest key is looked for, there may be more.
  const bool shows_end =
      chunk.outcome == Chunk::Outcome::kEmpty ||
      (chunk.outcome == Chunk::Outcome::kRead && (chunk.rows.empty() || !state_.maximum));
  if (shows_end && LacksWhatWasTold(chunk)) {
    window_.Load(std::move(chunk));
    ReadAgain();
    return Next();
  }
  NoteView(chunk);
  switch (chunk.outcome) {
    case Chunk::Outcome::kEmpty:
      return EndTable("EMPTY", false);
    case Chunk::Outcome::kNoKey:
      log::Warn("incremental snapshot: the table is left out, it has no key",
                {{"table", table.Text()},
                 {"hint", KeylessHint(table, parts_.options->reads_by_place, parts_.called)}});
      return EndTable("NO_PRIMARY_KEY", false);
    case Chunk::Outcome::kUnknown:
    case Chunk::Outcome::kFailed: {
      const bool unknown = chunk.outcome == Chunk::Outcome::kUnknown;
      const std::string hint = unknown ? ErrorHint(chunk.error)
                                       : AndAskAgain(ErrorHint(chunk.error), table, parts_.called);
      log::Warn(
          absl::StrCat("incremental snapshot: the table is left out: ", chunk.error.message()),
          {{"rows_before", table_rows_},
           {"table", table.Text()},
           {"reason", ErrorReason(chunk.error)},
           {"hint", hint}});
      // What Debezium tells of it says no more than SQL_EXCEPTION.
      RETURN_IF_ERROR(
          parts_.output->Notify({.id = state_.correlation_id,
                                 .type = "FAILED",
                                 .aggregate = "Incremental Snapshot",
                                 .details = {{"connector_name", parts_.connector_name},
                                             {"scanned_collection", table.Text()},
                                             {"reason", ErrorReason(chunk.error)},
                                             {"message", std::string(chunk.error.message())},
                                             {"hint", hint}},
                                 .time_ms = absl::ToUnixMillis(parts_.clock->Now()),
                                 .is_extra = true}));
      return EndTable(unknown ? "UNKNOWN_SCHEMA" : "SQL_EXCEPTION", !unknown);
    }
    case Chunk::Outcome::kRead:
      break;
  }
  if (chunk.storage != state_.storage) doubted_.clear();
  if (doubted_.empty()) {
    if (chunk.rows.empty()) return EndTable("SUCCEEDED", false);
    RETURN_IF_ERROR(TakeBounds(chunk));
  }
  window_.Load(std::move(chunk));
  if (parts_.options->writes_nothing()) {
    step_ = Step::kWaiting;
    return absl::OkStatus();
  }
  step_ = Step::kClosing;
  source().WriteClose(window_id_);
  return absl::OkStatus();
}

void IncrementalSnapshots::NoteView(const Chunk& chunk) {
  const bool is_first = !state_.maximum && !state_.queue.front().condition;
  const Oid relation = chunk.schema == nullptr ? Oid{} : chunk.schema->relation;
  if (is_first) {
    whole_ = relation;
    first_view_ = chunk;
  } else if (whole_ != relation) {
    whole_ = Oid{};
  }
}

absl::Status IncrementalSnapshots::TakeBounds(const Chunk& chunk) {
  table_rows_ += chunk.rows.size();
  shown_.estimated_rows = chunk.estimated_rows;
  shown_.blocks = chunk.by_place ? BlocksBefore(chunk.maximum) : std::nullopt;
  state_.maximum = chunk.maximum;
  state_.by_place = chunk.by_place;
  state_.storage = chunk.storage;
  parts_.metrics->incremental_runs.Scanned(state_.queue.front().table.Text(), table_rows_);
  state_.key_types.clear();
  for (const uint16_t column : chunk.shown)
    state_.key_types.push_back(chunk.schema->columns[column].type);
  Changed();
  return NotifyProgress(chunk);
}

absl::Status IncrementalSnapshots::NotifyProgress(const Chunk& chunk) {
  parts_.metrics->incremental_chunks.Add();
  const size_t shown = chunk.by_place ? 1 : chunk.shown.size();
  return Notify("IN_PROGRESS",
                {{"current_collection_in_progress", state_.queue.front().table.Text()},
                 {"maximum_key", KeyText(*chunk.maximum, shown, state_.key_types)},
                 {"last_processed_key", KeyText(*chunk.end, shown, state_.key_types)},
                 {"data_collections", state_.Tables()}});
}

// After a failure the count goes on into the next table, and the last window is not closed:
// both are Debezium's.
absl::Status IncrementalSnapshots::EndTable(absl::string_view status, bool failed) {
  if (whole_ != Oid{} && (status == "SUCCEEDED" || status == "EMPTY"))
    parts_.output->WasReadWhole(whole_, first_view_);
  RETURN_IF_ERROR(
      Notify("TABLE_SCAN_COMPLETED", {{"scanned_collection", state_.queue.front().table.Text()},
                                      {"total_rows_scanned", absl::StrCat(table_rows_)},
                                      {"status", std::string(status)},
                                      {"data_collections", state_.Tables()}}));
  if (!failed) table_rows_ = 0;
  TellProgress("incremental snapshot of table ended", status);
  TakeTable();
  if (state_.running()) {
    Changed();
    // What the stream has told so far is of the table before, or older than what is read now.
    std::vector<uint32_t> recent = recent_;
    recent.push_back(last_xid_);
    window_.BeginAgain(std::move(recent));
    ReadChunk();
    return absl::OkStatus();
  }
  Changed();
  parts_.metrics->incremental_runs.End(metrics::SnapshotOutcome::kCompleted,
                                       parts_.clock->Monotonic());
  if (state_.left_out == 0)
    log::Info("incremental snapshot completed");
  else
    log::Warn("incremental snapshot completed, without all rows",
              {{"rows_left_out", state_.left_out}});
  if (failed || parts_.options->writes_nothing()) {
    RETURN_IF_ERROR(Notify("COMPLETED", LeftOut()));
    return Next();
  }
  // Told once the watermark is written, so that what is done upon it comes behind that.
  completed_ = state_.correlation_id;
  step_ = Step::kClosing;
  source().WriteClose(window_id_);
  return absl::OkStatus();
}

void IncrementalSnapshots::TakeTable() {
  state_.queue.pop_front();
  for (PendingStop& stop : state_.stops) stop.asked -= std::min<size_t>(stop.asked, 1);
  read_again_ = 0;
  ForgetTable();
}

void IncrementalSnapshots::ForgetTable() {
  state_.ForgetKeys();
  whole_ = Oid{};
  read_.reset();
  doubted_.clear();
  ShowNextTable();
}

IncrementalSnapshots::Details IncrementalSnapshots::LeftOut() const {
  if (state_.left_out == 0) return {};
  return {{"rows_left_out", absl::StrCat(state_.left_out)}};
}

absl::Status IncrementalSnapshots::Notify(absl::string_view type, const Details& details) {
  return Send(state_.correlation_id, type, details);
}

absl::Status IncrementalSnapshots::Send(const std::string& id, absl::string_view type,
                                        const Details& details) {
  event::Notification notification{.id = id,
                                   .type = std::string(type),
                                   .aggregate = "Incremental Snapshot",
                                   .details = {{"connector_name", parts_.connector_name}},
                                   .time_ms = absl::ToUnixMillis(parts_.clock->Now())};
  notification.details.insert(notification.details.end(), details.begin(), details.end());
  return parts_.output->Notify(notification);
}

}  // namespace walduct::incremental
