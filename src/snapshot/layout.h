// How many blocks tables have, and in which files, for those that can be read by ranges of blocks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"

namespace walduct::snapshot {

struct Layout {
  uint32_t blocks = 0;  // of the largest of the table's members
  // Names the files of all of them: a rewrite gives them others.
  std::string storage;
};

// By the table's oid; tables of which one member is no heap are left out, and before PostgreSQL 14
// all are. Waits for no lock: a table that somebody locks is as large as the last VACUUM or ANALYZE
// saw it.
absl::StatusOr<std::map<uint32_t, Layout>> ReadLayouts(
    postgres::Connection& connection, const std::vector<postgres::TableName>& tables);

}  // namespace walduct::snapshot
