// ServerNow: what the server says of itself as it is now, and whether a stored position is of it.
// Pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "offset/stored_offset.h"
#include "poll/position/table_position.h"
#include "postgres/connection.h"

namespace walduct::poll {

struct ServerNow {
  std::string snapshot = {};  // that it reads back
  uint32_t timeline = 0;
  Lsn flushed = {};  // of its WAL
  Lsn written = {};  // what the snapshot sees is before it
  std::string system_identifier = {};

  // Where a position is stored that is of it.
  void Put(offset::StoredOffset* stored) const;
};

// Of the answer to NowSql. DataLoss malformed_answer.
absl::StatusOr<ServerNow> ReadNow(const postgres::Result& answer);

// A server whose numbers were given again, or are others: FailedPrecondition outbox_position_lost.
absl::Status CheckServer(const offset::StoredOffset& stored, const TablePositions& positions,
                         const ServerNow& now);

}  // namespace walduct::poll
