// The oldest transaction of the server that has written something, of any database, open or
// prepared: until it ends, the server keeps the WAL since its first change for every slot, however
// fast the slot is read (restart_lsn stands while confirmed_flush_lsn moves).
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "metrics/slot_board.h"
#include "postgres/connection.h"

namespace walduct::engine {

// One query of the statistics, which takes no lock; absent: there is none. Of the sessions of other
// roles the server tells nothing to a role without pg_read_all_stats.
absl::StatusOr<std::optional<metrics::OpenTransaction>> FindOldestTransaction(
    postgres::Connection& connection);

}  // namespace walduct::engine
