// ConnectorMetrics: what one connector counts. Written by the data thread, read by any at any time.
// Their names are in names.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "metrics/backlog_board.h"
#include "metrics/beside_board.h"
#include "metrics/capture_board.h"
#include "metrics/cell.h"
#include "metrics/destination_metrics.h"
#include "metrics/event_kind.h"
#include "metrics/histogram.h"
#include "metrics/incremental_board.h"
#include "metrics/incremental_runs.h"
#include "metrics/lag_board.h"
#include "metrics/live_tail.h"
#include "metrics/notification_board.h"
#include "metrics/outbox_server_board.h"
#include "metrics/reason_counters.h"
#include "metrics/slot_board.h"
#include "metrics/snapshot_board.h"
#include "metrics/table_metrics.h"

namespace walduct::metrics {

// Why a change that was received is not published.
enum class FilterRule : uint8_t {
  kSkippedOperation,  // skipped.operations
  kNotCaptured,       // schema and table lists
  kAlreadyDone,       // sent again by the server, behind the stored position
  kNoValue,           // nothing to publish: a message nobody asked for, a change without columns
  kTransform,         // a transform dropped the record
};
inline constexpr std::array<absl::string_view, 5> kFilterRuleLabels = {
    "skipped_operation", "not_captured", "already_done", "no_value", "transform"};

// What became of a record that could not be published and was let pass.
enum class RecordErrorOutcome : uint8_t { kDeadLetter, kLogged, kSkipped, kPlaceholder, kByHand };
inline constexpr std::array<absl::string_view, 5> kRecordErrorLabels = {
    "dead_letter", "logged", "skipped", "placeholder", "skipped_by_hand"};

// What stands in a record in place of a value that was sent.
enum class Replacement : uint8_t {
  kNull,     // its schema has no room for it
  kLimit,    // it is beyond the range of its schema
  kNothing,  // left out, as Debezium does; walduct.lost.values=keep
  kFiller,   // NULL of a NOT NULL column: 0, the empty text, its DEFAULT; the same property
};
inline constexpr std::array<absl::string_view, 4> kReplacementLabels = {"null", "limit", "nothing",
                                                                        "filler"};

struct ConnectorMetrics;
enum class Kind { kCounter, kGauge };

// A row of names.h.
struct Name {
  absl::string_view name;      // Prometheus'; its unit is in it
  absl::string_view debezium;  // the attribute of Debezium's MBean that means the same; empty: none
  Kind kind;
  absl::string_view label = "";  // name of its one label; empty: none
  absl::string_view meaning;
  const absl::string_view* values = nullptr;  // of the label; null: it has none
  size_t size = 1;                            // of values
  uint64_t (*read)(const ConnectorMetrics& metrics, size_t at);
};

// One number, ready to be printed.
struct Sample {
  const Name* name;
  absl::string_view label;  // value of name->label; empty: none
  uint64_t value;
};

struct ConnectorMetrics {
  std::array<Counter, kEventKindLabels.size()> events_seen;
  std::array<Counter, kFilterRuleLabels.size()> events_filtered;
  std::array<Counter, kRecordErrorLabels.size()> record_errors;
  std::array<Counter, kReplacementLabels.size()> values_replaced;
  Counter columns_left_out, columns_of_dropped_types;
  Counter transactions, received_bytes, records_written, delivery_errors, reconnects;
  Counter record_bytes, records_acknowledged;
  Counter transform_warnings, recovery_snapshots;
  Gauge connected, in_flight_bytes, in_flight_limit_bytes, in_flight_records;
  Gauge received_lsn, stored_lsn, flushed_lsn;
  Gauge last_source_time_us;
  // Since the Unix epoch, 0 before the first: when a change of the stream was read, when a row of a
  // snapshot.
  Gauge last_change_us, last_read_us;
  // When the transaction that is being handed over was committed; the same, 0 between two.
  Gauge open_commit_us;
  Gauge stalled, retained_wal_bytes;
  // Of a lost slot's gap that is read: all of it, and what is left. 0: none is.
  Gauge recovery_wal_bytes, recovery_left_bytes;
  Counter stalls;
  Counter streamed_transactions;
  Gauge transactions_in_progress, spill_bytes;
  Gauge snapshot_running, snapshot_tables, snapshot_tables_remaining;
  Counter snapshot_rows;
  Counter signals, signals_refused, incremental_chunks, incremental_rows;
  Gauge incremental_tables, incremental_held;
  // Debezium counts a transaction by its records, without truncates that are skipped.
  Counter transactions_with_records, truncates_skipped;
  Histogram delivery_latency;  // of records, from commit to acknowledgement
  Summary source_lag;          // from commit to here
  TableMetrics tables;
  DestinationMetrics destinations;
  ReasonCounters retries;
  SnapshotBoard snapshot;
  IncrementalBoard incremental;
  NotificationBoard notifications;
  IncrementalRuns incremental_runs;
  LagBoard lag;
  SlotBoard slot;
  CaptureBoard capture;
  BesideBoard beside;
  LiveTail tail;
  // Written by the thread of outbox housekeeping alone; by the data thread where it polls.
  Counter outbox_rows_deleted, outbox_partitions_dropped, outbox_cleanup_errors;
  // Of outbox tables that are polled. Attempts that failed are counted by reason.
  BacklogBoard backlog;
  OutboxServerBoard outbox_server;
  Histogram outbox_claim, outbox_mark;  // statements, by the time they take
  Counter outbox_published;
  ReasonCounters outbox_failed;

  Counter& Seen(EventKind kind) { return events_seen[static_cast<size_t>(kind)]; }
  Counter& Filtered(FilterRule rule) { return events_filtered[static_cast<size_t>(rule)]; }

  Counter& RecordErrors(RecordErrorOutcome outcome) {
    return record_errors[static_cast<size_t>(outcome)];
  }
  Counter& Replaced(Replacement by) { return values_replaced[static_cast<size_t>(by)]; }
  // Of every outcome.
  uint64_t ErroneousRecords() const;

  // The plain numbers, those with a row in names.h and at most one label. Allocates: for scrapes.
  std::vector<Sample> Snapshot() const;
};

}  // namespace walduct::metrics
