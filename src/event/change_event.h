// ChangeEvent: one change of one row (or a truncate, or a logical message) as read from the stream
// or a snapshot. Borrows the input buffer: valid until the handler it was given to returns. Knows
// nothing of Kafka or JSON.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "event/position.h"
#include "event/record_id.h"
#include "event/row.h"
#include "event/table_schema.h"

namespace walduct::event {

enum class Operation : char {
  kRead = 'r',
  kCreate = 'c',
  kUpdate = 'u',
  kDelete = 'd',
  kTruncate = 't',
  kMessage = 'm',
};

// source.snapshot of the envelope.
enum class SnapshotMarker : uint8_t {
  kFalse,
  kTrue,
  kFirst,
  kFirstInDataCollection,
  kLastInDataCollection,
  kLast,
  kIncremental,
};

// What an old row is, as far as can be told.
enum class OldRow : uint8_t {
  kWhole,   // a null is NULL
  kKey,     // a null (kAbsent) says nothing: values of the replica identity alone were sent
  kUnsure,  // either: a partition's row under the name of its root, whose identity is another. It
            // is whole if its texts are those of the new row in all columns
};

struct LogicalMessage {
  bool transactional = false;
  absl::string_view prefix;
  absl::string_view content;
};

struct ChangeEvent {
  Operation operation = Operation::kCreate;
  SnapshotMarker snapshot = SnapshotMarker::kFalse;
  const TableSchema* schema = nullptr;  // null for kMessage
  std::optional<RowView> before;        // old row or old key tuple, when the server sent one
  OldRow old_row = OldRow::kWhole;      // of before
  std::optional<RowView> after;
  const LogicalMessage* message = nullptr;  // kMessage only

  Position position;  // once this change is done with
  // end LSN of the last commit before this change, if any is known
  std::optional<Lsn> last_commit_end;
  Lsn lsn;  // of this change
  // absent: unknown (snapshot on a standby, non-transactional message)
  std::optional<uint64_t> xid;
  // commit time, or when the snapshot began to read; since the Unix epoch
  int64_t source_time_us = 0;
  absl::string_view origin;  // empty: none
  Lsn origin_lsn;
  RowName row_name = {};  // of a row that is polled
};

}  // namespace walduct::event
