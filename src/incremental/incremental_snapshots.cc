#include "incremental/incremental_snapshots.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "incremental/expansion.h"

namespace walduct::incremental {
namespace {

constexpr size_t kRecentCommits = 4096;
constexpr absl::Duration kFirstRetry = absl::Seconds(1);
constexpr absl::Duration kLongestRetry = absl::Seconds(30);
constexpr size_t kSignalColumns = 3;

std::string KeyText(const Key& key, size_t columns) {
  std::string text;
  for (size_t i = 0; i < std::min(columns, key.size()); ++i)
    absl::StrAppend(&text, i == 0 ? "" : ",", key[i].value_or("<null>"));
  return text;
}

std::string TextOf(const event::Value& value) {
  return value.is_text() ? std::string(value.text()) : "";
}

}  // namespace

IncrementalSnapshots::IncrementalSnapshots(Parts parts)
    : parts_(std::move(parts)), retry_delay_(kFirstRetry) {
  recent_.reserve(kRecentCommits);
}

ChunkSource& IncrementalSnapshots::source() {
  if (source_ == nullptr) source_ = parts_.open_source();
  return *source_;
}

absl::Status IncrementalSnapshots::Resume(const OffsetMembers& stored) {
  states_.emplace_back(0, stored);
  ASSIGN_OR_RETURN(state_, DecodeState(stored));
  if (!state_.running()) return absl::OkStatus();
  log::Info("incremental snapshot goes on", {{"tables", state_.Tables()}});
  read_ = state_.emitted;
  return Next();
}

void IncrementalSnapshots::Changed() {
  states_.emplace_back(++mark_, EncodeState(state_));
  parts_.output->SetMark(mark_);
}

OffsetMembers IncrementalSnapshots::StateOf(uint64_t mark) {
  while (states_.size() > 1 && states_[1].first <= mark) states_.pop_front();
  const bool known = !states_.empty() && states_.front().first <= mark;
  return known ? states_.front().second : OffsetMembers();
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

absl::Status IncrementalSnapshots::OnChange(const event::ChangeEvent& change,
                                            absl::Span<const event::Emission> emissions) {
  if (change.schema == nullptr) return absl::OkStatus();
  const TableKind kind = KindOf(*change.schema);
  if (kind == TableKind::kSignals) return OnSignalRow(change);
  last_xid_ = static_cast<uint32_t>(change.xid.value_or(0));
  has_rows_ = true;
  if (kind == TableKind::kOther) return absl::OkStatus();
  if (change.operation == event::Operation::kTruncate) window_.RemoveAll();
  for (const event::Emission& emission : emissions) window_.Remove(change, emission);
  return absl::OkStatus();
}

// One that only signals changes no row of a chunk.
void IncrementalSnapshots::OnCommit(uint64_t xid) {
  if (!std::exchange(has_rows_, false)) return;
  if (recent_.size() < kRecentCommits) {
    recent_.push_back(static_cast<uint32_t>(xid));
    return;
  }
  recent_[recent_next_++ % kRecentCommits] = static_cast<uint32_t>(xid);
}

absl::Status IncrementalSnapshots::OnSignalRow(const event::ChangeEvent& change) {
  if (change.operation == event::Operation::kDelete) return OnDeletedSignal(change);
  if (change.operation != event::Operation::kCreate) return absl::OkStatus();
  const size_t columns = change.after->size();
  const std::string id = columns == 0 ? "" : TextOf((*change.after)[0]);
  if (columns != kSignalColumns) {
    parts_.metrics->signals_refused.Add();
    log::Warn("signal ignored: the signaling table does not have three columns",
              {{"signal", id}, {"columns", columns}});
    return absl::OkStatus();
  }
  const event::Value& data = (*change.after)[2];
  const RawSignal raw{.id = id,
                      .type = TextOf((*change.after)[1]),
                      .data = data.is_text() ? std::optional(TextOf(data)) : std::nullopt};
  if (raw.type == "snapshot-window-open") {
    if (raw.id == absl::StrCat(window_id_, "-open")) OnOpened();
    return absl::OkStatus();
  }
  if (raw.type == "snapshot-window-close") {
    return raw.id == absl::StrCat(window_id_, "-close") ? OnClosed(change) : absl::OkStatus();
  }
  return OnSignal(raw, change);
}

absl::Status IncrementalSnapshots::OnDeletedSignal(const event::ChangeEvent& change) {
  if (!parts_.options->deletes_watermarks || !change.before || change.before->empty())
    return absl::OkStatus();
  const bool ours = TextOf((*change.before)[0]) == absl::StrCat(window_id_, "-open");
  return ours ? OnClosed(change) : absl::OkStatus();
}

absl::Status IncrementalSnapshots::OnSignal(const RawSignal& raw,
                                            const event::ChangeEvent& change) {
  const absl::StatusOr<Signal> signal = ParseSignal(raw);
  if (!signal.ok()) {
    parts_.metrics->signals_refused.Add();
    log::Warn(absl::StrCat("signal ignored: ", signal.status().message()),
              {{"reason", ErrorReason(signal.status())}, {"hint", ErrorHint(signal.status())}});
    return absl::OkStatus();
  }
  parts_.metrics->signals.Add();
  log::Info("signal", {{"id", raw.id}, {"type", raw.type}});
  if (const auto* execute = std::get_if<ExecuteSnapshot>(&*signal))
    return Execute(raw.id, *execute);
  if (const auto* stop = std::get_if<StopSnapshot>(&*signal)) {
    // It is carried out when the next chunk would be read.
    if (state_.running()) stop_ = stop->collections;
    return absl::OkStatus();
  }
  if (std::holds_alternative<PauseSnapshot>(*signal)) return Pause();
  if (std::holds_alternative<ResumeSnapshot>(*signal)) return ResumeReading();
  std::string message = std::get<LogMessage>(*signal).message;
  if (const size_t at = message.find("{}"); at != std::string::npos) {
    const std::string position =
        absl::StrCat("{lsn=", change.lsn.value(), ", txId=", change.xid.value_or(0),
                     ", ts_usec=", change.source_time_us, "}");
    message.replace(at, 2, position);
  }
  log::Info(message);
  return absl::OkStatus();
}

absl::Status IncrementalSnapshots::Execute(const std::string& id, const ExecuteSnapshot& execute) {
  const bool was_running = state_.running();
  for (const TableId& table : ExpandCollections(execute.collections, parts_.captured)) {
    TableRequest request{.table = table, .condition = {}, .surrogate_key = execute.surrogate_key};
    request.condition = ConditionOf(execute.conditions, table);
    state_.queue.push_back(std::move(request));
  }
  if (!state_.running()) return absl::OkStatus();
  state_.correlation_id = id;
  Changed();
  if (was_running) return absl::OkStatus();
  paused_ = false;
  stop_.reset();
  RETURN_IF_ERROR(Notify("STARTED", {{"data_collections", state_.Tables()}}));
  // A watermark may still be on its way.
  return step_ == Step::kIdle ? Next() : absl::OkStatus();
}

absl::Status IncrementalSnapshots::Pause() {
  if (!state_.running() || paused_) return absl::OkStatus();
  paused_ = true;
  return Notify("PAUSED", {{"data_collections", state_.Tables()}});
}

absl::Status IncrementalSnapshots::ResumeReading() {
  if (!state_.running() || !paused_) return absl::OkStatus();
  paused_ = false;
  RETURN_IF_ERROR(Notify("RESUMED", {{"data_collections", state_.Tables()}}));
  return step_ == Step::kIdle ? Next() : absl::OkStatus();
}

// Told as Debezium tells it: what is left of the queue first.
absl::Status IncrementalSnapshots::Stop() {
  const std::vector<std::string> collections = *std::exchange(stop_, std::nullopt);
  std::vector<TableId> wanted;
  if (!collections.empty()) wanted = ExpandCollections(collections, parts_.captured);
  const TableId current = state_.queue.front().table;
  std::string stopped;
  std::deque<TableRequest> left;
  bool stops_current = false;
  for (size_t i = 0; i < state_.queue.size(); ++i) {
    const TableRequest& one = state_.queue[i];
    const bool stops =
        collections.empty() || std::find(wanted.begin(), wanted.end(), one.table) != wanted.end();
    if (!stops) {
      left.push_back(one);
      continue;
    }
    stops_current = stops_current || i == 0;
    absl::StrAppend(&stopped, stopped.empty() ? "" : ",", one.table.Text());
  }
  if (stopped.empty()) log::Warn("signal: none of the tables to stop is being read or waits");
  state_.queue = std::move(left);
  if (stops_current) {
    state_.maximum.reset();
    state_.emitted.reset();
    state_.key_types.clear();
    read_.reset();
    table_rows_ = 0;
  }
  std::string id = state_.correlation_id;
  if (!state_.running()) {
    RETURN_IF_ERROR(Notify("COMPLETED", {}));
    id = parts_.new_id();
  }
  Changed();
  return parts_.output->Notify(
      {.id = id,
       .type = "ABORTED",
       .aggregate = "Incremental Snapshot",
       .details = {{"connector_name", parts_.connector_name}, {"data_collections", stopped}},
       .time_ms = absl::ToUnixMillis(parts_.clock->Now())});
}

absl::Status IncrementalSnapshots::Next() {
  step_ = Step::kIdle;
  window_.Reset();
  window_id_.clear();
  window_done_ = false;
  if (!state_.running() || paused_) return absl::OkStatus();
  if (stop_) RETURN_IF_ERROR(Stop());
  if (!state_.running()) return absl::OkStatus();
  window_id_ = parts_.new_id();
  step_ = Step::kOpening;
  source().WriteOpen(window_id_);
  return absl::OkStatus();
}

absl::Status IncrementalSnapshots::Turn() {
  if (step_ == Step::kIdle) return absl::OkStatus();
  if (step_ == Step::kBroken) {
    return parts_.clock->Monotonic() < retry_at_ ? absl::OkStatus() : Next();
  }
  std::optional<ChunkSource::Answer> answer = source().Poll();
  return answer ? OnAnswer(*std::move(answer)) : absl::OkStatus();
}

absl::Status IncrementalSnapshots::OnAnswer(ChunkSource::Answer answer) {
  // What was published needs no watermark any more.
  if (window_done_) return Next();
  if (completed_) {
    // Its last watermark closes nothing: one that is missing does no harm.
    RETURN_IF_ERROR(Send(*std::exchange(completed_, std::nullopt), "COMPLETED", {}));
    return Next();
  }
  if (!answer.status.ok()) {
    OnTrouble(answer.status);
    return absl::OkStatus();
  }
  retry_delay_ = kFirstRetry;
  switch (step_) {
    case Step::kOpening:
      ReadChunk();
      return absl::OkStatus();
    case Step::kReading:
      return OnChunk(*std::move(answer.chunk));
    case Step::kClosing:
      step_ = Step::kWaiting;
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
  step_ = Step::kBroken;
  window_id_.clear();
  retry_at_ = parts_.clock->Monotonic() + retry_delay_;
  retry_delay_ = std::min(2 * retry_delay_, kLongestRetry);
}

void IncrementalSnapshots::GiveUpWindow() {
  if (window_.loaded()) table_rows_ -= std::min<uint64_t>(table_rows_, window_.chunk().rows.size());
  window_.Reset();
}

void IncrementalSnapshots::ReadChunk() {
  step_ = Step::kReading;
  source().Read({.table = state_.queue.front(), .after = read_, .maximum = state_.maximum});
}

absl::Status IncrementalSnapshots::OnChunk(Chunk chunk) {
  const TableId table = state_.queue.front().table;
  switch (chunk.outcome) {
    case Chunk::Outcome::kEmpty:
      return EndTable("EMPTY", false);
    case Chunk::Outcome::kNoKey:
      log::Warn(
          "incremental snapshot: the table is left out, it has no key",
          {{"table", table.Text()},
           {"hint", "name a column in the signal's \"surrogate-key\", or add a primary key"}});
      return EndTable("NO_PRIMARY_KEY", false);
    case Chunk::Outcome::kUnknown:
    case Chunk::Outcome::kFailed: {
      const bool unknown = chunk.outcome == Chunk::Outcome::kUnknown;
      log::Warn(
          absl::StrCat("incremental snapshot: the table is left out: ", chunk.error.message()),
          {{"table", table.Text()},
           {"reason", ErrorReason(chunk.error)},
           {"hint", ErrorHint(chunk.error)}});
      return EndTable(unknown ? "UNKNOWN_SCHEMA" : "SQL_EXCEPTION", !unknown);
    }
    case Chunk::Outcome::kRead:
      break;
  }
  if (chunk.rows.empty()) return EndTable("SUCCEEDED", false);
  table_rows_ += chunk.rows.size();
  state_.maximum = chunk.maximum;
  state_.key_types.clear();
  for (const uint16_t column : chunk.shown)
    state_.key_types.push_back(chunk.schema->columns[column].type);
  Changed();
  RETURN_IF_ERROR(NotifyProgress(chunk));
  window_.Load(std::move(chunk));
  step_ = Step::kClosing;
  source().WriteClose(window_id_);
  return absl::OkStatus();
}

absl::Status IncrementalSnapshots::NotifyProgress(const Chunk& chunk) {
  parts_.metrics->incremental_chunks.Add();
  const size_t shown = chunk.shown.size();
  return Notify("IN_PROGRESS",
                {{"current_collection_in_progress", state_.queue.front().table.Text()},
                 {"maximum_key", KeyText(*chunk.maximum, shown)},
                 {"last_processed_key", KeyText(*chunk.end, shown)},
                 {"data_collections", state_.Tables()}});
}

// After a failure the count goes on into the next table, and the last window is not closed:
// both are Debezium's.
absl::Status IncrementalSnapshots::EndTable(absl::string_view status, bool failed) {
  RETURN_IF_ERROR(
      Notify("TABLE_SCAN_COMPLETED", {{"scanned_collection", state_.queue.front().table.Text()},
                                      {"total_rows_scanned", absl::StrCat(table_rows_)},
                                      {"status", std::string(status)},
                                      {"data_collections", state_.Tables()}}));
  if (!failed) table_rows_ = 0;
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
  log::Info("incremental snapshot completed");
  if (failed) {
    RETURN_IF_ERROR(Notify("COMPLETED", {}));
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
  state_.maximum.reset();
  state_.emitted.reset();
  state_.key_types.clear();
  read_.reset();
}

void IncrementalSnapshots::OnOpened() {
  if (step_ != Step::kOpening && step_ != Step::kReading && step_ != Step::kClosing &&
      step_ != Step::kWaiting) {
    return;
  }
  window_.Open(recent_);
}

absl::Status IncrementalSnapshots::OnClosed(const event::ChangeEvent& change) {
  const bool closes = step_ == Step::kClosing || step_ == Step::kWaiting;
  if (!closes || !window_.loaded() || window_done_) return absl::OkStatus();
  if (window_.IsDoubtful()) {
    log::Info("incremental snapshot: a chunk is read again",
              {{"table", state_.queue.front().table.Text()}});
    GiveUpWindow();
  } else {
    RETURN_IF_ERROR(PublishWindow(change));
  }
  if (step_ == Step::kWaiting) return Next();
  window_done_ = true;
  return absl::OkStatus();
}

absl::Status IncrementalSnapshots::PublishWindow(const event::ChangeEvent& close) {
  const Chunk& chunk = window_.chunk();
  event::ChangeEvent row;
  row.operation = event::Operation::kRead;
  row.snapshot = event::SnapshotMarker::kIncremental;
  row.schema = chunk.schema.get();
  row.last_commit_end = close.last_commit_end;
  row.lsn = close.lsn;
  const ChunkRow* last = nullptr;
  RETURN_IF_ERROR(window_.ForEachLeft([&](const ChunkRow& read) {
    last = &read;
    read.View(&values_);
    row.after = values_;
    row.source_time_us = absl::ToUnixMicros(parts_.clock->Now());
    parts_.metrics->incremental_rows.Add();
    return parts_.output->PublishRead(row);
  }));
  read_ = chunk.end;
  if (last == nullptr) return absl::OkStatus();
  last->View(&values_);
  Key emitted;
  for (const uint16_t column : chunk.shown) {
    const event::Value& value = values_[column];
    emitted.push_back(value.is_text() ? std::optional(std::string(value.text())) : std::nullopt);
  }
  state_.emitted = std::move(emitted);
  Changed();
  return absl::OkStatus();
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
