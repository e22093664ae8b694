// The decoded messages of pgoutput, one struct each. Names, rows and contents are views: of the
// payload for the bytes, of the caller's TupleBuffers for the rows; valid until either is reused.
// Times are microseconds since the Unix epoch.
//
// `xid` of Relation, Type, Insert, Update, Delete, Truncate and Message is present exactly when the
// message came between StreamStart and StreamStop; elsewhere the transaction is that of the last
// Begin.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/lsn.h"
#include "event/row.h"
#include "event/table_schema.h"

namespace walduct::pgoutput {

struct BeginMessage {
  Lsn final_lsn;  // start of the commit record
  int64_t commit_time_us = 0;
  Xid xid{};
};

struct CommitMessage {
  Lsn commit_lsn;  // start of the commit record: BeginMessage::final_lsn
  Lsn end_lsn;     // first byte behind it
  int64_t commit_time_us = 0;
};

struct OriginMessage {
  Lsn commit_lsn;  // of the transaction on the server it came from
  absl::string_view name;
};

struct RelationMessageColumn {
  bool part_of_identity = false;
  absl::string_view name;
  Oid type{};
  int32_t typmod = -1;
};

struct RelationMessage {
  std::optional<Xid> xid;
  Oid relation{};
  absl::string_view schema;  // "pg_catalog" for the empty name that the server sends for it
  absl::string_view table;
  event::ReplicaIdentity replica_identity = event::ReplicaIdentity::kDefault;
  std::vector<RelationMessageColumn> columns;  // reused from call to call
};

struct TypeMessage {
  std::optional<Xid> xid;
  Oid type{};
  absl::string_view schema;  // as RelationMessage::schema
  absl::string_view name;    // for a domain: the name of its base type
};

// What the server sent of the row as it was.
enum class OldTuple : char {
  kNone = 0,
  // Values of the identity columns, the others null; REPLICA IDENTITY FULL: the whole row. Of a
  // partition that comes under its root's name, the letter is the root's and the row the
  // partition's: either may be either.
  kKey = 'K',
  kFull = 'O',
};

// Where rows are decoded to. Owned by the caller and reused: no allocation once they have grown to
// the widest relation.
struct TupleBuffers {
  std::vector<event::Value> old_row;
  std::vector<event::Value> new_row;
};

struct InsertMessage {
  std::optional<Xid> xid;
  Oid relation{};
  event::RowView new_row;
};

struct UpdateMessage {
  std::optional<Xid> xid;
  Oid relation{};
  OldTuple old_tuple = OldTuple::kNone;
  event::RowView old_row;
  event::RowView new_row;
};

struct DeleteMessage {
  std::optional<Xid> xid;
  Oid relation{};
  OldTuple old_tuple = OldTuple::kKey;
  event::RowView old_row;
};

struct TruncateMessage {
  std::optional<Xid> xid;
  bool cascade = false;
  bool restart_identity = false;
  std::vector<Oid> relations;  // reused from call to call
};

// pg_logical_emit_message.
struct LogicalMessage {
  std::optional<Xid> xid;
  bool transactional = false;
  Lsn lsn;
  absl::string_view prefix;
  absl::string_view content;
};

struct StreamStartMessage {
  Xid xid{};
  bool first_segment = false;
};

struct StreamStopMessage {};

struct StreamCommitMessage {
  Xid xid{};
  Lsn commit_lsn;
  Lsn end_lsn;
  int64_t commit_time_us = 0;
};

struct StreamAbortMessage {
  Xid xid{};
  Xid subtransaction{};  // equal to xid when the whole transaction is aborted
  // Protocol 4 with streaming=parallel only.
  std::optional<Lsn> abort_lsn;
  std::optional<int64_t> abort_time_us;
};

// BeginPrepare, and with the same members Prepare and StreamPrepare.
struct PrepareMessage {
  Lsn prepare_lsn;
  Lsn end_lsn;
  int64_t prepare_time_us = 0;
  Xid xid{};
  absl::string_view gid;
};

struct CommitPreparedMessage {
  Lsn commit_lsn;
  Lsn end_lsn;
  int64_t commit_time_us = 0;
  Xid xid{};
  absl::string_view gid;
};

struct RollbackPreparedMessage {
  Lsn prepare_end_lsn;
  Lsn rollback_end_lsn;
  int64_t prepare_time_us = 0;
  int64_t rollback_time_us = 0;
  Xid xid{};
  absl::string_view gid;
};

}  // namespace walduct::pgoutput
