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

using enum MetricType;
constexpr absl::string_view kHelp = "attribute of a bean of Debezium";
constexpr Family kConnected = {"debezium_metrics_Connected", kUntyped, kHelp};
constexpr Family kNumberOfCommittedTransactions = {"debezium_metrics_NumberOfCommittedTransactions",
                                                   kUntyped, kHelp};
constexpr Family kNumberOfUnchangedEventsSkipped = {
    "debezium_metrics_NumberOfUnchangedEventsSkipped", kUntyped, kHelp};
constexpr Family kTotalTableCount = {"debezium_metrics_TotalTableCount", kUntyped, kHelp};
constexpr Family kRemainingTableCount = {"debezium_metrics_RemainingTableCount", kUntyped, kHelp};
constexpr Family kSnapshotRunning = {"debezium_metrics_SnapshotRunning", kUntyped, kHelp};
constexpr Family kSnapshotPaused = {"debezium_metrics_SnapshotPaused", kUntyped, kHelp};
constexpr Family kSnapshotCompleted = {"debezium_metrics_SnapshotCompleted", kUntyped, kHelp};
constexpr Family kSnapshotAborted = {"debezium_metrics_SnapshotAborted", kUntyped, kHelp};
constexpr Family kSnapshotSkipped = {"debezium_metrics_SnapshotSkipped", kUntyped, kHelp};
constexpr Family kSnapshotDurationInSeconds = {"debezium_metrics_SnapshotDurationInSeconds",
                                               kUntyped, kHelp};
constexpr Family kSnapshotPausedDurationInSeconds = {
    "debezium_metrics_SnapshotPausedDurationInSeconds", kUntyped, kHelp};
constexpr Family kRowsScanned = {"debezium_metrics_RowsScanned", kUntyped, kHelp};
constexpr Family kTableChunkCounts = {"debezium_metrics_TableChunkCounts", kUntyped, kHelp};
constexpr Family kTableChunksCompletedCounts = {"debezium_metrics_TableChunksCompletedCounts",
                                                kUntyped, kHelp};
constexpr Family kTotalNumberOfEventsSeen = {"debezium_metrics_TotalNumberOfEventsSeen", kUntyped,
                                             kHelp};
constexpr Family kTotalNumberOfCreateEventsSeen = {"debezium_metrics_TotalNumberOfCreateEventsSeen",
                                                   kUntyped, kHelp};
constexpr Family kTotalNumberOfUpdateEventsSeen = {"debezium_metrics_TotalNumberOfUpdateEventsSeen",
                                                   kUntyped, kHelp};
constexpr Family kTotalNumberOfDeleteEventsSeen = {"debezium_metrics_TotalNumberOfDeleteEventsSeen",
                                                   kUntyped, kHelp};
constexpr Family kNumberOfCreateEventsSeen = {"debezium_metrics_NumberOfCreateEventsSeen", kUntyped,
                                              kHelp};
constexpr Family kNumberOfUpdateEventsSeen = {"debezium_metrics_NumberOfUpdateEventsSeen", kUntyped,
                                              kHelp};
constexpr Family kNumberOfDeleteEventsSeen = {"debezium_metrics_NumberOfDeleteEventsSeen", kUntyped,
                                              kHelp};
constexpr Family kNumberOfEventsFiltered = {"debezium_metrics_NumberOfEventsFiltered", kUntyped,
                                            kHelp};
constexpr Family kNumberOfErroneousEvents = {"debezium_metrics_NumberOfErroneousEvents", kUntyped,
                                             kHelp};
constexpr Family kMilliSecondsSinceLastEvent = {"debezium_metrics_MilliSecondsSinceLastEvent",
                                                kUntyped, kHelp};
constexpr Family kQueueTotalCapacity = {"debezium_metrics_QueueTotalCapacity", kUntyped, kHelp};
constexpr Family kQueueRemainingCapacity = {"debezium_metrics_QueueRemainingCapacity", kUntyped,
                                            kHelp};
constexpr Family kMaxQueueSizeInBytes = {"debezium_metrics_MaxQueueSizeInBytes", kUntyped, kHelp};
constexpr Family kCurrentQueueSizeInBytes = {"debezium_metrics_CurrentQueueSizeInBytes", kUntyped,
                                             kHelp};
