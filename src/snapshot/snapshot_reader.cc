#include "snapshot/snapshot_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/errors/sqlstate.h"
#include "postgres/table_key.h"
#include "snapshot/dropped_table.h"
#include "snapshot/rewritten_table.h"

namespace walduct::snapshot {
namespace {

std::string FullName(const PlannedTable& table) {
  return absl::StrCat(table.name.schema, ".", table.name.table);
}

absl::Status OfTable(const absl::Status& status, const PlannedTable& table) {
  return WithContext(postgres::OfReading(status),
                     absl::StrCat("snapshot of table ", FullName(table)));
}

// As Debezium does when it reads tables in chunks.
bool TellsParts(const SnapshotRequest& request) {
  const auto multiplied = [](const PlannedTable& table) { return table.parts_per_session > 1; };
  return !request.split.whole_tables &&
         (request.split.sessions > 1 ||
          std::any_of(request.tables.begin(), request.tables.end(), multiplied));
}

absl::Status SetLockTimeout(postgres::Connection& connection, absl::Duration timeout) {
  const int64_t ms = std::max<int64_t>(1, absl::ToInt64Milliseconds(timeout));
  return connection.Run(absl::StrCat("SET LOCAL lock_timeout = ", ms));
}

}  // namespace

SnapshotReader::SnapshotReader(postgres::Connection& connection, Clock& clock,
                               metrics::ConnectorMetrics& metrics, SnapshotRequest request)
    : request_(std::move(request)),
      parts_(SplitTables(request_.tables, request_.split)),
      tells_parts_(TellsParts(request_)),
      marker_(request_.origin, 1 + request_.workers.size()),
      progress_(request_.tables, parts_, clock, metrics),
      lanes_(1 + request_.workers.size()),
      tables_(request_.tables.size()) {
  if (request_.split.whole_tables) marker_.LeaveOutFirst();
  for (const PlannedTable& table : request_.tables) names_.push_back(FullName(table));
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].place.part == 0) first_parts_.push_back(i);
    ++tables_[parts_[i].place.table].parts_left;
    queue_.push_back(i);
  }
  if (request_.record != nullptr)
    marker_.OnPartOut([this](const PartPlace& place) { Record(place); });
  lanes_[0].connection = &connection;
  for (size_t i = 1; i < lanes_.size(); ++i) lanes_[i].connection = request_.workers[i - 1];
}

absl::StatusOr<SnapshotReader::Progress> SnapshotReader::Step(event::ChangeHandler& handler,
                                                              int max_rows) {
  bool waits = false;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const size_t lane = std::exchange(turn_, (turn_ + 1) % lanes_.size());
    if (lanes_[lane].copy == nullptr) {
      if (queue_.empty()) continue;
      RETURN_IF_ERROR(OpenPart(lane));
      if (lanes_[lane].copy == nullptr) return Progress::kRead;
    }
    const absl::StatusOr<Progress> result = ReadRows(lane, handler, max_rows);
    if (result.ok()) progress_.LogWhenDue();
    if (!result.ok() || *result != Progress::kWouldBlock) return result;
    waits = true;
  }
  if (waits) return Progress::kWouldBlock;
  RETURN_IF_ERROR(Finish(handler));
  return Progress::kDone;
}

absl::StatusOr<SnapshotReader::Progress> SnapshotReader::ReadRows(size_t lane,
                                                                  event::ChangeHandler& handler,
                                                                  int max_rows) {
  const size_t table = parts_[lanes_[lane].part].place.table;
  uint64_t rows = 0;
  absl::StatusOr<Progress> result = TakeRows(lanes_[lane], lane, handler, max_rows, &rows);
  progress_.AddRows(table, rows);
  if (!result.ok() || *result != Progress::kDone) return result;
  RETURN_IF_ERROR(CheckNotRewritten(lanes_[lane]));
  ASSIGN_OR_RETURN(const bool more, NextChunk(lanes_[lane]));
  if (!more) RETURN_IF_ERROR(ClosePart(lane));
  return Progress::kRead;
}

// kDone: the chunk is.
absl::StatusOr<SnapshotReader::Progress> SnapshotReader::TakeRows(Lane& lane, size_t number,
                                                                  event::ChangeHandler& handler,
                                                                  int max_rows, uint64_t* rows) {
  for (int i = 0; i < max_rows; ++i) {
    const absl::StatusOr<postgres::CopyReader::Progress> next = lane.copy->Next();
    if (!next.ok()) return OnError(number, next.status());
    switch (*next) {
      case postgres::CopyReader::Progress::kWouldBlock:
        return Progress::kWouldBlock;
      case postgres::CopyReader::Progress::kEnd:
        return Progress::kDone;
      case postgres::CopyReader::Progress::kRow:
        ++*rows;
        RETURN_IF_ERROR(OnRow(number, lane.copy->row(), handler));
    }
  }
  return Progress::kRead;
}

