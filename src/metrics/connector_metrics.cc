#include "metrics/connector_metrics.h"

namespace walduct::metrics {
namespace {

template <size_t kSize>
void AddLabelled(const Name& name, const std::array<Counter, kSize>& counters,
                 const std::array<absl::string_view, kSize>& labels, std::vector<Sample>* samples) {
  for (size_t i = 0; i < kSize; ++i) samples->push_back({&name, labels[i], counters[i].value()});
}

}  // namespace

std::vector<Sample> ConnectorMetrics::Snapshot() const {
  std::vector<Sample> samples;
  AddLabelled(kEventsSeen, events_seen, kEventKindLabels, &samples);
  AddLabelled(kEventsFiltered, events_filtered, kFilterRuleLabels, &samples);
  AddLabelled(kRecordErrors, record_errors, kRecordErrorLabels, &samples);
  AddLabelled(kValuesReplaced, values_replaced, kReplacementLabels, &samples);
  const Sample plain[] = {
      {&kColumnsLeftOut, "", columns_left_out.value()},
      {&kColumnsOfDroppedTypes, "", columns_of_dropped_types.value()},
      {&kTransactions, "", transactions.value()},
      {&kReceivedBytes, "", received_bytes.value()},
      {&kRecordsWritten, "", records_written.value()},
      {&kRecordBytes, "", record_bytes.value()},
      {&kRecordsAcknowledged, "", records_acknowledged.value()},
      {&kTransformWarnings, "", transform_warnings.value()},
      {&kDeliveryErrors, "", delivery_errors.value()},
      {&kReconnects, "", reconnects.value()},
      {&kRecoverySnapshots, "", recovery_snapshots.value()},
      {&kConnected, "", connected.value()},
      {&kInFlightBytes, "", in_flight_bytes.value()},
      {&kInFlightLimitBytes, "", in_flight_limit_bytes.value()},
      {&kInFlightRecords, "", in_flight_records.value()},
      {&kReceivedLsn, "", received_lsn.value()},
      {&kStoredLsn, "", stored_lsn.value()},
      {&kFlushedLsn, "", flushed_lsn.value()},
      {&kLastSourceTime, "", last_source_time_us.value()},
      {&kStalled, "", stalled.value()},
      {&kStalls, "", stalls.value()},
      {&kRetainedWal, "", retained_wal_bytes.value()},
      {&kStreamedTransactions, "", streamed_transactions.value()},
      {&kTransactionsInProgress, "", transactions_in_progress.value()},
      {&kSpillBytes, "", spill_bytes.value()},
      {&kSnapshotRunning, "", snapshot_running.value()},
      {&kSnapshotRows, "", snapshot_rows.value()},
      {&kSnapshotTables, "", snapshot_tables.value()},
      {&kSnapshotTablesRemaining, "", snapshot_tables_remaining.value()},
      {&kSignals, "", signals.value()},
      {&kSignalsRefused, "", signals_refused.value()},
      {&kIncrementalChunks, "", incremental_chunks.value()},
      {&kIncrementalRows, "", incremental_rows.value()},
      {&kIncrementalTables, "", incremental_tables.value()},
      {&kIncrementalHeld, "", incremental_held.value()},
      {&kOutboxRowsDeleted, "", outbox_rows_deleted.value()},
      {&kOutboxPartitionsDropped, "", outbox_partitions_dropped.value()},
      {&kOutboxCleanupErrors, "", outbox_cleanup_errors.value()},
  };
  samples.insert(samples.end(), std::begin(plain), std::end(plain));
  return samples;
}

}  // namespace walduct::metrics
