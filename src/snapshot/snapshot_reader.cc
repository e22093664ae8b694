#include "snapshot/snapshot_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "snapshot/dropped_table.h"

namespace walduct::snapshot {
namespace {

constexpr absl::Duration kLogInterval = absl::Seconds(10);

std::string FullName(const PlannedTable& table) {
  return absl::StrCat(table.name.schema, ".", table.name.table);
}

std::vector<metrics::SnapshotTable> TablesOf(const SnapshotRequest& request) {
  std::vector<metrics::SnapshotTable> tables;
  for (const PlannedTable& planned : request.tables) {
    metrics::SnapshotTable& table = tables.emplace_back();
    table.schema = planned.name.schema;
    table.table = planned.name.table;
    if (planned.estimated_rows)
      table.estimated_rows = static_cast<uint64_t>(*planned.estimated_rows);
  }
  return tables;
}

absl::Status OfTable(const absl::Status& status, const PlannedTable& table) {
  return WithContext(status, absl::StrCat("snapshot of table ", FullName(table)));
}

}  // namespace

SnapshotReader::SnapshotReader(postgres::Connection& connection, Clock& clock,
                               metrics::ConnectorMetrics& metrics, SnapshotRequest request)
    : connection_(connection),
      clock_(clock),
      metrics_(metrics),
      request_(std::move(request)),
      marker_(request_.origin),
      started_(clock.Monotonic()),
      table_started_(started_),
      log_interval_(kLogInterval, started_) {
  metrics_.snapshot_running.Set(1);
  metrics_.snapshot_tables.Set(request_.tables.size());
  metrics_.snapshot_tables_remaining.Set(request_.tables.size());
  metrics_.snapshot.Begin(TablesOf(request_), started_);
}

SnapshotReader::~SnapshotReader() {
  metrics_.snapshot_running.Set(0);
  if (!finished_) metrics_.snapshot.End(metrics::SnapshotOutcome::kAborted, clock_.Monotonic());
}

absl::StatusOr<SnapshotReader::Progress> SnapshotReader::Step(event::ChangeHandler& handler,
                                                              int max_rows) {
  if (table_ == request_.tables.size()) {
    RETURN_IF_ERROR(Finish(handler));
    return Progress::kDone;
  }
  if (copy_ == nullptr) {
    RETURN_IF_ERROR(OpenTable());
    if (copy_ == nullptr) return Progress::kRead;
  }
  const size_t table = table_;
  const uint64_t rows_before = rows_;
  absl::StatusOr<Progress> result = ReadRows(handler, max_rows);
  metrics_.snapshot_rows.Add(rows_ - rows_before);
  metrics_.snapshot.AddRows(table, rows_ - rows_before);
  if (result.ok() && log_interval_.Due(clock_.Monotonic())) LogProgress("snapshot in progress");
  return result;
}

absl::StatusOr<SnapshotReader::Progress> SnapshotReader::ReadRows(event::ChangeHandler& handler,
                                                                  int max_rows) {
  for (int i = 0; i < max_rows; ++i) {
    const absl::StatusOr<postgres::CopyReader::Progress> next = copy_->Next();
    if (!next.ok()) return OnError(next.status());
    switch (*next) {
      case postgres::CopyReader::Progress::kWouldBlock:
        return Progress::kWouldBlock;
      case postgres::CopyReader::Progress::kEnd:
        RETURN_IF_ERROR(CloseTable());
        return Progress::kRead;
      case postgres::CopyReader::Progress::kRow:
        RETURN_IF_ERROR(OnRow(copy_->row(), handler));
    }
  }
  return Progress::kRead;
}

absl::Status SnapshotReader::OnRow(event::RowView row, event::ChangeHandler& handler) {
  ++rows_;
  ++table_rows_;
  const PlannedTable& table = request_.tables[table_];
  if (table.targets.empty()) return marker_.OnRow(row, handler);
  MapRow(table.targets, row, &mapped_);
  return marker_.OnRow(mapped_, handler);
}

absl::Status SnapshotReader::OpenTable() {
  const PlannedTable& table = request_.tables[table_];
  table_started_ = clock_.Monotonic();
  metrics_.snapshot.BeginTable(table_);
  marker_.StartTable(table.schema);
  if (listener_ != nullptr) RETURN_IF_ERROR(listener_->OnTableBegin(Names(), table_));
  // Without columns there is nothing that a row could tell.
  if (table.select_columns == 0) return CloseTable();
  mapped_.resize(table.schema->columns.size());
  if (!std::exchange(has_savepoint_, true)) RETURN_IF_ERROR(SetSavepoint(connection_));
  auto copy = postgres::CopyReader::Start(connection_, table.select, table.select_columns);
  if (!copy.ok()) return OfTable(copy.status(), table);
  copy_ = *std::move(copy);
  return absl::OkStatus();
}

// A table that was dropped is gone without; one of which rows were read was there.
absl::StatusOr<SnapshotReader::Progress> SnapshotReader::OnError(const absl::Status& error) {
  const PlannedTable& table = request_.tables[table_];
  if (copy_->begun()) return OfTable(error, table);
  RETURN_IF_ERROR(OfTable(GoOnWithout(connection_, table.name, error), table));
  RETURN_IF_ERROR(CloseTable());
  return Progress::kRead;
}

absl::Status SnapshotReader::CloseTable() {
  const uint64_t rows = table_rows_;
  copy_ = nullptr;
  marker_.EndTable();
  LogProgress("snapshot of table complete");
  metrics_.snapshot.EndTable(table_);
  ++table_;
  table_rows_ = 0;
  table_started_ = clock_.Monotonic();
  metrics_.snapshot_tables_remaining.Set(request_.tables.size() - table_);
  return listener_ == nullptr ? absl::OkStatus() : listener_->OnTableEnd(Names(), table_ - 1, rows);
}

std::vector<std::string> SnapshotReader::Names() const {
  std::vector<std::string> names;
  for (const PlannedTable& table : request_.tables) names.push_back(FullName(table));
  return names;
}

absl::Status SnapshotReader::Finish(event::ChangeHandler& handler) {
  RETURN_IF_ERROR(marker_.Finish(handler));
  metrics_.snapshot_running.Set(0);
  finished_ = true;
  const absl::Duration now = clock_.Monotonic();
  metrics_.snapshot.End(metrics::SnapshotOutcome::kCompleted, now);
  const absl::Duration elapsed = now - started_;
  log::Info("all snapshot tables read", {{"tables", request_.tables.size()},
                                         {"rows", rows_},
                                         {"seconds", absl::ToInt64Seconds(elapsed)},
                                         {"rows_per_s", RowsPerSecond(rows_, elapsed)},
                                         {"lsn", request_.origin.consistent_point.ToString()}});
  return absl::OkStatus();
}

int SnapshotReader::ready_fd() const { return copy_ == nullptr ? -1 : copy_->ready_fd(); }

SnapshotProgress SnapshotReader::progress() const {
  SnapshotProgress progress;
  const absl::Duration now = clock_.Monotonic();
  progress.tables_done = table_;
  progress.tables_total = request_.tables.size();
  progress.rows = rows_;
  progress.elapsed = now - started_;
  if (!request_.tables.empty()) {
    progress.table = FullName(request_.tables[std::min(table_, request_.tables.size() - 1)]);
  }
  progress.table_rows = table_rows_;
  progress.table_elapsed = now - table_started_;
  for (size_t i = table_; i < request_.tables.size(); ++i) {
    const std::optional<int64_t>& rows = request_.tables[i].estimated_rows;
    if (!rows) {
      progress.at_least = true;
      continue;
    }
    const uint64_t done = i == table_ ? table_rows_ : 0;
    const uint64_t left = std::max(static_cast<uint64_t>(*rows), done) - done;
    progress.estimated_remaining_rows = progress.estimated_remaining_rows.value_or(0) + left;
  }
  return progress;
}

void SnapshotReader::LogProgress(const char* message) const {
  const SnapshotProgress now = progress();
  const std::optional<absl::Duration> left = EstimatedTimeLeft(now);
  const std::string eta =
      left ? absl::StrCat(now.at_least ? "at least " : "",
                          absl::FormatDuration(absl::Trunc(*left, absl::Seconds(1))))
           : "unknown";
  log::Info(message, {{"table", now.table},
                      {"rows", now.table_rows},
                      {"rows_per_s", RowsPerSecond(now.table_rows, now.table_elapsed)},
                      {"table_number", table_ + 1},
                      {"tables", now.tables_total},
                      {"eta", eta}});
}

}  // namespace walduct::snapshot
