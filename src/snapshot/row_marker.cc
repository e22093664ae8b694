#include "snapshot/row_marker.h"

#include <cstring>
#include <utility>

#include "base/check.h"

namespace walduct::snapshot {
namespace {

using event::SnapshotMarker;
using event::SnapshotPhase;

// A buffer grown past this by one huge row is given back with the next small one.
constexpr size_t kKeepBytes = 1 << 20;

}  // namespace

void RowMarker::StartTable(event::TableSchemaPtr schema) {
  schema_ = std::move(schema);
  ++tables_;
  table_rows_ = 0;
}

absl::Status RowMarker::OnRow(event::RowView row, event::ChangeHandler& handler) {
  absl::Status status;
  if (held_.full) {
    SnapshotMarker marker = SnapshotMarker::kTrue;
    if (held_.first) {
      marker = SnapshotMarker::kFirst;
    } else if (held_.last_in_table) {
      marker = SnapshotMarker::kLastInDataCollection;
    } else if (held_.first_in_table) {
      marker = SnapshotMarker::kFirstInDataCollection;
    }
    status = Release(marker, SnapshotPhase::kRunning, handler);
  }
  Hold(row);
  return status;
}

void RowMarker::EndTable() {
  if (table_rows_ > 0) held_.last_in_table = true;
  schema_ = nullptr;
}

absl::Status RowMarker::Finish(event::ChangeHandler& handler) {
  if (!held_.full) return absl::OkStatus();
  held_.full = false;
  return Release(SnapshotMarker::kLast, SnapshotPhase::kCompleted, handler);
}

void RowMarker::Hold(event::RowView row) {
  CHECK(schema_ != nullptr && row.size() == schema_->columns.size());
  size_t size = 0;
  for (const event::Value& value : row) size += value.size;
  if (held_.bytes.size() < size) held_.bytes.resize(size);
  if (held_.bytes.size() > kKeepBytes && size <= kKeepBytes) {
    held_.bytes.resize(kKeepBytes);
    held_.bytes.shrink_to_fit();
  }
  held_.values.assign(row.begin(), row.end());
  char* next = held_.bytes.data();
  for (event::Value& value : held_.values) {
    if (value.size == 0) continue;
    std::memcpy(next, value.data, value.size);
    value.data = next;
    next += value.size;
  }
  ++table_rows_;
  held_.first_in_table = table_rows_ == 1;
  held_.first = held_.first_in_table && tables_ == 1;
  held_.last_in_table = false;
  held_.full = true;
  if (held_.first_in_table) held_.schema = schema_;
}

absl::Status RowMarker::Release(SnapshotMarker marker, SnapshotPhase phase,
                                event::ChangeHandler& handler) {
  event::ChangeEvent change;
  change.operation = event::Operation::kRead;
  change.snapshot = marker;
  change.schema = held_.schema.get();
  change.after = event::RowView(held_.values);
  change.position.commit_end = origin_.consistent_point;
  change.position.change_lsn = origin_.consistent_point;
  change.position.xid = origin_.xid.value_or(0);
  change.position.commit_time_us = origin_.time_us;
  change.position.snapshot = phase;
  change.lsn = origin_.consistent_point;
  change.xid = origin_.xid;
  change.source_time_us = origin_.time_us;
  return handler.OnChange(change);
}

}  // namespace walduct::snapshot