absl::Status SnapshotReader::OnRow(size_t lane, event::RowView row, event::ChangeHandler& handler) {
  const PlannedTable& table = TableOf(lanes_[lane]);
  if (table.targets.empty()) return marker_.OnRow(lane, row, handler);
  mapped_.resize(table.schema->columns.size());
  MapRow(table.targets, row, &mapped_);
  return marker_.OnRow(lane, mapped_, handler);
}

absl::Status SnapshotReader::OpenPart(size_t lane) {
  Lane& opened = lanes_[lane];
  opened.part = queue_.front();
  queue_.pop_front();
  const TablePart& part = parts_[opened.part];
  const PartPlace& place = part.place;
  const PlannedTable& table = request_.tables[place.table];
  opened.chunk = ChunkAt(table, part, part.blocks.begin);
  marker_.StartPart(lane, place, table.schema);
  RETURN_IF_ERROR(BeginTable(place));
  // Without columns there is nothing that a row could tell.
  if (table.select_columns == 0) return ClosePart(lane);
  const absl::Status started = StartCopy(opened);
  return started.ok() ? started : OfTable(started, table);
}

absl::Status SnapshotReader::BeginTable(const PartPlace& place) {
  TableState& table = tables_[place.table];
  if (!std::exchange(table.begun, true)) {
    progress_.BeginTable(place.table);
    if (listener_ != nullptr) RETURN_IF_ERROR(listener_->OnTableBegin(names_, place.table));
  }
  return tells_parts() && !table.locked ? listener_->OnPartBegin(names_, place) : absl::OkStatus();
}

absl::Status SnapshotReader::StartCopy(Lane& lane) {
  const PlannedTable& table = TableOf(lane);
  const size_t number = lane.chunk.place.table;
  if (!lane.has_savepoint || lane.held_table.value_or(number) != number)
    RETURN_IF_ERROR(PutSavepoint(lane));
  // Going back to the savepoint takes it back.
  if (tables_[number].locked && request_.lock_timeout > kShortLockWait)
    RETURN_IF_ERROR(SetLockTimeout(*lane.connection, request_.lock_timeout));
  ASSIGN_OR_RETURN(lane.copy,
                   postgres::CopyReader::Start(*lane.connection, PartStatement(table, lane.chunk),
                                               table.select_columns));
  if (lanes_.size() > 1) ready_.Add(lane.copy->ready_fd());
  return absl::OkStatus();
}

absl::Status SnapshotReader::PutSavepoint(Lane& lane) const {
  if (std::exchange(lane.has_savepoint, true)) RETURN_IF_ERROR(ReleaseSavepoint(*lane.connection));
  lane.held_table.reset();
  if (request_.lock_timeout > kShortLockWait && tables_.size() > 1)
    RETURN_IF_ERROR(SetLockTimeout(*lane.connection, kShortLockWait));
  return SetSavepoint(*lane.connection);
}

// A table that was dropped is gone without; one of which rows were read was there.
absl::StatusOr<SnapshotReader::Progress> SnapshotReader::OnError(size_t lane,
                                                                 const absl::Status& error) {
  Lane& failed = lanes_[lane];
  const PlannedTable& table = TableOf(failed);
  const bool begun = failed.chunk.blocks.begin != parts_[failed.part].blocks.begin;
  if (begun || failed.copy->begun()) return OfTable(error, table);
  const absl::Status dropped = GoOnWithout(*failed.connection, table.name, error);
  if (dropped.ok()) {
    failed.chunk = parts_[failed.part];  // nothing is behind it
    return Progress::kDone;
  }
  RETURN_IF_ERROR(OfTable(PutOff(failed, dropped), table));
  return Progress::kPutOff;
}

