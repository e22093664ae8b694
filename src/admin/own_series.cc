#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "admin/health.h"
#include "admin/series.h"
#include "operate/commands/version.h"

namespace walduct::admin {
namespace {

using enum MetricType;

constexpr Family kBuildInfo = {"walduct_build_info", kGauge, "1; the version is in the labels"};
constexpr Family kState = {"walduct_connector_state", kGauge,
                           "1 for the state that the connector is in, 0 for the others"};
constexpr Family kStateSeconds = {"walduct_connector_state_seconds", kGauge,
                                  "for how long it has been in its state"};
constexpr Family kActivity = {"walduct_connector_activity", kGauge,
                              "1; the label says what a running connector is doing"};
constexpr Family kWaiting = {"walduct_connector_waiting_seconds", kGauge,
                             "for how long it has been waiting for what the label says"};
constexpr Family kLoopAge = {"walduct_loop_age_seconds", kGauge,
                             "since the data thread has turned last; absent while it rests"};
constexpr Family kStall = {"walduct_stall_seconds", kGauge,
                           "for how long nothing has progressed, by what is waited for"};
constexpr Family kLastError = {"walduct_last_error_timestamp_seconds", kGauge,
                               "when the last error came, since the Unix epoch"};
constexpr Family kErrorOpen = {"walduct_error_open", kGauge,
                               "1 until the stream has passed the last error, then 0"};
constexpr Family kRetries = {"walduct_retries_total", kCounter,
                             "attempts that failed and were followed by another"};
constexpr Family kOutboxFailed = {"walduct_outbox_failed_attempts_total", kCounter,
                                  "attempts to publish a row of an outbox table that failed"};
constexpr Family kUnpublished = {
    "walduct_outbox_unpublished", kGauge,
    "rows of outbox tables that are polled and are not published, without parked ones"};
constexpr Family kParked = {"walduct_outbox_parked", kGauge,
                            "rows of outbox tables whose attempts are used up"};
constexpr Family kOldestRow = {"walduct_outbox_oldest_seconds", kGauge,
                               "age of the oldest row that is not published, parked ones aside"};
constexpr Family kBacklogAge = {"walduct_outbox_look_age_seconds", kGauge,
                                "since rows of outbox tables were counted last"};
constexpr Family kClaim = {"walduct_outbox_claim_seconds", kHistogram,
                           "claims of rows of outbox tables, by the time the statement takes"};
constexpr Family kMark = {"walduct_outbox_mark_seconds", kHistogram,
                          "statements that mark, delete or move published rows of outbox tables, "
                          "by the time they take"};
constexpr Family kDeadRows = {"walduct_outbox_dead_rows", kGauge,
                              "rows of outbox tables that are dead and not vacuumed away"};
constexpr Family kSnapshotHeld = {
    "walduct_outbox_snapshot_held_seconds", kGauge,
    "for how long somebody has held the oldest snapshot, which keeps rows from being vacuumed"};
constexpr Family kNotifyQueue = {"walduct_outbox_notify_queue_ratio", kGauge,
                                 "how much of the server's queue of notifications is used"};
constexpr Family kLagBytes = {"walduct_lag_bytes", kGauge,
                              "WAL of the server behind the stored position"};
constexpr Family kLagSeconds = {"walduct_lag_seconds", kGauge,
                                "age of the oldest change that is committed and not acknowledged "
                                "by the sink; 0: there is none"};
constexpr Family kDelivery = {"walduct_delivery_seconds", kHistogram,
                              "records, by the time from their commit to their acknowledgement"};
constexpr Family kWalStatus = {"walduct_slot_wal_status", kGauge,
                               "1 for the wal_status of the slot, 0 for the others"};
constexpr Family kPosition = {
    "walduct_slot_position_problem", kGauge,
    "1 for why a connector that does not read could not go on from its stored "
    "position, by reason, 0 for the others"};
constexpr Family kSafeWal = {
    "walduct_slot_safe_wal_bytes", kGauge,
    "safe_wal_size: WAL until the slot is lost; absent: there is no limit"};
constexpr Family kSafeWalLeft = {"walduct_safe_wal_bytes", kGauge,
                                 "the same, 0 when none is left; absent: there is no limit"};
constexpr Family kGrowth = {"walduct_slot_growth_bytes_per_second", kGauge,
                            "growth of the WAL that the server keeps for the slot"};
constexpr Family kUntilLost = {"walduct_slot_seconds_until_lost", kGauge,
                               "until the slot is lost at this rate; absent: it is not"};
constexpr Family kOldestTransaction = {
    "walduct_oldest_transaction_seconds", kGauge,
    "age of the oldest open transaction with changes: the server keeps WAL since its beginning"};
constexpr Family kSlotAge = {"walduct_slot_look_age_seconds", kGauge,
                             "since the server was asked about the slot"};
constexpr Family kCapture = {"walduct_capture_problems", kGauge,
                             "tables whose changes do not come as they should, by reason"};
constexpr Family kCaptureAge = {"walduct_capture_look_age_seconds", kGauge,
                                "since the catalog was asked whether they do"};
constexpr Family kBeside = {"walduct_beside_failing_seconds", kGauge,
                            "since when what is done beside the stream has failed, or waits for a "
                            "lock; 0: it works"};
constexpr Family kTableRows = {"walduct_table_rows_total", kCounter,
                               "changes of a table that were published"};
constexpr Family kTableBytes = {"walduct_table_bytes_total", kCounter,
                                "bytes of keys and values that were published of a table"};
constexpr Family kSinkRecords = {"walduct_sink_records_total", kCounter,
                                 "records that the sink has acknowledged, by destination"};
constexpr Family kSinkBytes = {"walduct_sink_bytes_total", kCounter,
                               "bytes of their keys and values"};
constexpr Family kSinkRefused = {"walduct_sink_refused_total", kCounter,
                                 "records that the sink has refused, by destination"};
constexpr Family kSinkInFlight = {
    "walduct_sink_in_flight_records", kGauge,
    "records that were handed to the sink and are not acknowledged, by destination"};
constexpr Family kSinkLast = {"walduct_sink_last_acknowledged_timestamp_seconds", kGauge,
                              "when the sink has acknowledged one last, since the Unix epoch"};
constexpr Family kSnapshotTableRows = {"walduct_snapshot_table_rows", kGauge,
                                       "rows of a table that the snapshot has read"};
constexpr Family kSnapshotTableEstimate = {"walduct_snapshot_table_estimated_rows", kGauge,
                                           "rows of that table by the server's statistics"};
constexpr Family kSnapshotTableRead = {
    "walduct_snapshot_table_read_ratio", kGauge,
    "how much of a table the snapshot has read, by its blocks or by the estimate of its rows"};
constexpr Family kSnapshotTableChunks = {"walduct_snapshot_table_chunks", kGauge,
                                         "statements by which the snapshot reads a table"};
constexpr Family kSnapshotTableChunksRead = {"walduct_snapshot_table_chunks_read", kGauge,
                                             "those that are read"};
constexpr Family kSnapshotRate = {"walduct_snapshot_rows_per_second", kGauge,
                                  "rows that the running or last snapshot has read a second"};
constexpr Family kIncrementalRead = {
    "walduct_incremental_read_ratio", kGauge,
    "how much of its table the incremental snapshot has read, by blocks or by estimated rows"};
constexpr Family kIncrementalRate = {"walduct_incremental_rows_per_second", kGauge,
                                     "rows of its table that are read a second"};
constexpr Family kIncrementalLeft = {"walduct_incremental_seconds_left", kGauge,
                                     "until the incremental snapshot has read its table"};
constexpr Family kSnapshotSeconds = {"walduct_snapshot_seconds", kGauge,
                                     "how long the running or last snapshot has taken"};
constexpr Family kSnapshotLeft = {"walduct_snapshot_seconds_left", kGauge,
                                  "until the snapshot has read all rows, by the statistics"};

constexpr engine::ConnectorState kStates[] = {
    engine::ConnectorState::kUnassigned, engine::ConnectorState::kRunning,
    engine::ConnectorState::kPaused,     engine::ConnectorState::kStopped,
    engine::ConnectorState::kFailed,     engine::ConnectorState::kRestarting};
constexpr absl::string_view kWalStatuses[] = {"reserved", "extended", "unreserved", "lost",
                                              "missing",  "none",     "unknown"};

double Seconds(absl::Duration duration) { return absl::ToDoubleSeconds(duration); }

class OwnSeries {
 public:
  OwnSeries(const ProcessView& process, const ShownConnector& one, MetricText* out)
      : process_(process), one_(one), name_(one.status.name), out_(*out) {}

