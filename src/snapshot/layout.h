// How many blocks tables have, for those that can be read by ranges of blocks.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"

namespace walduct::snapshot {

// By the table's oid, of the largest of its members; tables that have none, or of which one is no
// heap, are left out, and before PostgreSQL 14 all are. Waits for no lock: a table that somebody
// locks is as large as the last VACUUM or ANALYZE saw it.
absl::StatusOr<std::map<uint32_t, uint32_t>> ReadBlocks(
    postgres::Connection& connection, const std::vector<postgres::TableName>& tables);

}  // namespace walduct::snapshot
