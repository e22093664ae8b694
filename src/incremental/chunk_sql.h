// The statements that walk a table by a key. Bounds are parameters without a type: the server gives
// them that of the column they are compared with, and compares as its index does. Pure.
#pragma once

#include <string>
#include <vector>

#include "incremental/chunk.h"
#include "postgres/connection.h"

namespace walduct::incremental {

struct WalkColumn {
  std::string name;
  bool nullable = false;
  bool of_system = false;  // ctid
  std::string type = {};   // its name

  bool operator==(const WalkColumn&) const = default;
};

struct Walk {
  TableId table;
  std::optional<std::string> condition = {};
  std::vector<WalkColumn> columns = {};
  size_t shown = 0;  // how many of them are the key; the others tell equal keys apart
};

// The greatest key. Both have parameters, so that the server takes them as one statement each,
// whatever the condition says.
postgres::Statement MaximumSql(const Walk& walk);
// Rows behind `after`, up to `maximum` where `after` is there. A bound shorter than the walk
// includes rows equal to it.
postgres::Statement ChunkSql(const Walk& walk, const std::vector<std::string>& columns,
                             const std::optional<Key>& after, const std::optional<Key>& maximum,
                             int limit);

}  // namespace walduct::incremental
