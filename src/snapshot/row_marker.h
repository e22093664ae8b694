// RowMarker: rows of a snapshot, table after table, to ChangeEvents with Debezium's snapshot
// markers. First match wins:
//   last > first > last_in_data_collection > first_in_data_collection > true
// `first` is the first row of the first table only: when that table is empty nobody is. `last` is
// the last row of all, in whichever table. So one row is always held back, across tables too, until
// it is known what follows; it is copied into a reused buffer, since the source's is gone by then.
// Its cost is measured by bench/snapshot.
//
// Not thread-safe. Memory: one row.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "base/lsn.h"
#include "event/change_event.h"
#include "event/change_handler.h"
#include "event/table_schema.h"

namespace walduct::snapshot {

// What every row of one snapshot has in common.
struct SnapshotOrigin {
  Lsn consistent_point;         // everything committed up to here is in the snapshot
  std::optional<uint64_t> xid;  // of the snapshot's transaction; absent on a standby
  int64_t time_us = 0;          // its start, since the Unix epoch
  Lsn seen = {};                // its view of the database reaches no further than this
};

class RowMarker {
 public:
  explicit RowMarker(SnapshotOrigin origin) : origin_(origin) {}

  // The rows that follow are of this table, until EndTable.
  void StartTable(event::TableSchemaPtr schema);
  // Holds row back and hands the one before it to handler. row is borrowed for the call.
  absl::Status OnRow(event::RowView row, event::ChangeHandler& handler);
  void EndTable();
  // After the last table: hands out the row held back, marked `last`, with the completed position.
  // Nothing was read: nothing.
  absl::Status Finish(event::ChangeHandler& handler);

 private:
  struct Held {
    event::TableSchemaPtr schema;
    std::vector<event::Value> values;
    std::vector<char> bytes;  // what values point into
    bool full = false;
    bool first = false;  // of the first table
    bool first_in_table = false;
    bool last_in_table = false;
  };

  void Hold(event::RowView row);
  absl::Status Release(event::SnapshotMarker marker, event::SnapshotPhase phase,
                       event::ChangeHandler& handler);

  const SnapshotOrigin origin_;
  event::TableSchemaPtr schema_;
  uint64_t tables_ = 0;
  uint64_t table_rows_ = 0;
  Held held_;
};

}  // namespace walduct::snapshot
