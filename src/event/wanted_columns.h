// WantedColumns: the columns of a table whose values its records need, by index, ascending. What is
// not among them is not asked of the server: its column grants may leave it out.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "event/table_schema.h"

namespace walduct::event {

// Empty: all of them.
using WantedColumns = std::function<std::vector<uint16_t>(const TableSchema& schema)>;

inline std::vector<uint16_t> ColumnsOf(const WantedColumns& wanted, const TableSchema& schema) {
  if (wanted) return wanted(schema);
  std::vector<uint16_t> all(schema.columns.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  return all;
}

}  // namespace walduct::event
