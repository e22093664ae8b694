// SnapshotReader: reads the planned tables by COPY and hands each row to a ChangeHandler as a read
// event (op r) with its marker and position. One session reads the tables one after the other;
// several read tables, or parts of one, at the same time (parts.h), and the data thread takes rows
// from whichever has some.
//
// A table that somebody locks is read after the others, which is logged; when nothing else is left,
// and after kLockTries waits without getting on, it is an error. A table that the view shows empty
// because it was rewritten is Unavailable, table_rewritten, before any of its parts counts as read.
//
// The connections are inside a transaction on the snapshot (transaction.h) and used by nobody else
// until kDone or the reader's destruction, which cancels a COPY under way. Ending the transactions
// is the caller's.
//
// Not thread-safe. Memory: one row and libpq's buffer for each session. Errors: the server's, with
// the table named, and the handler's as they are; any of them ends the snapshot as a whole, which
// then has to begin anew.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/ready_set.h"
#include "event/change_handler.h"
#include "metrics/connector_metrics.h"
#include "postgres/connection.h"
#include "postgres/copy_reader.h"
#include "snapshot/parts.h"
#include "snapshot/plan.h"
#include "snapshot/progress.h"
#include "snapshot/reading_progress.h"
#include "snapshot/row_marker.h"
#include "snapshot/row_source.h"

namespace walduct::snapshot {

struct SnapshotRequest {
  std::vector<PlannedTable> tables;
  SnapshotOrigin origin;
  std::vector<postgres::Connection*> workers = {};  // borrowed; sessions beside the first
  SplitOptions split = {};
  // Borrowed; told of what is read; null: nobody wants to know.
  ReadRecord* record = nullptr;
  uint64_t view_since = 0;  // the oldest transaction that the view does not see whole
  // Of the transactions; the first wait for a table is shorter where others can be read meanwhile.
  absl::Duration lock_timeout = absl::ZeroDuration();
  // The same lock_timeout with who holds the lock, where that is known; empty: nobody knows.
  std::function<absl::Status(const absl::Status& error)> explain_lock = {};
};

class SnapshotReader final : public RowSource {
 public:
  static constexpr int kLockTries = 10;
  static constexpr absl::Duration kShortLockWait = absl::Seconds(1);

  // All but the request are borrowed.
  SnapshotReader(postgres::Connection& connection, Clock& clock, metrics::ConnectorMetrics& metrics,
                 SnapshotRequest request);

  // Never waits for rows or locks.
  absl::StatusOr<Progress> Step(event::ChangeHandler& handler, int max_rows) override;
  void SetListener(TableListener* listener) override { listener_ = listener; }
  // -1 between two tables.
  int ready_fd() const override;

  SnapshotProgress progress() const { return progress_.Look(); }

 private:
  struct Lane {
    postgres::Connection* connection = nullptr;
    std::unique_ptr<postgres::CopyReader> copy;  // of `part`; null between two
    size_t part = 0;
    TablePart chunk = {};  // of the part
    bool has_savepoint = false;
    // Of which it has read a part since then: going back would give up its lock.
    std::optional<size_t> held_table = std::nullopt;
  };
  struct TableState {
    size_t parts_left = 0;
    bool begun = false;
    bool locked = false;   // somebody held a lock when it was to be read
    bool checked = false;  // its rows are not hidden from the view
  };

  absl::StatusOr<Progress> ReadRows(size_t lane, event::ChangeHandler& handler, int max_rows);
  absl::StatusOr<Progress> TakeRows(Lane& lane, size_t number, event::ChangeHandler& handler,
                                    int max_rows, uint64_t* rows);
  absl::Status OnRow(size_t lane, event::RowView row, event::ChangeHandler& handler);
  absl::Status OpenPart(size_t lane);
  absl::Status BeginTable(const PartPlace& place);
  absl::Status StartCopy(Lane& lane);
  // To go back to, with the short wait for locks where there are other tables.
  absl::Status PutSavepoint(Lane& lane) const;
  absl::StatusOr<Progress> OnError(size_t lane, const absl::Status& error);
  absl::Status PutOff(Lane& lane, const absl::Status& why);
  bool OthersLeft(size_t table) const;
  // Whether there is another chunk of the part, which is read then.
  absl::StatusOr<bool> NextChunk(Lane& lane);
  absl::Status CheckNotRewritten(const Lane& lane);
  absl::Status ClosePart(size_t lane);
  void Record(const PartPlace& place) const;
  absl::Status Finish(event::ChangeHandler& handler);
  const PlannedTable& TableOf(const Lane& lane) const;
  bool tells_parts() const { return tells_parts_ && listener_ != nullptr; }

  const SnapshotRequest request_;
  const std::vector<TablePart> parts_;
  const bool tells_parts_;
  std::vector<size_t> first_parts_;  // of each table, in parts_
  std::vector<std::string> names_;   // "schema.table"
  RowMarker marker_;
  ReadingProgress progress_;
  std::vector<Lane> lanes_;
  std::vector<TableState> tables_;
  std::deque<size_t> queue_;  // parts that have not begun
  size_t turn_ = 0;           // the next lane to be looked at
  int lock_waits_ = 0;        // since a part was read to its end
  ReadySet ready_;
  TableListener* listener_ = nullptr;
  std::vector<event::Value> mapped_;
};

}  // namespace walduct::snapshot