  // Of one that rests there is no more.
  void AddResting() {
    AddState();
    AddTrouble();
    AddCapture();
    AddBeside();
    AddLag();
    AddSlot();
    AddBacklog();
    AddOutboxServer();
  }

  void AddAll() {
    AddNumbers();
    AddState();
    AddTrouble();
    out_.Add(kDelivery, {{"connector", name_}}, one_.metrics->delivery_latency);
    AddLag();
    AddSlot();
    AddBacklog();
    AddOutboxServer();
    AddCapture();
    AddBeside();
    AddTables();
    AddDestinations();
    AddSnapshot();
    AddIncremental();
  }

 private:
  void AddNumbers() {
    for (const metrics::Sample& sample : one_.metrics->Snapshot()) {
      const Family family = {sample.name->name,
                             sample.name->kind == metrics::Kind::kCounter ? kCounter : kGauge,
                             sample.name->meaning};
      Labels labels = {{"connector", name_}};
      if (!sample.name->label.empty()) labels.emplace_back(sample.name->label, sample.label);
      out_.Add(family, labels, sample.value);
    }
  }

  void AddState() {
    const engine::ConnectorStatus& status = one_.status;
    for (const engine::ConnectorState state : kStates) {
      const std::string word = absl::AsciiStrToLower(engine::StateText(state));
      out_.Add(kState, {{"connector", name_}, {"state", word}},
               uint64_t{status.state == state ? 1u : 0u});
    }
    out_.Add(kStateSeconds, {{"connector", name_}}, Seconds(process_.now - status.state_since));
    out_.Add(kActivity, {{"connector", name_}, {"activity", engine::ActivityText(status.activity)}},
             uint64_t{1});
    if (status.wait != engine::WaitReason::kNothing) {
      out_.Add(kWaiting, {{"connector", name_}, {"for", engine::WaitText(status.wait)}},
               Seconds(process_.now - status.wait_since));
    }
    if (!status.rests())
      out_.Add(kLoopAge, {{"connector", name_}}, Seconds(process_.monotonic - status.turned));
  }