constexpr Family kMilliSecondsBehindSource = {"debezium_metrics_MilliSecondsBehindSource", kUntyped,
                                              kHelp};
constexpr Family kMilliSecondsBehindSourceMinValue = {
    "debezium_metrics_MilliSecondsBehindSourceMinValue", kUntyped, kHelp};
constexpr Family kMilliSecondsBehindSourceMaxValue = {
    "debezium_metrics_MilliSecondsBehindSourceMaxValue", kUntyped, kHelp};
constexpr Family kMilliSecondsBehindSourceAverageValue = {
    "debezium_metrics_MilliSecondsBehindSourceAverageValue", kUntyped, kHelp};
constexpr Family kMilliSecondsBehindSourceP50 = {"debezium_metrics_MilliSecondsBehindSourceP50",
                                                 kUntyped, kHelp};
constexpr Family kMilliSecondsBehindSourceP95 = {"debezium_metrics_MilliSecondsBehindSourceP95",
                                                 kUntyped, kHelp};
constexpr Family kMilliSecondsBehindSourceP99 = {"debezium_metrics_MilliSecondsBehindSourceP99",
                                                 kUntyped, kHelp};

// Records that Debezium's queue holds by default; ours is bounded in bytes.
constexpr double kQueueRecords = 8192;

class DebeziumSeries {
 public:
  DebeziumSeries(const Scene& scene, const ConnectorScene& one, absl::string_view context,
                 Exposition* out)
      : scene_(scene),
        numbers_(*one.metrics),
        name_(one.metric_name),
        per_table_(one.counts_per_table),
        context_(context),
        out_(*out) {}

  void AddStreaming() {
    AddEvents(false);
    AddQueue();
    Put(kConnected, numbers_.connected.value());
    // It counts the changes from one transaction to the next.
    const uint64_t transactions = numbers_.transactions_with_records.value();
    Put(kNumberOfCommittedTransactions, transactions > 0 ? transactions - 1 : 0);
    Put(kNumberOfUnchangedEventsSkipped, -1.0);
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
    for (const auto& [table, scanned] : rows) PutOf(kRowsScanned, table, scanned);
    for (const metrics::SnapshotTable& table : snapshot.tables) {
      if (table.chunks <= 1 || !rows.contains(absl::StrCat(table.schema, ".", table.table)))
        continue;
      const std::string name = absl::StrCat(table.schema, ".", table.table);
      PutOf(kTableChunkCounts, name, table.chunks);
      PutOf(kTableChunksCompletedCounts, name, table.chunks_read);
    }
  }

 private:
  Labels Common() const { return {{"context", context_}, {"name", name_}, {"plugin", "postgres"}}; }
  template <typename Number>
  void Put(const Family& family, Number value) {
    out_.Add(family, Common(), value);
  }
  void PutOf(const Family& family, const std::string& table, uint64_t value) {
    Labels labels = Common();
    labels.emplace_back("table", table);
    out_.Add(family, labels, value);
  }

