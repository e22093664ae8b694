#include "snapshot/row_marker.h"

#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"

namespace walduct::snapshot {
namespace {

using event::SnapshotMarker;
using event::SnapshotPhase;

// A buffer grown past this by one huge row is given back with the next small one.
constexpr size_t kKeepBytes = 1 << 20;

}  // namespace

void RowMarker::StartPart(size_t lane, const PartPlace& place, event::TableSchemaPtr schema) {
  lanes_[lane].place = place;
  lanes_[lane].schema = std::move(schema);
  lanes_[lane].rows = 0;
}

absl::Status RowMarker::OnRow(size_t lane, event::RowView row, event::ChangeHandler& handler) {
  Lane& from = lanes_[lane];
  absl::Status status;
  if (!ended_.empty()) status = ReleaseEnded(handler);
  if (status.ok() && from.held.full) status = Release(from.held, handler);
  Hold(from, row);
  return status;
}

void RowMarker::EndPart(size_t lane) {
  Lane& from = lanes_[lane];
  from.schema = nullptr;
  if (from.held.full) {
    from.held.ends = from.place;
  } else {
    TellOut(from.place);
  }
  if (from.place.parts > 1) return EndPartOfSeveral(from);
  if (!from.held.full) return;
  from.held.last_in_table = true;
  ended_.push_back(std::exchange(from.held, Held()));
}

// Only of the last part that has rows the last one is special.
void RowMarker::EndPartOfSeveral(Lane& lane) {
  Table& table = in_parts_[lane.place.table];
  table.over.resize(lane.place.parts);
  table.over[lane.place.part] = true;
  while (table.first_open < table.over.size() && table.over[table.first_open]) ++table.first_open;
  if (lane.held.full) {
    Held row = std::exchange(lane.held, Held());
    if (!table.last.full || lane.place.part > table.last_part) {
      table.last_part = lane.place.part;
      std::swap(row, table.last);
    }
    if (row.full) ended_.push_back(std::move(row));
  }
  if (table.first_open < lane.place.parts) return MarkFirstOpen(lane.place.table, table);
  if (table.last.full) {
    table.last.last_in_table = true;
    ended_.push_back(std::move(table.last));
  }
  in_parts_.erase(lane.place.table);
}

absl::Status RowMarker::Finish(event::ChangeHandler& handler) {
  if (ended_.empty()) return absl::OkStatus();
  Held last = std::move(ended_.back());
  ended_.pop_back();
  RETURN_IF_ERROR(ReleaseEnded(handler));
  return Release(last, SnapshotMarker::kLast, SnapshotPhase::kCompleted, handler);
}

bool RowMarker::IsFirst(const Lane& lane) {
  if (lane.rows > 1) return false;
  if (lane.place.parts == 1) return true;
  Table& table = in_parts_[lane.place.table];
  return lane.place.part <= table.first_open && !std::exchange(table.has_first, true);
}

// The parts before it were empty, which nobody knew when its own rows began.
void RowMarker::MarkFirstOpen(size_t number, Table& table) {
  if (table.has_first) return;
  for (Lane& lane : lanes_) {
    if (lane.schema == nullptr || !lane.held.full) continue;
    if (lane.rows == 0 || lane.place.table != number || lane.place.part != table.first_open)
      continue;
    lane.held.first_in_table = table.has_first = true;
    lane.held.first = IsFirstOfAll(lane);
  }
}

void RowMarker::Hold(Lane& lane, event::RowView row) {
  Held& held = lane.held;
  CHECK(lane.schema != nullptr && row.size() == lane.schema->columns.size());
  size_t size = 0;
  for (const event::Value& value : row) size += value.size;
  if (held.bytes.size() < size) held.bytes.resize(size);
  if (held.bytes.size() > kKeepBytes && size <= kKeepBytes) {
    held.bytes.resize(kKeepBytes);
    held.bytes.shrink_to_fit();
  }
  held.values.assign(row.begin(), row.end());
  char* next = held.bytes.data();
  for (event::Value& value : held.values) {
    if (value.size == 0) continue;
    std::memcpy(next, value.data, value.size);
    value.data = next;
    next += value.size;
  }
  ++lane.rows;
  held.first_in_table = IsFirst(lane);
  held.first = held.first_in_table && IsFirstOfAll(lane);
  held.last_in_table = false;
  held.full = true;
  if (lane.rows == 1) held.schema = lane.schema;
}

absl::Status RowMarker::ReleaseEnded(event::ChangeHandler& handler) {
  for (Held& held : ended_) RETURN_IF_ERROR(Release(held, handler));
  ended_.clear();
  return absl::OkStatus();
}

absl::Status RowMarker::Release(Held& held, event::ChangeHandler& handler) {
  SnapshotMarker marker = SnapshotMarker::kTrue;
  if (held.first) {
    marker = SnapshotMarker::kFirst;
  } else if (held.last_in_table) {
    marker = SnapshotMarker::kLastInDataCollection;
  } else if (held.first_in_table) {
    marker = SnapshotMarker::kFirstInDataCollection;
  }
  return Release(held, marker, SnapshotPhase::kRunning, handler);
}

absl::Status RowMarker::Release(Held& held, SnapshotMarker marker, SnapshotPhase phase,
                                event::ChangeHandler& handler) {
  held.full = false;
  event::ChangeEvent change;
  change.operation = event::Operation::kRead;
  change.snapshot = marker;
  change.schema = held.schema.get();
  change.after = event::RowView(held.values);
  change.position.commit_end = origin_.consistent_point;
  change.position.change_lsn = origin_.consistent_point;
  change.position.xid = origin_.xid.value_or(0);
  change.position.commit_time_us = origin_.time_us;
  change.position.snapshot = phase;
  change.lsn = origin_.consistent_point;
  change.xid = origin_.xid;
  change.source_time_us = origin_.time_us;
  RETURN_IF_ERROR(handler.OnChange(change));
  if (held.ends) TellOut(*std::exchange(held.ends, std::nullopt));
  return absl::OkStatus();
}

}  // namespace walduct::snapshot