  void AddTrouble() {
    const engine::ConnectorStatus& status = one_.status;
    if (status.stall) {
      out_.Add(kStall, {{"connector", name_}, {"waiting_for", status.stall->kind}},
               Seconds(process_.now - status.stall->since));
    }
    if (status.last_error) {
      out_.Add(kLastError, {{"connector", name_}, {"reason", status.last_error->reason}},
               Seconds(status.last_error->at - absl::UnixEpoch()));
      out_.Add(kErrorOpen, {{"connector", name_}, {"reason", status.last_error->reason}},
               uint64_t{status.last_error->solved_at ? 0u : 1u});
    }
    for (const auto& [reason, count] : one_.metrics->retries.Read())
      out_.Add(kRetries, {{"connector", name_}, {"reason", reason}}, count);
    for (const auto& [reason, count] : one_.metrics->outbox_failed.Read())
      out_.Add(kOutboxFailed, {{"connector", name_}, {"reason", reason}}, count);
  }

  void AddLag() {
    const metrics::ConnectorMetrics& numbers = *one_.metrics;
    if (const std::optional<absl::Duration> lag = numbers.lag.Read(process_.now))
      out_.Add(kLagSeconds, {{"connector", name_}}, Seconds(*lag));
    const std::optional<metrics::SlotView> slot = numbers.slot.Read();
    const uint64_t stored = numbers.stored_lsn.value();
    if (slot && stored > 0) {
      const uint64_t end = slot->wal_end.value();
      out_.Add(kLagBytes, {{"connector", name_}}, end > stored ? end - stored : 0);
    }
  }