// The part comes again behind all others. OK, or the error.
absl::Status SnapshotReader::PutOff(Lane& lane, const absl::Status& why) {
  if (ErrorReason(why) != "lock_timeout") return why;
  const absl::Status error = request_.explain_lock ? request_.explain_lock(why) : why;
  const size_t table = parts_[lane.part].place.table;
  const bool others = OthersLeft(table);
  if (!others && ++lock_waits_ >= kLockTries) return error;
  log::Warn(others ? "the table is locked: the snapshot reads the others first"
                   : "the snapshot waits for a locked table",
            {{"table", names_[table]},
             {"error", std::string(error.message())},
             {"tables_left", tables_.size() - progress_.tables_done()},
             {"retained_wal_bytes", progress_.retained_wal_bytes()},
             {"hint", ErrorHint(error)}});
  lane.copy = nullptr;
  ready_.Remove(lane.connection->ready_fd());
  tables_[table].locked = true;
  queue_.push_back(lane.part);
  std::stable_partition(queue_.begin(), queue_.end(),
                        [&](size_t part) { return !tables_[parts_[part].place.table].locked; });
  return absl::OkStatus();
}

bool SnapshotReader::OthersLeft(size_t table) const {
  const auto other = [&](size_t part) {
    const size_t of = parts_[part].place.table;
    return of != table && !tables_[of].locked;
  };
  return std::any_of(queue_.begin(), queue_.end(), other) ||
         std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
           return lane.copy != nullptr && (lane.copy->begun() || other(lane.part));
         });
}

// Once for each table: from the first COPY on that has come to its end a lock keeps others away.
absl::Status SnapshotReader::CheckNotRewritten(const Lane& lane) {
  const size_t number = parts_[lane.part].place.table;
  if (std::exchange(tables_[number].checked, true)) return absl::OkStatus();
  const PlannedTable& table = request_.tables[number];
  const absl::StatusOr<bool> hides =
      HidesRows(*lane.connection, table.name, progress_.rows_of(number) > 0);
  if (!hides.ok()) return OfTable(hides.status(), table);
  if (!*hides) return absl::OkStatus();
  return Error(absl::StatusCode::kUnavailable, "table_rewritten",
               absl::StrCat("table ", names_[number],
                            " was rewritten before its turn, by ALTER TABLE as a rule: the "
                            "snapshot's view shows it empty; it is read in a newer one"),
               "nothing to do; with walduct.snapshot.resume=true the other tables are not read "
               "again");
}

absl::StatusOr<bool> SnapshotReader::NextChunk(Lane& lane) {
  const TablePart& part = parts_[lane.part];
  const PlannedTable& table = TableOf(lane);
  progress_.EndChunk(part.place.table, BlocksOf(table, lane.chunk));
  if (lane.chunk.blocks.end == part.blocks.end) return false;
  lane.chunk = ChunkAt(table, part, *lane.chunk.blocks.end);
  ready_.Remove(lane.connection->ready_fd());
  lane.copy = nullptr;
  const absl::Status started = StartCopy(lane);
  if (!started.ok()) return OfTable(started, table);
  return true;
}

absl::Status SnapshotReader::ClosePart(size_t lane) {
  Lane& closed = lanes_[lane];
  const PartPlace& place = parts_[closed.part].place;
  closed.copy = nullptr;
  ready_.Remove(closed.connection->ready_fd());
  lock_waits_ = 0;
  if (place.parts > 1) closed.held_table = place.table;
  marker_.EndPart(lane);
  if (tells_parts()) RETURN_IF_ERROR(listener_->OnPartEnd(names_, place));
  if (--tables_[place.table].parts_left > 0) return absl::OkStatus();
  progress_.EndTable(place.table);
  if (listener_ == nullptr) return absl::OkStatus();
  return listener_->OnTableEnd(names_, place.table, progress_.rows_of(place.table));
}

// What has changed in a range is read once more by the next attempt.
void SnapshotReader::Record(const PartPlace& place) const {
  const TablePart& part = parts_[first_parts_[place.table] + place.part];
  if (part.changed_since) return;
  const PlannedTable& table = request_.tables[place.table];
  request_.record->OnRead(postgres::TableKey(table.name.schema, table.name.table), table.storage,
                          request_.view_since, part.blocks);
}

absl::Status SnapshotReader::Finish(event::ChangeHandler& handler) {
  RETURN_IF_ERROR(marker_.Finish(handler));
  progress_.Finish(request_.origin.consistent_point);
  return absl::OkStatus();
}

int SnapshotReader::ready_fd() const {
  if (lanes_.size() > 1) return ready_.fd();
  return lanes_[0].copy == nullptr ? -1 : lanes_[0].copy->ready_fd();
}

const PlannedTable& SnapshotReader::TableOf(const Lane& lane) const {
  return request_.tables[parts_[lane.part].place.table];
}

}  // namespace walduct::snapshot
