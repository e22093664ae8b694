// ConnectorMetrics: what one connector counts. Written by the data thread, per batch or transaction
// rather than per row; read by any thread at any time. Relaxed atomics: each number is right by
// itself, several read together may be of slightly different moments. Names and meanings are in
// names.h.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "metrics/names.h"

namespace walduct::metrics {

// Only grows. One thread adds, any thread reads: so adding needs no locked instruction.
class Counter {
 public:
  void Add(uint64_t count = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// Goes up and down. Thread-safe.
class Gauge {
 public:
  void Set(uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  void Set(Lsn lsn) { Set(lsn.value()); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

enum class EventKind : uint8_t { kRead, kCreate, kUpdate, kDelete, kTruncate, kMessage };
inline constexpr std::array<absl::string_view, 6> kEventKindLabels = {
    "read", "create", "update", "delete", "truncate", "message"};

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
enum class RecordErrorOutcome : uint8_t { kDeadLetter, kLogged, kSkipped, kPlaceholder };
inline constexpr std::array<absl::string_view, 4> kRecordErrorLabels = {"dead_letter", "logged",
                                                                        "skipped", "placeholder"};

// What stands in a record in place of a value that was sent.
enum class Replacement : uint8_t {
  kNull,     // its schema has no room for it
  kLimit,    // it is beyond the range of its schema
  kNothing,  // left out, as Debezium does; walduct.lost.values=keep
};
inline constexpr std::array<absl::string_view, 3> kReplacementLabels = {"null", "limit", "nothing"};

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
  Counter columns_left_out;
  Counter transactions, received_bytes, records_written, delivery_errors, reconnects;
  Counter transform_warnings, recovery_snapshots;
  Gauge connected, in_flight_bytes, in_flight_limit_bytes;
  Gauge received_lsn, stored_lsn, flushed_lsn;
  Gauge last_source_time_us;
  Gauge stalled, retained_wal_bytes, safe_wal_bytes;
  Counter stalls;
  Gauge snapshot_running, snapshot_tables, snapshot_tables_remaining;
  Counter snapshot_rows;
  // Written by the thread of outbox housekeeping alone.
  Counter outbox_rows_deleted, outbox_partitions_dropped, outbox_cleanup_errors;

  Counter& Seen(EventKind kind) { return events_seen[static_cast<size_t>(kind)]; }
  Counter& Filtered(FilterRule rule) { return events_filtered[static_cast<size_t>(rule)]; }

  Counter& RecordErrors(RecordErrorOutcome outcome) {
    return record_errors[static_cast<size_t>(outcome)];
  }
  Counter& Replaced(Replacement by) { return values_replaced[static_cast<size_t>(by)]; }

  // Every number, in the order of names.h. Allocates: for logs and scrapes.
  std::vector<Sample> Snapshot() const;
};

}  // namespace walduct::metrics
