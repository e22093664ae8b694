#include "snapshot/reading_progress.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/log.h"

namespace walduct::snapshot {
namespace {

constexpr absl::Duration kLogInterval = absl::Seconds(10);

std::string FullName(const metrics::SnapshotTable& table) {
  return absl::StrCat(table.schema, ".", table.table);
}

std::vector<metrics::SnapshotTable> Shown(const std::vector<PlannedTable>& tables,
                                          const std::vector<TablePart>& parts) {
  std::vector<metrics::SnapshotTable> shown;
  for (const PlannedTable& planned : tables) {
    metrics::SnapshotTable& table = shown.emplace_back();
    table.schema = planned.name.schema;
    table.table = planned.name.table;
    table.chunks = 0;
    if (planned.estimated_rows)
      table.estimated_rows = static_cast<uint64_t>(*planned.estimated_rows);
  }
  std::vector<uint64_t> blocks(tables.size());  // to be read
  for (const TablePart& part : parts) {
    const size_t table = part.place.table;
    shown[table].chunks += ChunksOf(tables[table], part);
    blocks[table] += BlocksOf(tables[table], part);
  }
  for (size_t i = 0; i < tables.size(); ++i) {
    if (blocks[i] == 0) continue;
    shown[i].blocks = *tables[i].blocks;
    shown[i].blocks_before = *tables[i].blocks - blocks[i];
  }
  return shown;
}

}  // namespace

ReadingProgress::ReadingProgress(const std::vector<PlannedTable>& tables,
                                 const std::vector<TablePart>& parts, Clock& clock,
                                 metrics::ConnectorMetrics& metrics)
    : clock_(clock),
      metrics_(metrics),
      tables_(Shown(tables, parts)),
      started_(clock.Monotonic()),
      log_interval_(kLogInterval, started_) {
  metrics_.snapshot_running.Set(1);
  metrics_.snapshot_tables.Set(tables_.size());
  metrics_.snapshot_tables_remaining.Set(tables_.size());
  metrics_.snapshot.Begin(tables_, started_);
}

ReadingProgress::~ReadingProgress() {
  metrics_.snapshot_running.Set(0);
  if (!finished_) metrics_.snapshot.End(metrics::SnapshotOutcome::kAborted, clock_.Monotonic());
}

void ReadingProgress::BeginTable(size_t table) {
  current_ = table;
  tables_[table].began = clock_.Monotonic();
  metrics_.snapshot.BeginTable(table, tables_[table].began);
}

void ReadingProgress::AddRows(size_t table, uint64_t rows) {
  rows_ += rows;
  tables_[table].rows += rows;
  metrics_.snapshot_rows.Add(rows);
  metrics_.snapshot.AddRows(table, rows);
}

void ReadingProgress::EndChunk(size_t table, uint64_t blocks) {
  tables_[table].blocks_read += blocks;
  ++tables_[table].chunks_read;
  metrics_.snapshot.EndChunk(table, blocks);
}

void ReadingProgress::EndTable(size_t table) {
  tables_[table].done = true;
  ++done_;
  Log("snapshot of table complete", table);
  metrics_.snapshot.EndTable(table, clock_.Monotonic());
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
  if (current_ >= tables_.size() || !tables_[current_].done) return current_;
  const auto open = std::find_if(tables_.begin(), tables_.end(),
                                 [](const metrics::SnapshotTable& table) { return !table.done; });
  return open == tables_.end() ? current_ : static_cast<size_t>(open - tables_.begin());
}

SnapshotProgress ReadingProgress::Look() const { return Look(Current()); }

SnapshotProgress ReadingProgress::Look(size_t number) const {
  SnapshotProgress progress;
  const absl::Duration now = clock_.Monotonic();
  progress.tables_done = done_;
  progress.tables_total = tables_.size();
  progress.rows = rows_;
  progress.elapsed = now - started_;
  if (!tables_.empty()) {
    const metrics::SnapshotTable& table = tables_[number];
    progress.table = FullName(table);
    progress.table_rows = table.rows;
    progress.table_elapsed = now - table.began;
    progress.table_share = table.share();
    progress.table_chunks = table.chunks;
    progress.table_chunks_read = table.done ? table.chunks : table.chunks_read;
  }
  for (const metrics::SnapshotTable& table : tables_) {
    if (table.done) continue;
    const std::optional<uint64_t> left = table.rows_left();
    progress.at_least = progress.at_least || !left;
    if (left)
      progress.estimated_remaining_rows = progress.estimated_remaining_rows.value_or(0) + *left;
  }
  return progress;
}

void ReadingProgress::Log(const char* message, size_t table) const {
  const SnapshotProgress now = Look(table);
  const std::optional<absl::Duration> left = EstimatedTimeLeft(now);
  const bool over = now.tables_done == now.tables_total;
  const std::string eta =
      over   ? "0"
      : left ? absl::StrCat(now.at_least ? "at least " : "",
                            absl::FormatDuration(absl::Trunc(*left, absl::Seconds(1))))
             : "unknown";
  log::Info(message, {{"table", now.table},
                      {"rows", now.table_rows},
                      {"percent", metrics::ShareText(now.table_share)},
                      {"chunks", absl::StrCat(now.table_chunks_read, " of ", now.table_chunks)},
                      {"rows_per_s", RowsPerSecond(now.table_rows, now.table_elapsed)},
                      {"table_number", table + 1},
                      {"tables", now.tables_total},
                      {"eta", eta},
                      {"retained_wal_bytes", metrics_.retained_wal_bytes.value()}});
}

}  // namespace walduct::snapshot