  // Of the tables that had such changes. The exporter's rules leave a table's key in the name.
  void AddTables() {
    constexpr std::pair<EventKind, const Family*> kSeen[] = {
        {EventKind::kCreate, &kNumberOfCreateEventsSeen},
        {EventKind::kUpdate, &kNumberOfUpdateEventsSeen},
        {EventKind::kDelete, &kNumberOfDeleteEventsSeen}};
    for (const metrics::TableMetrics::View& table : numbers_.tables.Read()) {
      if (table.table.empty()) continue;  // all beyond the bound
      const std::string name = absl::StrCat(name_, ", key=", table.schema, ".", table.table);
      const Labels labels = {{"context", context_}, {"name", name}, {"plugin", "postgres"}};
      for (const auto& [kind, family] : kSeen) {
        const uint64_t rows = table.counters->by_kind[static_cast<size_t>(kind)].rows.value();
        if (rows > 0) out_.Add(*family, labels, rows);
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
    Put(kTotalTableCount, total);
    Put(kRemainingTableCount, left);
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
    const absl::Duration end = outcome == kRunning ? scene_.monotonic : ended;
    absl::Duration paused = incremental ? run.paused : absl::ZeroDuration();
    if (incremental && run.paused_since) paused += scene_.monotonic - *run.paused_since;
    const auto flag = [](bool value) { return uint64_t{value ? 1u : 0u}; };
    const auto seconds = [](absl::Duration time) {
      return static_cast<uint64_t>(absl::ToInt64Seconds(time));
    };
    Put(kSnapshotRunning, flag(outcome == kRunning));
    Put(kSnapshotPaused, flag(incremental && run.paused_since.has_value()));
    Put(kSnapshotCompleted, flag(outcome == kCompleted));
    Put(kSnapshotAborted, flag(outcome == kAborted));
    Put(kSnapshotSkipped, flag(outcome == kNone && numbers_.connected.value() > 0));
    Put(kSnapshotDurationInSeconds, seconds(end - began));
    Put(kSnapshotPausedDurationInSeconds, seconds(paused));
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
    Put(kTotalNumberOfEventsSeen, all);
    Put(kTotalNumberOfCreateEventsSeen, creates);
    Put(kTotalNumberOfUpdateEventsSeen, updates);
    Put(kTotalNumberOfDeleteEventsSeen, deletes);
    using enum metrics::FilterRule;
    const uint64_t operations = std::max(Filtered(kSkippedOperation), skipped) - skipped;
    Put(kNumberOfEventsFiltered, snapshot ? 0 : Filtered(kNotCaptured) + operations);
    uint64_t errors = 0;
    for (const metrics::Counter& counter : numbers_.record_errors) errors += counter.value();
    Put(kNumberOfErroneousEvents, snapshot ? 0 : errors);
    const metrics::Gauge& last = snapshot ? numbers_.last_read_us : numbers_.last_change_us;
    Put(kMilliSecondsSinceLastEvent, Since(last));
  }

  double Since(const metrics::Gauge& last) const {
    const auto at = static_cast<int64_t>(last.value());
    if (at == 0) return -1;
    return std::max(0.0, absl::ToDoubleMilliseconds(
                             absl::Trunc(scene_.now - absl::FromUnixMicros(at), kMillisecond)));
  }

  // Its share that is free is that of the bytes.
  void AddQueue() {
    const auto limit = static_cast<double>(numbers_.in_flight_limit_bytes.value());
    const auto held = static_cast<double>(numbers_.in_flight_bytes.value());
    const double free = limit > 0 ? std::clamp(1 - held / limit, 0.0, 1.0) : 1;
    Put(kQueueTotalCapacity, kQueueRecords);
    Put(kQueueRemainingCapacity, std::floor(kQueueRecords * free));
    Put(kMaxQueueSizeInBytes, limit);
    Put(kCurrentQueueSizeInBytes, held);
  }

  void AddLag() {
    const metrics::Summary& lag = numbers_.source_lag;
    Put(kMilliSecondsBehindSource, lag.last() ? static_cast<double>(*lag.last()) : -1.0);
    PutIf(kMilliSecondsBehindSourceMinValue, lag.min());
    PutIf(kMilliSecondsBehindSourceMaxValue, lag.max());
    PutIf(kMilliSecondsBehindSourceAverageValue, lag.mean());
    PutIf(kMilliSecondsBehindSourceP50, lag.Quantile(0.50));
    PutIf(kMilliSecondsBehindSourceP95, lag.Quantile(0.95));
    PutIf(kMilliSecondsBehindSourceP99, lag.Quantile(0.99));
  }
  void PutIf(const Family& family, std::optional<uint64_t> value) {
    if (value) Put(family, *value);
  }

  static constexpr absl::Duration kMillisecond = absl::Milliseconds(1);

  const Scene& scene_;
  const metrics::ConnectorMetrics& numbers_;
  const std::string& name_;
  const bool per_table_;
  const absl::string_view context_;
  Exposition& out_;
};

}  // namespace

void AddDebeziumSeries(const Scene& scene, Exposition* out) {
  for (const ConnectorScene& one : scene.connectors) {
    if (!one.has_task()) continue;
    DebeziumSeries(scene, one, "snapshot", out).AddSnapshot();
    DebeziumSeries(scene, one, "streaming", out).AddStreaming();
  }
}

}  // namespace walduct::admin
