// RowMarker: rows of a snapshot, table after table or several at a time, to ChangeEvents with
// Debezium's snapshot markers. First match wins:
//   last > first > last_in_data_collection > first_in_data_collection > true
// `first` is the first row of the first table only: when that table is empty nobody is. `last` is
// the last row of all, in whichever table. So one row of each lane is always held back, across
// tables too, until it is known what follows; it is copied into a reused buffer, since the source's
// is gone by then. Its cost is measured by bench/snapshot.
//
// A lane reads one part of a table at a time. Of a table in several parts the first row is that of
// the first part that has any, the last row that of the last one, wherever they come in between.
// When a part turns out empty after the first row of the next one went out, the row that is held of
// the next one is first in its place.
//
// Not thread-safe. Memory: one row a lane, and one a table in several parts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
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

// Which part of which table.
struct PartPlace {
  size_t table = 0;
  size_t part = 0;
  size_t parts = 1;  // of that table
};

class RowMarker {
 public:
  explicit RowMarker(SnapshotOrigin origin, size_t lanes = 1) : origin_(origin), lanes_(lanes) {}
  // Nobody is `first`: with legacy.snapshot.max.threads.
  void LeaveOutFirst() { has_first_ = false; }

  // The rows that the lane brings next are of this part, until EndPart.
  void StartPart(size_t lane, const PartPlace& place, event::TableSchemaPtr schema);
  // Holds row back and hands those before it to handler. row is borrowed for the call.
  absl::Status OnRow(size_t lane, event::RowView row, event::ChangeHandler& handler);
  void EndPart(size_t lane);
  // Told of each part once all of its rows are out; in any order. Empty: nobody.
  void OnPartOut(std::function<void(const PartPlace&)> told) { part_out_ = std::move(told); }
  // After the last table: hands out what is held back, the last row marked `last`, with the
  // completed position. Nothing was read: nothing.
  absl::Status Finish(event::ChangeHandler& handler);

  // The same for one lane that reads whole tables.
  void StartTable(event::TableSchemaPtr schema) {
    StartPart(0, {.table = tables_++}, std::move(schema));
  }
  absl::Status OnRow(event::RowView row, event::ChangeHandler& handler) {
    return OnRow(0, row, handler);
  }
  void EndTable() { EndPart(0); }

 private:
  struct Held {
    event::TableSchemaPtr schema;
    std::vector<event::Value> values;
    std::vector<char> bytes;  // what values point into
    bool full = false;
    bool first = false;  // of the first table
    bool first_in_table = false;
    bool last_in_table = false;
    std::optional<PartPlace> ends = std::nullopt;  // it is the part's last row
  };
  struct Lane {
    PartPlace place;
    event::TableSchemaPtr schema;
    uint64_t rows = 0;  // of the part
    Held held;
  };
  // Of a table in several parts, from its first part to its last.
  struct Table {
    std::vector<bool> over;  // of each part, whether it has ended
    size_t first_open = 0;   // the parts before it have ended; all: no part is left
    bool has_first = false;  // a row
    size_t last_part = 0;    // of `last`
    Held last;               // of the parts that have ended
  };

  void TellOut(const PartPlace& place) const {
    if (part_out_) part_out_(place);
  }
  void Hold(Lane& lane, event::RowView row);
  bool IsFirst(const Lane& lane);
  bool IsFirstOfAll(const Lane& lane) const { return lane.place.table == 0 && has_first_; }
  void EndPartOfSeveral(Lane& lane);
  void MarkFirstOpen(size_t number, Table& table);
  absl::Status ReleaseEnded(event::ChangeHandler& handler);
  absl::Status Release(Held& held, event::ChangeHandler& handler);
  absl::Status Release(Held& held, event::SnapshotMarker marker, event::SnapshotPhase phase,
                       event::ChangeHandler& handler);

  const SnapshotOrigin origin_;
  std::vector<Lane> lanes_;
  std::map<size_t, Table> in_parts_;  // under way
  // Their parts have ended; they go out once it is known that another row follows.
  std::vector<Held> ended_;
  std::function<void(const PartPlace&)> part_out_;
  size_t tables_ = 0;
  bool has_first_ = true;
};

}  // namespace walduct::snapshot
