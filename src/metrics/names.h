// Every plain number of a connector, one row each. Names are public: dashboards rely on them, so
// they are added, never renamed. The order is that of the exposition.
#pragma once

#include <type_traits>

#include "metrics/connector_metrics.h"

namespace walduct::metrics {

using All = ConnectorMetrics;

template <auto kMember>
consteval Name Row(absl::string_view name, absl::string_view debezium, absl::string_view meaning) {
  constexpr bool kCounts = std::is_same_v<decltype(kMember), Counter All::*>;
  return {.name = name,
          .debezium = debezium,
          .kind = kCounts ? Kind::kCounter : Kind::kGauge,
          .meaning = meaning,
          .read = [](const All& metrics, size_t) { return (metrics.*kMember).value(); }};
}

// Counters by the value of a label.
template <auto kMember, size_t kSize>
consteval Name Row(absl::string_view name, absl::string_view debezium, absl::string_view meaning,
                   absl::string_view label, const std::array<absl::string_view, kSize>& values) {
  return {.name = name,
          .debezium = debezium,
          .kind = Kind::kCounter,
          .label = label,
          .meaning = meaning,
          .values = values.data(),
          .size = kSize,
          .read = [](const All& metrics, size_t at) { return (metrics.*kMember)[at].value(); }};
}

inline constexpr Name kNames[] = {
    Row<&All::events_seen>("walduct_events_seen_total", "TotalNumberOfEventsSeen",
                           "changes read from the stream or a snapshot", "operation",
                           kEventKindLabels),
    Row<&All::events_filtered>("walduct_events_filtered_total", "NumberOfEventsFiltered",
                               "changes not published because a rule says so", "rule",
                               kFilterRuleLabels),
    Row<&All::record_errors>(
        "walduct_record_errors_total", "NumberOfErroneousEvents",
        "records that could not be published and were let pass, by what became of them", "outcome",
        kRecordErrorLabels),
    Row<&All::values_replaced>("walduct_values_replaced_total", "",
                               "values not published as the server sent them", "by",
                               kReplacementLabels),
    Row<&All::columns_left_out>("walduct_columns_left_out_total", "",
                                "columns not published because of their type"),
    Row<&All::columns_of_dropped_types>(
        "walduct_columns_of_dropped_types_total", "",
        "columns published by their text because their type was dropped and nobody remembers it"),
    Row<&All::transactions>("walduct_transactions_total", "NumberOfCommittedTransactions",
                            "transactions read to their commit"),
    Row<&All::received_bytes>("walduct_received_bytes_total", "",
                              "bytes of replication messages received"),
    Row<&All::records_written>("walduct_records_written_total", "", "records handed to the sink"),
    Row<&All::record_bytes>("walduct_record_bytes_total", "",
                            "bytes of keys and values handed to the sink"),
    Row<&All::records_acknowledged>("walduct_records_acknowledged_total", "",
                                    "records that the sink has made durable"),
    Row<&All::transform_warnings>(
        "walduct_transform_warnings_total", "",
        "records that a transform published with a warning: a payload that stayed text"),
    Row<&All::delivery_errors>("walduct_delivery_errors_total", "",
                               "times that the sink could not deliver a record"),
    Row<&All::reconnects>("walduct_reconnects_total", "",
                          "replication connections opened after the first"),
    Row<&All::recovery_snapshots>(
        "walduct_recovery_snapshots_total", "",
        "snapshots taken because the stored position was of no use (snapshot.mode=when_needed)"),
    Row<&All::recovery_wal_bytes>("walduct_recovery_wal_bytes", "",
                                  "WAL of a lost slot's gap (walduct recover run)"),
    Row<&All::recovery_left_bytes>("walduct_recovery_left_bytes", "",
                                   "of that, what is still to be streamed"),
    Row<&All::connected>("walduct_connected", "Connected",
                         "1 while the replication stream is open"),
    Row<&All::in_flight_bytes>("walduct_in_flight_bytes", "CurrentQueueSizeInBytes",
                               "bytes written to the sink and not yet acknowledged"),
    Row<&All::in_flight_limit_bytes>("walduct_in_flight_limit_bytes", "MaxQueueSizeInBytes",
                                     "bound of walduct_in_flight_bytes"),
    Row<&All::in_flight_records>("walduct_in_flight_records", "",
                                 "records written to the sink and not yet acknowledged"),
    Row<&All::received_lsn>("walduct_received_lsn", "", "last WAL position received, as a number"),
    Row<&All::stored_lsn>("walduct_stored_lsn", "", "commit end of the stored offset, as a number"),
    Row<&All::flushed_lsn>("walduct_flushed_lsn", "",
                           "position confirmed to PostgreSQL, as a number"),
    Row<&All::last_source_time_us>("walduct_last_source_time_us", "",
                                   "source time of the last change, us since the Unix epoch"),
    Row<&All::stalled>("walduct_stalled", "",
                       "1 while nothing progresses though there is something to do"),
    Row<&All::stalls>("walduct_stalls_total", "",
                      "times that nothing progressed for walduct.stall.warn.ms"),
    Row<&All::retained_wal_bytes>("walduct_retained_wal_bytes", "",
                                  "WAL that the server keeps for the slot"),
    Row<&All::streamed_transactions>(
        "walduct_streamed_transactions_total", "",
        "committed transactions that were received while they were in progress"),
    Row<&All::transactions_in_progress>(
        "walduct_transactions_in_progress", "",
        "transactions received in part that have neither committed nor rolled back"),
    Row<&All::spill_bytes>("walduct_spill_bytes", "",
                           "bytes on disk of transactions received in progress"),
    Row<&All::snapshot_running>("walduct_snapshot_running", "SnapshotRunning",
                                "1 while a snapshot is read"),
    Row<&All::snapshot_rows>("walduct_snapshot_rows_total", "RowsScanned",
                             "rows read by snapshots"),
    Row<&All::snapshot_tables>("walduct_snapshot_tables", "TotalTableCount",
                               "tables of the running or last snapshot"),
    Row<&All::snapshot_tables_remaining>("walduct_snapshot_tables_remaining", "RemainingTableCount",
                                         "tables of the snapshot not read to their end"),
    Row<&All::signals>("walduct_signals_total", "", "signals that were carried out"),
    Row<&All::signals_refused>("walduct_signals_refused_total", "",
                               "signals that were unknown or malformed"),
    Row<&All::incremental_chunks>("walduct_incremental_chunks_total", "",
                                  "chunks read by incremental snapshots"),
    Row<&All::incremental_rows>("walduct_incremental_rows_total", "",
                                "rows published by incremental snapshots"),
    Row<&All::incremental_tables>("walduct_incremental_tables", "",
                                  "tables that an incremental snapshot reads or has still to read"),
    Row<&All::incremental_held>(
        "walduct_incremental_held", "",
        "1 while an incremental snapshot waits for lag or retained WAL to fall"),
    Row<&All::outbox_rows_deleted>("walduct_outbox_rows_deleted_total", "",
                                   "outbox rows deleted by housekeeping"),
    Row<&All::outbox_partitions_dropped>("walduct_outbox_partitions_dropped_total", "",
                                         "outbox partitions dropped by housekeeping"),
    Row<&All::outbox_cleanup_errors>("walduct_outbox_cleanup_errors_total", "",
                                     "rounds of outbox housekeeping that failed"),
    Row<&All::outbox_published>("walduct_outbox_published_total", "",
                                "rows of outbox tables that were published and marked or deleted"),
};

}  // namespace walduct::metrics
