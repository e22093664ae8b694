// Debezium's beans by the rules of its monitoring example, attribute by attribute. Both contexts
// are there from the start of a task to its end, as the beans are. A value that Debezium leaves
// null is absent.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "admin/series.h"

namespace walduct::admin {
namespace {

using metrics::EventKind;

// Records that Debezium's queue holds by default; ours is bounded in bytes.
constexpr double kQueueRecords = 8192;

class DebeziumSeries {
 public:
  DebeziumSeries(const ProcessView& process, const ShownConnector& one, absl::string_view context,
                 MetricText* out)
      : process_(process),
        numbers_(*one.metrics),
        name_(one.metric_name),
        per_table_(one.counts_per_table),
        context_(context),
        out_(*out) {}

  void AddStreaming() {
    AddEvents(false);
    AddQueue();
    Put("debezium_metrics_Connected", numbers_.connected.value());
    // It counts the changes from one transaction to the next.
    const uint64_t transactions = numbers_.transactions_with_records.value();
    Put("debezium_metrics_NumberOfCommittedTransactions", transactions > 0 ? transactions - 1 : 0);
    Put("debezium_metrics_NumberOfUnchangedEventsSkipped", -1.0);
    AddLag();
    if (per_table_) AddTables();
  }

  void AddSnapshot() {
    AddEvents(true);
    AddQueue();
    const metrics::SnapshotView snapshot = numbers_.snapshot.Read();
    const metrics::IncrementalRuns::View run = numbers_.incremental_runs.Read();
    AddCounts(snapshot, run);
    AddOutcome(snapshot, run);
    std::map<std::string, uint64_t> rows = run.tables;
    for (const metrics::SnapshotTable& table : snapshot.tables) {
      if (rows.size() >= metrics::TableMetrics::kMaxTables) break;
      rows.emplace(absl::StrCat(table.schema, ".", table.table), table.rows);
    }
    for (const auto& [table, scanned] : rows) PutOf("debezium_metrics_RowsScanned", table, scanned);
    for (const metrics::SnapshotTable& table : snapshot.tables) {
      if (table.chunks <= 1 || !rows.contains(absl::StrCat(table.schema, ".", table.table)))
        continue;
      const std::string name = absl::StrCat(table.schema, ".", table.table);
      PutOf("debezium_metrics_TableChunkCounts", name, table.chunks);
      PutOf("debezium_metrics_TableChunksCompletedCounts", name, table.chunks_read);
    }
  }

 private:
  Labels Common() const { return {{"context", context_}, {"name", name_}, {"plugin", "postgres"}}; }
  // The name is a literal.
  template <typename Number>
  void Put(absl::string_view name, Number value, const Labels& labels) {
    out_.Add({name, MetricType::kUntyped, "attribute of a bean of Debezium"}, labels, value);
  }
  template <typename Number>
  void Put(absl::string_view name, Number value) {
    Put(name, value, Common());
  }
  void PutOf(absl::string_view name, const std::string& table, uint64_t value) {
    Labels labels = Common();
    labels.emplace_back("table", table);
    Put(name, value, labels);
  }

  // Of the tables that had such changes. The exporter's rules leave a table's key in the name.
  void AddTables() {
    constexpr std::pair<EventKind, absl::string_view> kSeen[] = {
        {EventKind::kCreate, "debezium_metrics_NumberOfCreateEventsSeen"},
        {EventKind::kUpdate, "debezium_metrics_NumberOfUpdateEventsSeen"},
        {EventKind::kDelete, "debezium_metrics_NumberOfDeleteEventsSeen"}};
    for (const metrics::TableMetrics::View& table : numbers_.tables.Read()) {
      if (table.table.empty()) continue;  // all beyond the bound
      const std::string name = absl::StrCat(name_, ", key=", table.schema, ".", table.table);
      const Labels labels = {{"context", context_}, {"name", name}, {"plugin", "postgres"}};
      for (const auto& [kind, family] : kSeen) {
        const uint64_t rows = table.counters->by_kind[static_cast<size_t>(kind)].rows.value();
        if (rows > 0) Put(family, rows, labels);
      }
    }
  }

  // The tables of both, each once.
  void AddCounts(const metrics::SnapshotView& snapshot, const metrics::IncrementalRuns::View& run) {
    uint64_t total = run.tables.size(), left = run.remaining;
    for (const metrics::SnapshotTable& table : snapshot.tables) {
      total += run.tables.contains(absl::StrCat(table.schema, ".", table.table)) ? 0 : 1;
      left += table.done ? 0 : 1;
    }
    Put("debezium_metrics_TotalTableCount", total);
    Put("debezium_metrics_RemainingTableCount", left);
  }

