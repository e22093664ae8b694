#include "snapshot/reading_progress.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/log.h"

namespace walduct::snapshot {
namespace {

constexpr absl::Duration kLogInterval = absl::Seconds(10);

std::string FullName(const PlannedTable& table) {
  return absl::StrCat(table.name.schema, ".", table.name.table);
}

std::vector<metrics::SnapshotTable> Shown(const std::vector<PlannedTable>& tables) {
  std::vector<metrics::SnapshotTable> shown;
  for (const PlannedTable& planned : tables) {
    metrics::SnapshotTable& table = shown.emplace_back();
    table.schema = planned.name.schema;
    table.table = planned.name.table;
    if (planned.estimated_rows)
      table.estimated_rows = static_cast<uint64_t>(*planned.estimated_rows);
  }
  return shown;
}

}  // namespace

ReadingProgress::ReadingProgress(const std::vector<PlannedTable>& tables, Clock& clock,
                                 metrics::ConnectorMetrics& metrics)
    : tables_(tables),
      clock_(clock),
      metrics_(metrics),
      read_(tables.size()),
      started_(clock.Monotonic()),
      log_interval_(kLogInterval, started_) {
  metrics_.snapshot_running.Set(1);
  metrics_.snapshot_tables.Set(tables_.size());
  metrics_.snapshot_tables_remaining.Set(tables_.size());
  metrics_.snapshot.Begin(Shown(tables_), started_);
}

ReadingProgress::~ReadingProgress() {
  metrics_.snapshot_running.Set(0);
  if (!finished_) metrics_.snapshot.End(metrics::SnapshotOutcome::kAborted, clock_.Monotonic());
}

void ReadingProgress::BeginTable(size_t table) {
  current_ = table;
  read_[table].began = clock_.Monotonic();
  metrics_.snapshot.BeginTable(table);
}

void ReadingProgress::AddRows(size_t table, uint64_t rows) {
  rows_ += rows;
  read_[table].rows += rows;
  metrics_.snapshot_rows.Add(rows);
  metrics_.snapshot.AddRows(table, rows);
}

void ReadingProgress::EndTable(size_t table) {
  Log("snapshot of table complete", table);
  metrics_.snapshot.EndTable(table);
  read_[table].done = true;
  ++done_;
  metrics_.snapshot_tables_remaining.Set(tables_.size() - done_);
}

void ReadingProgress::Finish(Lsn consistent_point) {
  metrics_.snapshot_running.Set(0);
  finished_ = true;
  const absl::Duration now = clock_.Monotonic();
  metrics_.snapshot.End(metrics::SnapshotOutcome::kCompleted, now);
  const absl::Duration elapsed = now - started_;
  log::Info("all snapshot tables read", {{"tables", tables_.size()},
                                         {"rows", rows_},
                                         {"seconds", absl::ToInt64Seconds(elapsed)},
                                         {"rows_per_s", RowsPerSecond(rows_, elapsed)},
                                         {"lsn", consistent_point.ToString()}});
}

void ReadingProgress::LogWhenDue() {
  if (log_interval_.Due(clock_.Monotonic())) Log("snapshot in progress", Current());
}

// The one that began last, or else one that is still to be read.
size_t ReadingProgress::Current() const {
  if (current_ >= read_.size() || !read_[current_].done) return current_;
  const auto open =
      std::find_if(read_.begin(), read_.end(), [](const Table& table) { return !table.done; });
  return open == read_.end() ? current_ : static_cast<size_t>(open - read_.begin());
}

SnapshotProgress ReadingProgress::Look() const { return Look(Current()); }

SnapshotProgress ReadingProgress::Look(size_t table) const {
  SnapshotProgress progress;
  const absl::Duration now = clock_.Monotonic();
  progress.tables_done = done_;
  progress.tables_total = tables_.size();
  progress.rows = rows_;
  progress.elapsed = now - started_;
  if (!tables_.empty()) {
    progress.table = FullName(tables_[table]);
    progress.table_rows = read_[table].rows;
    progress.table_elapsed = now - read_[table].began;
  }
  for (size_t i = 0; i < tables_.size(); ++i) {
    if (read_[i].done) continue;
    const std::optional<int64_t>& rows = tables_[i].estimated_rows;
    if (!rows) {
      progress.at_least = true;
      continue;
    }
    const uint64_t left = std::max(static_cast<uint64_t>(*rows), read_[i].rows) - read_[i].rows;
    progress.estimated_remaining_rows = progress.estimated_remaining_rows.value_or(0) + left;
  }
  return progress;
}

void ReadingProgress::Log(const char* message, size_t table) const {
  const SnapshotProgress now = Look(table);
  const std::optional<absl::Duration> left = EstimatedTimeLeft(now);
  const std::string eta =
      left ? absl::StrCat(now.at_least ? "at least " : "",
                          absl::FormatDuration(absl::Trunc(*left, absl::Seconds(1))))
           : "unknown";
  log::Info(message, {{"table", now.table},
                      {"rows", now.table_rows},
                      {"rows_per_s", RowsPerSecond(now.table_rows, now.table_elapsed)},
                      {"table_number", table + 1},
                      {"tables", now.tables_total},
                      {"eta", eta},
                      {"retained_wal_bytes", metrics_.retained_wal_bytes.value()}});
}

}  // namespace walduct::snapshot
