// Every metric of walduct, in one table: the Prometheus name, the attribute of Debezium's MBean
// that means the same (empty: none), what it counts and in which unit. Names are public: dashboards
// rely on them, so they are added, never renamed.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::metrics {

enum class Kind { kCounter, kGauge };

struct Name {
  absl::string_view name;
  absl::string_view debezium;
  Kind kind;
  absl::string_view label;  // name of its one label; empty: none
  absl::string_view meaning;
};

inline constexpr Name kEventsSeen = {"walduct_events_seen_total", "TotalNumberOfEventsSeen",
                                     Kind::kCounter, "operation",
                                     "changes read from the stream or a snapshot"};
inline constexpr Name kEventsFiltered = {"walduct_events_filtered_total", "NumberOfEventsFiltered",
                                         Kind::kCounter, "rule",
                                         "changes not published because a rule says so"};
inline constexpr Name kRecordErrors = {
    "walduct_record_errors_total", "NumberOfErroneousEvents", Kind::kCounter, "outcome",
    "records that could not be published and were let pass, by what became of them"};
inline constexpr Name kValuesReplaced = {"walduct_values_replaced_total", "", Kind::kCounter, "by",
                                         "values not published as the server sent them"};
inline constexpr Name kColumnsLeftOut = {"walduct_columns_left_out_total", "", Kind::kCounter, "",
                                         "columns not published because of their type"};
inline constexpr Name kColumnsOfDroppedTypes = {
    "walduct_columns_of_dropped_types_total", "", Kind::kCounter, "",
    "columns published by their text because their type was dropped and nobody remembers it"};
inline constexpr Name kTransactions = {"walduct_transactions_total",
                                       "NumberOfCommittedTransactions", Kind::kCounter, "",
                                       "transactions read to their commit"};
inline constexpr Name kReceivedBytes = {"walduct_received_bytes_total", "", Kind::kCounter, "",
                                        "bytes of replication messages received"};
inline constexpr Name kRecordsWritten = {"walduct_records_written_total", "", Kind::kCounter, "",
                                         "records handed to the sink"};
inline constexpr Name kRecordBytes = {"walduct_record_bytes_total", "", Kind::kCounter, "",
                                      "bytes of keys and values handed to the sink"};
inline constexpr Name kRecordsAcknowledged = {"walduct_records_acknowledged_total", "",
                                              Kind::kCounter, "",
                                              "records that the sink has made durable"};
inline constexpr Name kTransformWarnings = {
    "walduct_transform_warnings_total", "", Kind::kCounter, "",
    "records that a transform published with a warning: a payload that stayed text"};
inline constexpr Name kDeliveryErrors = {"walduct_delivery_errors_total", "", Kind::kCounter, "",
                                         "times that the sink could not deliver a record"};
inline constexpr Name kReconnects = {"walduct_reconnects_total", "", Kind::kCounter, "",
                                     "replication connections opened after the first"};
inline constexpr Name kRecoverySnapshots = {
    "walduct_recovery_snapshots_total", "", Kind::kCounter, "",
    "snapshots taken because the stored position was of no use (snapshot.mode=when_needed)"};
inline constexpr Name kConnected = {"walduct_connected", "Connected", Kind::kGauge, "",
                                    "1 while the replication stream is open"};
inline constexpr Name kInFlightBytes = {"walduct_in_flight_bytes", "CurrentQueueSizeInBytes",
                                        Kind::kGauge, "",
                                        "bytes written to the sink and not yet acknowledged"};
inline constexpr Name kInFlightLimitBytes = {"walduct_in_flight_limit_bytes", "MaxQueueSizeInBytes",
                                             Kind::kGauge, "", "bound of walduct_in_flight_bytes"};
inline constexpr Name kInFlightRecords = {"walduct_in_flight_records", "", Kind::kGauge, "",
                                          "records written to the sink and not yet acknowledged"};
inline constexpr Name kReceivedLsn = {"walduct_received_lsn", "", Kind::kGauge, "",
                                      "last WAL position received, as a number"};
