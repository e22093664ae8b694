#include "admin/status_page.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "admin/health.h"
#include "admin/outbox_rows_body.h"
#include "base/json.h"
#include "engine/configuration/shared_prefixes.h"
#include "engine/errors/named_hint.h"
#include "operate/commands/version.h"

namespace walduct::admin {
namespace {

constexpr absl::string_view kFirstKafka =
    "first Kafka has to answer: until then no command is taken, and the connector does not end. "
    "Then ";

double Seconds(absl::Duration duration) { return std::max(0.0, absl::ToDoubleSeconds(duration)); }

void WriteNotice(const char* name, const std::string& message, const std::string& hint,
                 JsonWriter* json) {
  if (message.empty()) return;
  json->Key(name).Object().Key("message").Text(message).Key("hint").Text(hint).EndObject();
}

class StatusWriter {
 public:
  StatusWriter(const ProcessView& process, const ShownConnector& one, JsonWriter* json)
      : process_(process), one_(one), status_(one.status), numbers_(*one.metrics), json_(*json) {}

  // One that does not run: its slot and its lag are all that there is.
  void WriteResting() {
    json_.Object();
    json_.Key("name").Text(status_.name);
    json_.Key("state").Text(engine::StateText(status_.state));
    json_.Key("state_since").Text(TimeText(status_.state_since));
    WriteHealth();
    WriteLastError();
    WriteCapture();
    WriteBeside();
    WriteLag();
    WriteSlot();
    json_.EndObject();
  }

  void Write(bool tables) {
    json_.Object();
    json_.Key("name").Text(status_.name);
    json_.Key("state").Text(engine::StateText(status_.state));
    json_.Key("state_since").Text(TimeText(status_.state_since));
    json_.Key("activity").Text(engine::ActivityText(status_.activity));
    json_.Key("activity_since").Text(TimeText(status_.activity_since));
    if (status_.wait != engine::WaitReason::kNothing) {
      json_.Key("waiting_for").Text(engine::WaitText(status_.wait));
      json_.Key("waiting_since").Text(TimeText(status_.wait_since));
      if (!status_.wait_on.empty()) json_.Key("waiting_on").Text(status_.wait_on);
      if (!status_.wait_hint.empty()) json_.Key("waiting_hint").Text(status_.wait_hint);
    }
    WriteHealth();
    if (status_.exit_code) json_.Key("exit_code").Signed(*status_.exit_code);
    if (!status_.rests())
      json_.Key("loop_age_seconds").Number(Seconds(process_.monotonic - status_.turned));
    WriteTrouble();
    WriteProgress();
    WriteSlot();
    WriteSnapshot();
    WriteIncremental();
    WriteLastSnapshots();
    if (tables) WriteTables();
    json_.EndObject();
  }

 private:
  void WriteHealth() {
    json_.Key("ready").Flag(NotReady(status_).empty());
    json_.Key("health").Text(HealthText(HealthOf(one_, process_.monotonic)));
  }

  void WriteTrouble() {
    if (status_.stall) {
      json_.Key("stall").Object();
      json_.Key("since").Text(TimeText(status_.stall->since));
      json_.Key("kind").Text(status_.stall->kind);
      json_.Key("waiting_for").Text(status_.stall->cause);
      json_.Key("hint").Text(status_.stall->hint);
      json_.EndObject();
    }
    WriteCapture();
    WriteBeside();
    WriteNotice("shared_prefix", one_.shared_prefix, engine::kSharedPrefixHint, &json_);
    WriteNotice("shared_slot", one_.shared_slot, one_.shared_slot_hint, &json_);
    WriteLastError();
  }

  void WriteLastError() {
    if (!status_.last_error) return;
    json_.Key("last_error").Object();
    json_.Key("at").Text(TimeText(status_.last_error->at));
    json_.Key("reason").Text(status_.last_error->reason);
    json_.Key("message").Text(status_.last_error->message);
    json_.Key("hint").Text(status_.last_error->hint);
    if (status_.last_error->solved_at)
      json_.Key("solved_at").Text(TimeText(*status_.last_error->solved_at));
    if (!status_.last_error->change.empty()) json_.Key("change").Text(status_.last_error->change);
    json_.EndObject();
  }