  void AddSlot() {
    const std::optional<metrics::SlotView> slot = one_.metrics->slot.Read();
    if (!slot) return;
    const std::string wal_status = slot->StatusAt(process_.monotonic);
    for (const absl::string_view status : kWalStatuses) {
      if (wal_status.empty()) break;
      out_.Add(kWalStatus, {{"connector", name_}, {"status", status}},
               uint64_t{wal_status == status ? 1u : 0u});
    }
    const std::optional<metrics::PositionProblem> problem = ShownPosition(one_);
    for (const absl::string_view reason : metrics::kPositionReasons) {
      out_.Add(kPosition, {{"connector", name_}, {"reason", reason}},
               uint64_t{problem && problem->reason == reason ? 1u : 0u});
    }
    const Labels labels = {{"connector", name_}};
    if (slot->safe_wal_bytes) {
      out_.Add(kSafeWal, labels, static_cast<double>(*slot->safe_wal_bytes));
      out_.Add(kSafeWalLeft, labels,
               static_cast<double>(std::max<int64_t>(*slot->safe_wal_bytes, 0)));
    }
    out_.Add(kGrowth, labels, slot->growth_per_second);
    if (const auto left = slot->TimeUntilLost()) out_.Add(kUntilLost, labels, Seconds(*left));
    if (slot->oldest_transaction)
      out_.Add(kOldestTransaction, labels, Seconds(slot->oldest_transaction->age));
    out_.Add(kSlotAge, labels, Seconds(process_.monotonic - slot->looked_at));
  }

  void AddBacklog() {
    const auto view = one_.metrics->backlog.Read(process_.monotonic);
    if (!view) return;
    const Labels labels = {{"connector", name_}};
    out_.Add(kOldestRow, labels, Seconds(view->oldest));
    out_.Add(kBacklogAge, labels, Seconds(process_.monotonic - view->counted_at));
    out_.Add(kClaim, labels, one_.metrics->outbox_claim);
    out_.Add(kMark, labels, one_.metrics->outbox_mark);
    if (!view->counted) return;
    out_.Add(kUnpublished, labels, view->unpublished);
    out_.Add(kParked, labels, view->parked);
  }

  void AddOutboxServer() {
    const auto view = one_.metrics->outbox_server.Read();
    if (!view) return;
    const Labels labels = {{"connector", name_}};
    if (view->queue_used) out_.Add(kNotifyQueue, labels, *view->queue_used);
    if (!view->dead_rows) return;
    out_.Add(kDeadRows, labels, *view->dead_rows);
    out_.Add(kSnapshotHeld, labels, Seconds(view->held));
  }

  void AddCapture() {
    const std::optional<metrics::CaptureView> view = one_.metrics->capture.Read();
    if (!view) return;
    for (const absl::string_view reason : metrics::kCaptureReasons) {
      uint64_t count = 0;
      for (const metrics::CaptureProblem& problem : view->problems)
        if (problem.loses && problem.reason == reason) count += problem.count;
      out_.Add(kCapture, {{"connector", name_}, {"reason", reason}}, count);
    }
    out_.Add(kCaptureAge, {{"connector", name_}}, Seconds(process_.monotonic - view->looked_at));
  }

  void AddBeside() {
    for (const metrics::BesideTrouble& one : one_.metrics->beside.Read()) {
      out_.Add(kBeside, {{"connector", name_}, {"what", one.what}},
               one.since ? Seconds(process_.now - *one.since) : 0);
    }
  }

  void AddTables() {
    for (const metrics::TableMetrics::View& table : one_.metrics->tables.Read()) {
      for (size_t i = 0; i < metrics::kEventKindLabels.size(); ++i) {
        const metrics::TableCounters::Pair& pair = table.counters->by_kind[i];
        if (pair.rows.value() == 0) continue;
        const Labels labels = {{"connector", name_},
                               {"schema", table.schema},
                               {"table", table.table},
                               {"operation", metrics::kEventKindLabels[i]}};
        out_.Add(kTableRows, labels, pair.rows.value());
        out_.Add(kTableBytes, labels, pair.bytes.value());
      }
    }
  }