inline constexpr Name kStoredLsn = {"walduct_stored_lsn", "", Kind::kGauge, "",
                                    "commit end of the stored offset, as a number"};
inline constexpr Name kFlushedLsn = {"walduct_flushed_lsn", "", Kind::kGauge, "",
                                     "position confirmed to PostgreSQL, as a number"};
inline constexpr Name kLastSourceTime = {"walduct_last_source_time_us", "", Kind::kGauge, "",
                                         "source time of the last change, us since the Unix epoch"};
inline constexpr Name kStalled = {"walduct_stalled", "", Kind::kGauge, "",
                                  "1 while nothing progresses though there is something to do"};
inline constexpr Name kStalls = {"walduct_stalls_total", "", Kind::kCounter, "",
                                 "times that nothing progressed for walduct.stall.warn.ms"};
inline constexpr Name kRetainedWal = {"walduct_retained_wal_bytes", "", Kind::kGauge, "",
                                      "WAL that the server keeps for the slot"};
inline constexpr Name kStreamedTransactions = {
    "walduct_streamed_transactions_total", "", Kind::kCounter, "",
    "committed transactions that were received while they were in progress"};
inline constexpr Name kTransactionsInProgress = {
    "walduct_transactions_in_progress", "", Kind::kGauge, "",
    "transactions received in part that have neither committed nor rolled back"};
inline constexpr Name kSpillBytes = {"walduct_spill_bytes", "", Kind::kGauge, "",
                                     "bytes on disk of transactions received in progress"};
inline constexpr Name kSnapshotRunning = {"walduct_snapshot_running", "SnapshotRunning",
                                          Kind::kGauge, "", "1 while a snapshot is read"};
inline constexpr Name kSnapshotRows = {"walduct_snapshot_rows_total", "RowsScanned", Kind::kCounter,
                                       "", "rows read by snapshots"};
inline constexpr Name kSnapshotTables = {"walduct_snapshot_tables", "TotalTableCount", Kind::kGauge,
                                         "", "tables of the running or last snapshot"};
inline constexpr Name kSnapshotTablesRemaining = {"walduct_snapshot_tables_remaining",
                                                  "RemainingTableCount", Kind::kGauge, "",
                                                  "tables of the snapshot not read to their end"};
inline constexpr Name kSignals = {"walduct_signals_total", "", Kind::kCounter, "",
                                  "signals that were carried out"};
inline constexpr Name kSignalsRefused = {"walduct_signals_refused_total", "", Kind::kCounter, "",
                                         "signals that were unknown or malformed"};
inline constexpr Name kIncrementalChunks = {"walduct_incremental_chunks_total", "", Kind::kCounter,
                                            "", "chunks read by incremental snapshots"};
inline constexpr Name kIncrementalRows = {"walduct_incremental_rows_total", "", Kind::kCounter, "",
                                          "rows published by incremental snapshots"};
inline constexpr Name kIncrementalTables = {
    "walduct_incremental_tables", "", Kind::kGauge, "",
    "tables that an incremental snapshot reads or has still to read"};
inline constexpr Name kIncrementalHeld = {
    "walduct_incremental_held", "", Kind::kGauge, "",
    "1 while an incremental snapshot waits for lag or retained WAL to fall"};
inline constexpr Name kOutboxRowsDeleted = {"walduct_outbox_rows_deleted_total", "", Kind::kCounter,
                                            "", "outbox rows deleted by housekeeping"};
inline constexpr Name kOutboxPartitionsDropped = {"walduct_outbox_partitions_dropped_total", "",
                                                  Kind::kCounter, "",
                                                  "outbox partitions dropped by housekeeping"};
inline constexpr Name kOutboxCleanupErrors = {"walduct_outbox_cleanup_errors_total", "",
                                              Kind::kCounter, "",
                                              "rounds of outbox housekeeping that failed"};

}  // namespace walduct::metrics
