// Traces of pg_upgrade. It begins a new system with the rows, the transaction ids and, from
// PostgreSQL 17 on, the logical slots of the old one: it sets the WAL to a segment beyond the old
// server's, restores the definitions of all tables, and makes the slots in the first segment of the
// new server's own WAL.
//
// Source: https://www.postgresql.org/docs/current/pgupgrade.html, src/bin/pg_upgrade of PostgreSQL.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "postgres/connection.h"

namespace walduct::replication {

struct UpgradeTraces {
  int server_version = 0;
  uint64_t wal_segment_bytes = 0;
  // The oldest transaction that wrote the definition of a relation, of those that initdb did not
  // make; absent: there is none.
  std::optional<uint32_t> oldest_definition = {};
};

absl::StatusOr<UpgradeTraces> ReadUpgradeTraces(postgres::Connection& sql);

}  // namespace walduct::replication