  void WriteCapture() {
    const std::optional<metrics::CaptureView> view = numbers_.capture.Read();
    if (!view) return;
    json_.Key("capture").Object();
    json_.Key("age_seconds").Number(Seconds(process_.monotonic - view->looked_at));
    json_.Key("problems").Array();
    for (const metrics::CaptureProblem& problem : view->problems) {
      json_.Object().Key("severity").Text(problem.loses ? "warning" : "notice");
      json_.Key("reason").Text(problem.reason);
      json_.Key("since").Text(TimeText(problem.since));
      json_.Key("message").Text(problem.message);
      json_.Key("count").Whole(problem.count);
      json_.Key("tables").Array();
      for (const std::string& table : problem.tables) json_.Text(table);
      json_.EndArray();
      json_.Key("hint").Text(problem.hint);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  // What has failed the last time; absent: nothing.
  void WriteBeside() {
    std::vector<metrics::BesideTrouble> failing = numbers_.beside.Read();
    std::erase_if(failing, [](const metrics::BesideTrouble& one) { return !one.since; });
    if (failing.empty()) return;
    json_.Key("beside").Array();
    for (const metrics::BesideTrouble& one : failing) {
      json_.Object();
      json_.Key("what").Text(one.what);
      json_.Key("since").Text(TimeText(*one.since));
      if (one.waits) json_.Key("waits").Flag(true);
      json_.Key("message").Text(one.message);
      json_.Key("hint").Text(one_.names == nullptr
                                 ? one.hint
                                 : engine::NamedHint("", one.message, one.hint,
                                                     engine::NamesIn(status_.state, *one_.names)));
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteProgress() {
    uint64_t events = 0;
    for (const metrics::Counter& counter : numbers_.events_seen) events += counter.value();
    json_.Key("events").Whole(events);
    json_.Key("records").Whole(numbers_.records_written.value());
    json_.Key("acknowledged").Whole(numbers_.records_acknowledged.value());
    json_.Key("bytes").Whole(numbers_.record_bytes.value());
    json_.Key("in_flight_records").Whole(numbers_.in_flight_records.value());
    json_.Key("in_flight_bytes").Whole(numbers_.in_flight_bytes.value());
    json_.Key("in_flight_limit_bytes").Whole(numbers_.in_flight_limit_bytes.value());
    json_.Key("received_lsn").Text(Lsn(numbers_.received_lsn.value()).ToString());
    json_.Key("stored_lsn").Text(Lsn(numbers_.stored_lsn.value()).ToString());
    json_.Key("confirmed_lsn").Text(Lsn(numbers_.flushed_lsn.value()).ToString());
    WriteLag();
    if (const uint64_t all = numbers_.recovery_wal_bytes.value(); all > 0) {
      json_.Key("recovery").Object().Key("wal_bytes").Whole(all);
      json_.Key("left_bytes").Whole(numbers_.recovery_left_bytes.value()).EndObject();
    }
    WriteOutboxRows(numbers_, process_.monotonic, &json_);
  }

  void WriteLag() {
    if (const std::optional<absl::Duration> lag = numbers_.lag.Read(process_.now))
      json_.Key("lag_seconds").Number(Seconds(*lag));
  }

  void WriteSlot() {
    const std::optional<metrics::SlotView> slot = numbers_.slot.Read();
    if (!slot || IsOfAnotherServer(status_)) return;
    const uint64_t stored = numbers_.stored_lsn.value(), end = slot->wal_end.value();
    if (stored > 0) json_.Key("lag_bytes").Whole(end > stored ? end - stored : 0);
    json_.Key("slot").Object();
    const std::string wal_status = slot->StatusAt(process_.monotonic);
    json_.Key("wal_status").Text(wal_status);
    if (wal_status != slot->wal_status) json_.Key("last_wal_status").Text(slot->wal_status);
    WriteSlotProblem(wal_status, slot->slot);
    json_.Key("retained_wal_bytes").Whole(slot->retained_bytes);
    json_.Key("growth_bytes_per_second").Whole(slot->growth_per_second);
    if (slot->safe_wal_bytes) json_.Key("safe_wal_bytes").Signed(*slot->safe_wal_bytes);
    if (const auto left = slot->TimeUntilLost())
      json_.Key("seconds_until_lost").Number(Seconds(*left));
    if (slot->oldest_transaction) {
      json_.Key("oldest_transaction").Text(slot->oldest_transaction->who);
      json_.Key("oldest_transaction_seconds").Number(Seconds(slot->oldest_transaction->age));
    }
    if (!slot->other_reader.empty()) json_.Key("other_reader").Text(slot->other_reader);
    if (const auto gone_on = ShownGoneOn(one_))
      WriteNotice("gone_on", gone_on->message, gone_on->hint, &json_);
    json_.Key("age_seconds").Number(Seconds(process_.monotonic - slot->looked_at));
    json_.EndObject();
  }

  // What a paused or stopped connector has no error for.
  void WriteSlotProblem(const std::string& wal_status, const std::string& slot) {
    if (wal_status != "lost" && wal_status != "missing") {
      if (const auto problem = ShownPosition(one_))
        WriteProblem(problem->reason, problem->message, problem->hint);
      return;
    }
    const bool lost = wal_status == "lost";
    if (!lost && IsToldOfMissingSlot(status_)) return;
    const absl::string_view reason = lost ? "slot_lost" : "slot_missing";
    const std::string name = slot.empty() ? "" : absl::StrCat(" \"", slot, "\"");
    const std::string message =
        lost ? absl::StrCat("replication slot", name,
                            " was invalidated: the server has removed WAL that was not read")
             : absl::StrCat("the server has no replication slot", name);
    const std::string hint =
        one_.names == nullptr ? absl::StrCat("walduct explain ", reason, " says what can be done")
                              : engine::SlotHint(reason, *one_.names, status_.state);
    WriteProblem(reason, message, hint);
  }
  void WriteProblem(absl::string_view reason, const std::string& message, const std::string& hint) {
    json_.Key("problem").Object();
    json_.Key("reason").Text(reason);
    json_.Key("message").Text(message);
    json_.Key("hint").Text(AwaitsKafka() ? absl::StrCat(kFirstKafka, hint) : hint);
    json_.EndObject();
  }

  // The connector does not end before it has heard of Kafka, and a worker takes no command.
  bool AwaitsKafka() const {
    if (process_.worker && process_.worker->wait == WorkerWait::kKafka) return true;
    const bool away = status_.last_error && !status_.last_error->solved_at &&
                      status_.last_error->reason == "broker_unavailable";
    return status_.state == engine::ConnectorState::kRunning && away;
  }

  void WriteSnapshot() {
    const metrics::SnapshotView snapshot = numbers_.snapshot.Read();
    using enum metrics::SnapshotOutcome;
    if (snapshot.outcome == kNone) return;
    const bool runs = snapshot.outcome == kRunning;
    json_.Key("snapshot").Object();
    json_.Key("outcome").Text(runs                             ? "running"
                              : snapshot.outcome == kCompleted ? "completed"
                                                               : "aborted");
    json_.Key("seconds").Number(
        Seconds((runs ? process_.monotonic : snapshot.ended) - snapshot.began));
    if (const auto left = snapshot.TimeLeft(process_.monotonic)) {
      json_.Key("seconds_left").Number(Seconds(*left));
      json_.Key("at_least").Flag(snapshot.at_least());
    }
    json_.Key("rows").Whole(snapshot.rows());
    json_.Key("rows_per_second").Number(snapshot.Rate(process_.monotonic));
    json_.Key("tables").Array();
    for (const metrics::SnapshotTable& table : snapshot.tables) WriteTable(table);
    json_.EndArray();
    json_.EndObject();
  }

  void WriteIncremental() {
    const metrics::IncrementalView view = numbers_.incremental.Read();
    if (!view.running) return;
    json_.Key("incremental_snapshot").Object();
    json_.Key("id").Text(view.id);
    json_.Key("schema").Text(view.schema);
    json_.Key("table").Text(view.table);
    json_.Key("chunks").Whole(view.chunks);
    json_.Key("rows").Whole(view.rows_before + view.rows);
    WriteProgress(view);
    json_.Key("rows_per_second").Number(view.Rate(process_.monotonic));
    json_.Key("seconds").Number(Seconds(process_.monotonic - view.began));
    if (const auto left = view.TimeLeft(process_.monotonic))
      json_.Key("seconds_left").Number(Seconds(*left));
    if (!view.held_by.empty()) {
      json_.Key("held_by").Text(view.held_by);
      json_.Key("held_seconds").Number(Seconds(process_.monotonic - view.held_since));
    }
    json_.Key("tables_waiting").Whole(view.tables_waiting);
    json_.Key("waiting").Array();
    for (const std::string& table : view.named) json_.Text(table);
    json_.EndArray();
    json_.EndObject();
  }

  // How snapshots began and ended, and signals that came to nothing; the newest first.
  void WriteLastSnapshots() {
    constexpr std::ptrdiff_t kMost = 10;
    std::vector<metrics::NotificationBoard::Entry> all = numbers_.notifications.Read();
    // By snapshot, the tables that FAILED tells of: with a sentence, so the end of the scan is not
    // told again.
    std::map<std::string, std::set<std::string>> failed;
    for (const auto& one : all)
      if (one.type == "FAILED") failed[one.id].insert(DetailOf(one, "scanned_collection"));
    std::erase_if(all, [&failed](const auto& entry) {
      if (!IsEndOfSnapshot(entry)) return true;
      const auto known = failed.find(entry.id);
      return entry.type == "TABLE_SCAN_COMPLETED" && known != failed.end() &&
             known->second.contains(DetailOf(entry, "scanned_collection"));
    });
    if (all.empty()) return;
    json_.Key("last_snapshots").Array();
    for (auto one = all.rbegin(); one != all.rend() && one - all.rbegin() < kMost; ++one) {
      json_.Object().Key("at").Text(TimeText(one->at)).Key("what").Text(one->aggregate);
      json_.Key("event").Text(one->type).Key("id").Text(one->id);
      for (const auto& [name, text] : one->details)
        if (name != "connector_name") json_.Key(name).Text(text);
      const auto known = failed.find(one->id);
      if (one->type == "COMPLETED" && known != failed.end())
        json_.Key("left_out").Text(absl::StrJoin(known->second, ", "));
      json_.EndObject();
    }
    json_.EndArray();
  }

  static std::string DetailOf(const metrics::NotificationBoard::Entry& entry,
                              absl::string_view name) {
    for (const auto& detail : entry.details)
      if (detail.first == name) return detail.second;
    return "";
  }

  static bool IsEndOfSnapshot(const metrics::NotificationBoard::Entry& entry) {
    if (entry.aggregate == "Signal") return entry.type == "REFUSED";
    for (const char* const type : {"STARTED", "COMPLETED", "ABORTED", "FAILED"})
      if (entry.type == type) return true;
    return entry.type == "TABLE_SCAN_COMPLETED" &&
           std::any_of(entry.details.begin(), entry.details.end(), [](const auto& detail) {
             return detail.first == "status" && detail.second != "SUCCEEDED";
           });
  }

  void WriteProgress(const metrics::TableProgress& table) {
    if (table.estimated_rows) json_.Key("estimated_rows").Whole(*table.estimated_rows);
    if (table.blocks) {
      json_.Key("blocks").Whole(*table.blocks);
      json_.Key("blocks_read").Whole(table.blocks_before + table.blocks_read);
    }
    if (const auto share = table.share()) {
      json_.Key("percent").Number(100 * share->value);
      json_.Key("percent_by").Text(BasisText(*share));
    }
  }

  void WriteTable(const metrics::SnapshotTable& table) {
    json_.Object();
    json_.Key("schema").Text(table.schema);
    json_.Key("table").Text(table.table);
    json_.Key("rows").Whole(table.rows);
    WriteProgress(table);
    json_.Key("chunks").Whole(table.chunks);
    json_.Key("chunks_read").Whole(table.chunks_read);
    if (table.begun) {
      const absl::Duration took = (table.done ? table.ended : process_.monotonic) - table.began;
      if (took > absl::ZeroDuration())
        json_.Key("rows_per_second").Number(static_cast<double>(table.rows) / Seconds(took));
    }
    json_.Key("state").Text(table.done ? "done" : table.begun ? "reading" : "waiting");
    json_.EndObject();
  }

  // As many as have numbers of their own: metrics::TableMetrics bounds them.
  void WriteTables() {
    json_.Key("tables").Array();
    for (const metrics::TableMetrics::View& table : numbers_.tables.Read()) {
      json_.Object();
      json_.Key("schema").Text(table.schema);
      json_.Key("table").Text(table.table);
      uint64_t bytes = 0;
      json_.Key("rows").Object();
      for (size_t i = 0; i < metrics::kEventKindLabels.size(); ++i) {
        const metrics::TableCounters::Pair& counted = table.counters->by_kind[i];
        bytes += counted.bytes.value();
        if (const uint64_t rows = counted.rows.value(); rows > 0)
          json_.Key(metrics::kEventKindLabels[i]).Whole(rows);
      }
      json_.EndObject();
      json_.Key("bytes").Whole(bytes);
      json_.EndObject();
    }
    json_.EndArray();
  }

  const ProcessView& process_;
  const ShownConnector& one_;
  const engine::ConnectorStatus& status_;
  const metrics::ConnectorMetrics& numbers_;
  JsonWriter& json_;
};

void WriteEntry(const metrics::LiveTail::Entry& entry, JsonWriter* out) {
  JsonWriter& json = *out;
  json.Object();
  json.Key("number").Whole(entry.number);
  json.Key("at").Text(TimeText(entry.at));
  json.Key("topic").Text(entry.topic);
  if (!entry.operation.empty()) json.Key("operation").Text(entry.operation);
  if (!entry.table.empty()) json.Key("table").Text(entry.table);
  if (entry.lsn.valid()) json.Key("lsn").Text(entry.lsn.ToString());
  if (entry.key_bytes) json.Key("key_bytes").Whole(*entry.key_bytes);
  if (entry.value_bytes) json.Key("value_bytes").Whole(*entry.value_bytes);
  if (entry.key) json.Key("key").Text(*entry.key);
  if (entry.value) json.Key("value").Text(*entry.value);
  json.EndObject();
}

void WriteNotification(const metrics::NotificationBoard::Entry& entry, JsonWriter* out) {
  JsonWriter& json = *out;
  json.Object();
  json.Key("number").Whole(entry.number);
  json.Key("at").Text(TimeText(entry.at));
  if (!entry.id.empty()) json.Key("id").Text(entry.id);
  json.Key("type").Text(entry.type);
  json.Key("aggregate_type").Text(entry.aggregate);
  json.Key("additional_data").Object();
  for (const auto& [name, value] : entry.details) json.Key(name).Text(value);
  json.EndObject();
  json.EndObject();
}

}  // namespace

std::string StatusJson(const ProcessView& process, absl::string_view only) {
  JsonWriter json;
  json.Object();
  json.Key("version").Text(operate::LibraryVersions().walduct);
  json.Key("now").Text(TimeText(process.now));
  if (process.worker) WriteWorker(*process.worker, &json);
  if (process.notice) WriteNotice("notice", process.notice->message, process.notice->hint, &json);
  json.Key("connectors").Array();
  for (const ShownConnector& one : process.connectors) {
    if (only.empty() || one.status.name == only)
      StatusWriter(process, one, &json).Write(/*tables=*/!only.empty());
  }
  json.EndArray();
  json.Key("resting").Array();
  for (const ShownConnector& one : process.resting) {
    if (only.empty() || one.status.name == only) StatusWriter(process, one, &json).WriteResting();
  }
  json.EndArray();
  json.EndObject();
  return json.text() + "\n";
}

std::string NotificationsJson(const ProcessView& process, absl::string_view only) {
  JsonWriter json;
  json.Object();
  json.Key("connectors").Array();
  for (const ShownConnector& one : process.connectors) {
    if (!only.empty() && one.status.name != only) continue;
    json.Object();
    json.Key("name").Text(one.status.name);
    json.Key("notifications").Array();
    for (const auto& entry : one.metrics->notifications.Read()) WriteNotification(entry, &json);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.text() + "\n";
}

std::string TailJson(const ProcessView& process, absl::string_view connector, uint64_t after,
                     bool texts) {
  const auto one =
      std::find_if(process.connectors.begin(), process.connectors.end(),
                   [&](const ShownConnector& c) { return c.status.name == connector; });
  if (one == process.connectors.end()) return "";
  JsonWriter json;
  json.Object();
  const std::vector<metrics::LiveTail::Entry> entries = one->metrics->tail.Look(after, texts);
  json.Key("records").Whole(one->metrics->records_written.value());
  json.Key("texts").Flag(texts);
  json.Key("entries").Array();
  for (const metrics::LiveTail::Entry& entry : entries) WriteEntry(entry, &json);
  json.EndArray();
  json.EndObject();
  return json.text();
}

}  // namespace walduct::admin