  void AddDestinations() {
    for (const metrics::DestinationMetrics::View& one : one_.metrics->destinations.Read()) {
      const metrics::DestinationCounters& counters = *one.counters;
      const Labels labels = {{"connector", name_}, {"destination", one.destination}};
      out_.Add(kSinkRecords, labels, counters.records.value());
      out_.Add(kSinkBytes, labels, counters.bytes.value());
      out_.Add(kSinkRefused, labels, counters.refused.value());
      out_.Add(kSinkInFlight, labels, counters.in_flight.value());
      if (const uint64_t last = counters.last_acknowledged_us.value(); last > 0)
        out_.Add(kSinkLast, labels, static_cast<double>(last) / 1e6);
    }
  }

  void AddSnapshot() {
    const metrics::SnapshotView snapshot = one_.metrics->snapshot.Read();
    if (snapshot.outcome == metrics::SnapshotOutcome::kNone) return;
    const bool runs = snapshot.outcome == metrics::SnapshotOutcome::kRunning;
    const absl::Duration elapsed = (runs ? process_.monotonic : snapshot.ended) - snapshot.began;
    out_.Add(kSnapshotSeconds, {{"connector", name_}}, Seconds(elapsed));
    if (const auto left = snapshot.TimeLeft(process_.monotonic))
      out_.Add(kSnapshotLeft, {{"connector", name_}}, Seconds(*left));
    out_.Add(kSnapshotRate, {{"connector", name_}}, snapshot.Rate(process_.monotonic));
    size_t shown = 0;
    for (const metrics::SnapshotTable& table : snapshot.tables) {
      if (++shown > metrics::TableMetrics::kMaxTables) break;
      const Labels labels = {
          {"connector", name_}, {"schema", table.schema}, {"table", table.table}};
      out_.Add(kSnapshotTableRows, labels, table.rows);
      if (table.estimated_rows) out_.Add(kSnapshotTableEstimate, labels, *table.estimated_rows);
      AddShare(kSnapshotTableRead, labels, table);
      out_.Add(kSnapshotTableChunks, labels, uint64_t{table.chunks});
      out_.Add(kSnapshotTableChunksRead, labels, uint64_t{table.chunks_read});
    }
  }

  void AddIncremental() {
    const metrics::IncrementalView view = one_.metrics->incremental.Read();
    if (!view.running) return;
    const Labels labels = {{"connector", name_}, {"schema", view.schema}, {"table", view.table}};
    AddShare(kIncrementalRead, labels, view);
    out_.Add(kIncrementalRate, {{"connector", name_}}, view.Rate(process_.monotonic));
    if (const auto left = view.TimeLeft(process_.monotonic))
      out_.Add(kIncrementalLeft, {{"connector", name_}}, Seconds(*left));
  }

  void AddShare(const Family& family, Labels labels, const metrics::TableProgress& table) {
    const std::optional<metrics::ReadShare> share = table.share();
    if (!share) return;
    labels.emplace_back("by", BasisText(*share));
    out_.Add(family, labels, share->value);
  }

  const ProcessView& process_;
  const ShownConnector& one_;
  const std::string& name_;
  MetricText& out_;
};

}  // namespace

void AddOwnSeries(const ProcessView& process, MetricText* out) {
  const operate::Versions versions = operate::LibraryVersions();
  out->Add(kBuildInfo,
           {{"version", versions.walduct},
            {"debezium", versions.debezium},
            {"librdkafka", versions.librdkafka},
            {"libpq", versions.libpq}},
           uint64_t{1});
  for (const ShownConnector& one : process.connectors) OwnSeries(process, one, out).AddAll();
  for (const ShownConnector& one : process.resting) OwnSeries(process, one, out).AddResting();
}

}  // namespace walduct::admin
