// What is asked of incremental snapshots: rows of the signaling table, signals of the inbox.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "incremental/incremental_snapshots.h"
#include "incremental/options/incremental_options.h"
#include "incremental/signals/expansion.h"

namespace walduct::incremental {
namespace {

constexpr size_t kSignalColumns = 3;

std::string TextOf(const event::Value& value) {
  return value.is_text() ? std::string(value.text()) : "";
}

}  // namespace

absl::Status IncrementalSnapshots::OnSignalRow(const event::ChangeEvent& change) {
  if (change.operation == event::Operation::kDelete) return OnDeletedSignal(change);
  if (change.operation != event::Operation::kCreate) return absl::OkStatus();
  const size_t columns = change.after->size();
  const std::string id = columns == 0 ? "" : TextOf((*change.after)[0]);
  if (columns != kSignalColumns) {
    if (!parts_.options->source_channel) return absl::OkStatus();
    return Refuse({.id = id, .type = "", .data = std::nullopt},
                  Error(absl::StatusCode::kInvalidArgument, "signal_malformed",
                        absl::StrCat("signal '", id, "': the signaling table has ", columns,
                                     " columns, not three"),
                        "make it anew: id, type, data"));
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
  return parts_.options->source_channel ? OnSignal(raw, false) : absl::OkStatus();
}

absl::Status IncrementalSnapshots::OnDeletedSignal(const event::ChangeEvent& change) {
  if (!parts_.options->deletes_watermarks || !change.before || change.before->empty())
    return absl::OkStatus();
  const bool ours = TextOf((*change.before)[0]) == absl::StrCat(window_id_, "-open");
  return ours ? OnClosed(change) : absl::OkStatus();
}

absl::Status IncrementalSnapshots::TakeSignals() {
  if (!asked_.empty()) RETURN_IF_ERROR(TakeAsked());
  if (parts_.inbox == nullptr) return absl::OkStatus();
  while (const std::optional<SignalInbox::Incoming> next = parts_.inbox->Take()) {
    RETURN_IF_ERROR(OnIncoming(*next));
    unsettled_.emplace_back(next->ticket, mark_);
    parts_.output->StoreSoon();
  }
  SettleSignals();
  return absl::OkStatus();
}

// A thousand tables may be new at once: together they change the state once, since each change is
// as long as the queue.
absl::Status IncrementalSnapshots::TakeAsked() {
  std::vector<std::function<void()>> taken;
  while (!asked_.empty()) {
    auto [signal, then] = std::move(asked_.front());
    asked_.pop_front();
    more_asked_ = !asked_.empty();
    RETURN_IF_ERROR(OnSignal(signal, false));
    taken.push_back(std::move(then));
  }
  if (has_untold_) Changed();
  for (const std::function<void()>& then : taken) then();
  return absl::OkStatus();
}

// By a channel of Debezium's, which refuses it where nothing tells its windows.
absl::Status IncrementalSnapshots::OnIncoming(const SignalInbox::Incoming& incoming) {
  if (!incoming.signal.ok()) return Refuse({}, incoming.signal.status());
  const RawSignal& raw = *incoming.signal;
  if (incoming.asked || parts_.options->marks_windows()) return OnSignal(raw, true);
  const absl::StatusOr<Signal> signal = ParseSignal(raw);
  const auto* execute = signal.ok() ? std::get_if<ExecuteSnapshot>(&*signal) : nullptr;
  if (execute == nullptr || execute->blocking) return OnSignal(raw, true);
  return Refuse(raw, Error(absl::StatusCode::kInvalidArgument, "signal_not_supported",
                           absl::StrCat("signal '", raw.id,
                                        "': incremental snapshots are not configured: there is no "
                                        "table for watermarks"),
                           "set signal.data.collection, or read.only=true; or ask the process: "
                           "walduct signal, without --channel"));
}

// What a signal has changed goes with a position: until that is stored, a crash forgets it.
void IncrementalSnapshots::SettleSignals() {
  if (unsettled_.empty()) return;
  const uint64_t stored = parts_.output->StoredMark();
  uint64_t done = 0;
  while (!unsettled_.empty() && unsettled_.front().second <= stored) {
    done = unsettled_.front().first;
    unsettled_.pop_front();
  }
  if (done > 0) parts_.inbox->Done(done);
}

absl::Status IncrementalSnapshots::Refuse(const RawSignal& raw, const absl::Status& why) {
  log::Warn(absl::StrCat("signal ignored: ", why.message()),
            {{"reason", ErrorReason(why)}, {"hint", ErrorHint(why)}});
  return TellRefused(raw, {{"reason", ErrorReason(why)},
                           {"message", std::string(why.message())},
                           {"hint", ErrorHint(why)}});
}

// It, or a part of it.
absl::Status IncrementalSnapshots::TellRefused(const RawSignal& raw, Details details) {
  parts_.metrics->signals_refused.Add();
  details.insert(details.begin(),
                 {{"connector_name", parts_.connector_name}, {"signal_type", raw.type}});
  return parts_.output->Notify({.id = raw.id.empty() ? parts_.new_id() : raw.id,
                                .type = "REFUSED",
                                .aggregate = "Signal",
                                .details = std::move(details),
                                .time_ms = absl::ToUnixMillis(parts_.clock->Now()),
                                .is_extra = true});
}

absl::Status IncrementalSnapshots::OnSignal(const RawSignal& raw, bool may_repeat) {
  if (parts_.options->rests) {
    return Refuse(raw, Error(absl::StatusCode::kFailedPrecondition, "signal_in_gap",
                             absl::StrCat("signal '", raw.id,
                                          "' was sent in the gap of a lost slot, which is read "
                                          "from a restored server"),
                             "send it again when the connector goes on"));
  }
  const absl::StatusOr<Signal> signal = ParseSignal(raw);
  if (!signal.ok()) return Refuse(raw, signal.status());
  const auto* execute = std::get_if<ExecuteSnapshot>(&*signal);
  if (execute != nullptr && may_repeat && IsUnderWay(raw.id, *execute)) {
    log::Info("signal passed over: it came again and is being carried out", {{"id", raw.id}});
    return absl::OkStatus();
  }
  parts_.metrics->signals.Add();
  log::Info("signal", {{"id", raw.id}, {"type", raw.type}});
  if (execute != nullptr && execute->blocking) {
    BlockFor(raw);
    return absl::OkStatus();
  }
  if (execute != nullptr) return Execute(raw.id, *execute);
  if (const auto* stop = std::get_if<StopSnapshot>(&*signal)) {
    // It is carried out when the next chunk would be read.
    if (!state_.running()) return PassOver(raw);
    state_.stops.push_back({.collections = stop->collections, .asked = state_.queue.size()});
    Changed();
    return absl::OkStatus();
  }
  const bool pauses = std::holds_alternative<PauseSnapshot>(*signal);
  const bool resumes = std::holds_alternative<ResumeSnapshot>(*signal);
  if ((pauses || resumes) && !state_.running()) return PassOver(raw);
  if (pauses) return Pause();
  if (resumes) return ResumeReading();
  LogText(std::get<LogMessage>(*signal).message);
  return absl::OkStatus();
}

// It may have ended just before: who asked sees that the last one has.
absl::Status IncrementalSnapshots::PassOver(const RawSignal& raw) {
  log::Warn("signal passed over: no incremental snapshot is being read or waits",
            {{"id", raw.id}, {"type", raw.type}, {"reason", "signal_passed_over"}});
  return TellRefused(
      raw, {{"reason", "signal_passed_over"},
            {"message", absl::StrCat("signal '", raw.id, "' (", raw.type,
                                     ") was passed over: no incremental snapshot is being read "
                                     "or waits")},
            {"hint", "nothing: there was nothing to stop, to pause or to resume"}});
}

void IncrementalSnapshots::LogText(std::string message) const {
  if (const size_t at = message.find("{}"); at != std::string::npos) {
    message.replace(at, 2,
                    absl::StrCat("{lsn=", seen_.lsn.value(), ", txId=", seen_.xid,
                                 ", ts_usec=", seen_.time_us, "}"));
  }
  log::Info(message);
}

bool IncrementalSnapshots::IsUnderWay(const std::string& id, const ExecuteSnapshot& execute) const {
  if (execute.blocking) {
    return std::any_of(state_.blocking.begin(), state_.blocking.end(),
                       [&](const RawSignal& waiting) { return waiting.id == id; });
  }
  if (!state_.running() || state_.correlation_id != id) return false;
  const std::vector<TableId> tables = ExpandCollections(execute.collections, parts_.captured);
  return std::all_of(tables.begin(), tables.end(), [this](const TableId& table) {
    return std::any_of(state_.queue.begin(), state_.queue.end(),
                       [&](const TableRequest& one) { return one.table == table; });
  });
}

absl::Status IncrementalSnapshots::Execute(const std::string& id, const ExecuteSnapshot& execute) {
  const bool was_running = state_.running();
  if (!was_running) {
    state_.paused = false;
    state_.left_out = 0;
    state_.stops.clear();
  }
  const std::vector<TableId> tables = ExpandCollections(execute.collections, parts_.captured);
  for (const TableId& table : tables) {
    state_.queue.push_back({.table = table,
                            .condition = ConditionOf(execute, table),
                            .surrogate_key = execute.surrogate_key});
    parts_.metrics->incremental_runs.Scanned(table.Text(), 0);
  }
  RETURN_IF_ERROR(RefuseUnused(id, UnusedConditions(execute, tables)));
  if (!state_.running()) return absl::OkStatus();
  state_.correlation_id = id;
  has_untold_ = was_running && more_asked_;
  if (has_untold_) return absl::OkStatus();
  Changed();
  if (was_running) return absl::OkStatus();
  HoldFor("");
  ShowNextTable();
  Show();
  RETURN_IF_ERROR(Notify("STARTED", {{"data_collections", state_.Tables()}}));
  // A watermark may still be on its way.
  return step_ == Step::kIdle ? Next() : absl::OkStatus();
}

// Its tables are read without it: somebody may wait for fewer rows.
absl::Status IncrementalSnapshots::RefuseUnused(const std::string& id,
                                                const std::vector<std::string>& conditions) {
  constexpr absl::string_view kHint =
      "it is a regular expression that must match the whole schema.table, without case";
  for (const std::string& condition : conditions) {
    const std::string what =
        absl::StrCat("signal '", id, "': a condition is for none of its tables; it is left out");
    log::Warn(what, {{"data-collection", condition}, {"hint", kHint}});
    RETURN_IF_ERROR(TellRefused({.id = id, .type = "execute-snapshot", .data = std::nullopt},
                                {{"reason", "signal_malformed"},
                                 {"message", absl::StrCat(what, ": ", condition)},
                                 {"hint", std::string(kHint)}}));
  }
  return absl::OkStatus();
}

absl::Status IncrementalSnapshots::Pause() {
  if (!state_.running() || state_.paused) return absl::OkStatus();
  state_.paused = true;
  Changed();
  HoldFor("paused");
  return Notify("PAUSED", {{"data_collections", state_.Tables()}});
}

absl::Status IncrementalSnapshots::ResumeReading() {
  if (!state_.running() || !state_.paused) return absl::OkStatus();
  state_.paused = false;
  Changed();
  HoldFor("");
  RETURN_IF_ERROR(Notify("RESUMED", {{"data_collections", state_.Tables()}}));
  return step_ == Step::kIdle ? Next() : absl::OkStatus();
}

// Of what was asked for before each: what it names, and all when it names nothing.
std::vector<bool> IncrementalSnapshots::ToStop() const {
  std::vector<bool> stops(state_.queue.size());
  for (const PendingStop& stop : state_.stops) {
    std::vector<TableId> wanted;
    if (!stop.collections.empty()) wanted = ExpandCollections(stop.collections, parts_.captured);
    for (size_t i = 0; i < stop.asked; ++i) {
      stops[i] = stops[i] || stop.collections.empty() ||
                 std::find(wanted.begin(), wanted.end(), state_.queue[i].table) != wanted.end();
    }
  }
  return stops;
}

// Told as Debezium tells it: what is left of the queue first.
absl::Status IncrementalSnapshots::Stop() {
  const std::vector<bool> stops = ToStop();
  state_.stops.clear();
  const bool stops_current = stops.front();
  std::string stopped;
  std::deque<TableRequest> left;
  for (size_t i = 0; i < state_.queue.size(); ++i) {
    if (stops[i]) {
      absl::StrAppend(&stopped, stopped.empty() ? "" : ",", state_.queue[i].table.Text());
    } else {
      left.push_back(state_.queue[i]);
    }
  }
  if (stopped.empty()) log::Warn("signal: none of the tables to stop is being read or waits");
  state_.queue = std::move(left);
  if (stops_current) {
    ForgetTable();
    table_rows_ = 0;
  }
  std::string id = state_.correlation_id;
  if (!state_.running()) {
    parts_.metrics->incremental_runs.End(metrics::SnapshotOutcome::kAborted,
                                         parts_.clock->Monotonic());
    RETURN_IF_ERROR(Notify("COMPLETED", LeftOut()));
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

}  // namespace walduct::incremental
