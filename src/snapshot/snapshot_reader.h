// SnapshotReader: reads the planned tables one after the other by COPY and hands each row to a
// ChangeHandler as a read event (op r) with its marker and position. Logs a line every 10 s, at
// each table's end and at the end of all.
//
// The connection is inside a transaction on the snapshot (transaction.h) and used by nobody else
// until kDone or the reader's destruction, which cancels a COPY under way. Ending the transaction
// is the caller's.
//
// Not thread-safe. Memory: one row and libpq's buffer. Errors: the server's, with the table named,
// and the handler's as they are; any of them ends the snapshot as a whole, which then has to begin
// anew.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "event/change_handler.h"
#include "metrics/connector_metrics.h"
#include "postgres/connection.h"
#include "postgres/copy_reader.h"
#include "snapshot/plan.h"
#include "snapshot/progress.h"
#include "snapshot/row_marker.h"
#include "snapshot/row_source.h"

namespace walduct::snapshot {

struct SnapshotRequest {
  std::vector<PlannedTable> tables;
  SnapshotOrigin origin;
};

class SnapshotReader final : public RowSource {
 public:
  // All but the request are borrowed.
  SnapshotReader(postgres::Connection& connection, Clock& clock, metrics::ConnectorMetrics& metrics,
                 SnapshotRequest request);
  ~SnapshotReader() override;

  // Never waits for rows or locks.
  absl::StatusOr<Progress> Step(event::ChangeHandler& handler, int max_rows) override;
  void SetListener(TableListener* listener) override { listener_ = listener; }
  // -1 between two tables.
  int ready_fd() const override;

  SnapshotProgress progress() const;

 private:
  absl::StatusOr<Progress> ReadRows(event::ChangeHandler& handler, int max_rows);
  absl::Status OpenTable();
  absl::StatusOr<Progress> OnError(const absl::Status& error);
  absl::Status CloseTable();
  std::vector<std::string> Names() const;
  absl::Status Finish(event::ChangeHandler& handler);
  absl::Status OnRow(event::RowView row, event::ChangeHandler& handler);
  void LogProgress(const char* message) const;

  postgres::Connection& connection_;
  Clock& clock_;
  metrics::ConnectorMetrics& metrics_;
  const SnapshotRequest request_;
  RowMarker marker_;
  std::unique_ptr<postgres::CopyReader> copy_;  // of request_.tables[table_]; null between tables
  size_t table_ = 0;
  bool has_savepoint_ = false;
  TableListener* listener_ = nullptr;
  bool finished_ = false;
  std::vector<event::Value> mapped_;
  uint64_t rows_ = 0;
  uint64_t table_rows_ = 0;
  absl::Duration started_;
  absl::Duration table_started_;
  Interval log_interval_;
};

}  // namespace walduct::snapshot