  // Of the one that began last.
  void AddOutcome(const metrics::SnapshotView& snapshot,
                  const metrics::IncrementalRuns::View& run) {
    using enum metrics::SnapshotOutcome;
    const bool incremental =
        run.outcome != kNone && (snapshot.outcome == kNone || run.began >= snapshot.began);
    const metrics::SnapshotOutcome outcome = incremental ? run.outcome : snapshot.outcome;
    const absl::Duration began = incremental ? run.began : snapshot.began;
    const absl::Duration ended = incremental ? run.ended : snapshot.ended;
    const absl::Duration end = outcome == kRunning ? process_.monotonic : ended;
    absl::Duration paused = incremental ? run.paused : absl::ZeroDuration();
    if (incremental && run.paused_since) paused += process_.monotonic - *run.paused_since;
    const auto flag = [](bool value) { return uint64_t{value ? 1u : 0u}; };
    const auto seconds = [](absl::Duration time) {
      return static_cast<uint64_t>(absl::ToInt64Seconds(time));
    };
    Put("debezium_metrics_SnapshotRunning", flag(outcome == kRunning));
    Put("debezium_metrics_SnapshotPaused", flag(incremental && run.paused_since.has_value()));
    Put("debezium_metrics_SnapshotCompleted", flag(outcome == kCompleted));
    Put("debezium_metrics_SnapshotAborted", flag(outcome == kAborted));
    Put("debezium_metrics_SnapshotSkipped",
        flag(outcome == kNone && numbers_.connected.value() > 0));
    Put("debezium_metrics_SnapshotDurationInSeconds", seconds(end - began));
    Put("debezium_metrics_SnapshotPausedDurationInSeconds", seconds(paused));
  }

  uint64_t Seen(EventKind kind) const {
    return numbers_.events_seen[static_cast<size_t>(kind)].value();
  }
  uint64_t Filtered(metrics::FilterRule rule) const {
    return numbers_.events_filtered[static_cast<size_t>(rule)].value();
  }

  // Rows of a snapshot count as events, but not as creates.
  void AddEvents(bool snapshot) {
    const uint64_t skipped = numbers_.truncates_skipped.value();
    const uint64_t truncates = std::max(Seen(EventKind::kTruncate), skipped) - skipped;
    const uint64_t creates = snapshot ? 0 : Seen(EventKind::kCreate);
    const uint64_t updates = snapshot ? 0 : Seen(EventKind::kUpdate);
    const uint64_t deletes = snapshot ? 0 : Seen(EventKind::kDelete);
    const uint64_t all = snapshot
                             ? Seen(EventKind::kRead)
                             : creates + updates + deletes + truncates + Seen(EventKind::kMessage);
    Put("debezium_metrics_TotalNumberOfEventsSeen", all);
    Put("debezium_metrics_TotalNumberOfCreateEventsSeen", creates);
    Put("debezium_metrics_TotalNumberOfUpdateEventsSeen", updates);
    Put("debezium_metrics_TotalNumberOfDeleteEventsSeen", deletes);
    using enum metrics::FilterRule;
    const uint64_t operations = std::max(Filtered(kSkippedOperation), skipped) - skipped;
    Put("debezium_metrics_NumberOfEventsFiltered",
        snapshot ? 0 : Filtered(kNotCaptured) + operations);
    Put("debezium_metrics_NumberOfErroneousEvents", snapshot ? 0 : numbers_.ErroneousRecords());
    const metrics::Gauge& last = snapshot ? numbers_.last_read_us : numbers_.last_change_us;
    Put("debezium_metrics_MilliSecondsSinceLastEvent", Since(last));
  }

  double Since(const metrics::Gauge& last) const {
    const auto at = static_cast<int64_t>(last.value());
    if (at == 0) return -1;
    return std::max(0.0, absl::ToDoubleMilliseconds(
                             absl::Trunc(process_.now - absl::FromUnixMicros(at), kMillisecond)));
  }

  // Its share that is free is that of the bytes.
  void AddQueue() {
    const auto limit = static_cast<double>(numbers_.in_flight_limit_bytes.value());
    const auto held = static_cast<double>(numbers_.in_flight_bytes.value());
    const double free = limit > 0 ? std::clamp(1 - held / limit, 0.0, 1.0) : 1;
    Put("debezium_metrics_QueueTotalCapacity", kQueueRecords);
    Put("debezium_metrics_QueueRemainingCapacity", std::floor(kQueueRecords * free));
    Put("debezium_metrics_MaxQueueSizeInBytes", limit);
    Put("debezium_metrics_CurrentQueueSizeInBytes", held);
  }

  void AddLag() {
    const metrics::Summary& lag = numbers_.source_lag;
    Put("debezium_metrics_MilliSecondsBehindSource",
        lag.last() ? static_cast<double>(*lag.last()) : -1.0);
    PutIf("debezium_metrics_MilliSecondsBehindSourceMinValue", lag.min());
    PutIf("debezium_metrics_MilliSecondsBehindSourceMaxValue", lag.max());
    PutIf("debezium_metrics_MilliSecondsBehindSourceAverageValue", lag.mean());
    PutIf("debezium_metrics_MilliSecondsBehindSourceP50", lag.Quantile(0.50));
    PutIf("debezium_metrics_MilliSecondsBehindSourceP95", lag.Quantile(0.95));
    PutIf("debezium_metrics_MilliSecondsBehindSourceP99", lag.Quantile(0.99));
  }
  void PutIf(absl::string_view name, std::optional<uint64_t> value) {
    if (value) Put(name, *value);
  }

  static constexpr absl::Duration kMillisecond = absl::Milliseconds(1);

  const ProcessView& process_;
  const metrics::ConnectorMetrics& numbers_;
  const std::string& name_;
  const bool per_table_;
  const absl::string_view context_;
  MetricText& out_;
};

}  // namespace

void AddDebeziumSeries(const ProcessView& process, MetricText* out) {
  for (const ShownConnector& one : process.connectors) {
    if (!one.has_task()) continue;
    DebeziumSeries(process, one, "snapshot", out).AddSnapshot();
    DebeziumSeries(process, one, "streaming", out).AddStreaming();
  }
}

}  // namespace walduct::admin
