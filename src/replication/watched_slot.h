// A look at slots from beside their streams: what the server says of each and where its WAL ends,
// in one statement for all slots of a server, whatever their databases.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "postgres/connection.h"

namespace walduct::replication {

struct WatchedSlot {
  std::string slot;
  // "reserved", "extended", "unreserved", "lost"; "missing": no slot has the name; empty: the
  // server does not say, before PostgreSQL 13
  std::string wal_status;
  Lsn wal_end;  // of the server: written on a primary, replayed on a standby
  bool in_recovery = false;
  bool partial = false;    // more is not written yet: the rest of a record, asynchronous commits
  uint64_t next_xid = 0;   // changes when one ends; its low half is behind all that have ended
  Lsn confirmed;           // 0/0: none
  uint32_t slot_xmin = 0;  // catalog_xmin; 0: none
  uint64_t retained_bytes = 0;
  std::optional<int64_t> safe_bytes;  // until it is lost, as the server says it; absent: no limit
  uint64_t limit_bytes = 0;           // max_slot_wal_keep_size; 0: none
  std::string reader;                 // "pid 12, application x"; empty: nobody reads it
};

// Something is still to be done about it: it keeps most of what the server allows, or more.
bool IsEndangered(const WatchedSlot& look);

// One for each name, in that order.
absl::StatusOr<std::vector<WatchedSlot>> ReadWatchedSlots(postgres::Connection& connection,
                                                          const std::vector<std::string>& slots);

}  // namespace walduct::replication
