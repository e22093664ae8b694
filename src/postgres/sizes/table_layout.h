// How many blocks tables have, and in which files, for those that can be read by ranges of blocks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "event/type.h"
#include "postgres/connection.h"

namespace walduct::postgres {

// Without the hold of a lock a table that somebody locks is as large as VACUUM or ANALYZE last saw
// it: nothing is waited for. With it sizes are what they are.
enum class LayoutLock : uint8_t { kNone, kHeld };

struct TableLayout {
  uint32_t blocks = 0;   // of the largest of the table's members
  uint32_t members = 0;  // with rows of their own: the table, or its partitions and children
  // Names the files of all of them: a rewrite gives them others.
  std::string storage;
};

// Tables of which one member is no heap are left out, and before PostgreSQL 14 all are.
absl::StatusOr<std::map<Oid, TableLayout>> ReadLayouts(Connection& connection,
                                                       const std::vector<Oid>& relations,
                                                       LayoutLock lock);

}  // namespace walduct::postgres
