// The parts of tables that several sessions read at a time: ranges of blocks, which together are
// the whole table. Blocks need no key, no count and no sort, and PostgreSQL 14 and later read such
// a range alone. Pure.
//
// Why nothing is missed: a row that the snapshot sees stays where it is while somebody reads the
// table (a lock keeps VACUUM FULL and CLUSTER away), the ranges join without a gap, and the last
// one is open: it has what was added since the blocks were counted. A table with partitions or
// children is read by the same ranges of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "snapshot/plan.h"
#include "snapshot/row_marker.h"

namespace walduct::snapshot {

struct TablePart {
  PartPlace place;
  BlockRange blocks = {};
  // Only rows that this transaction or a later one wrote: the rest of the range was read before.
  std::optional<uint64_t> changed_since = std::nullopt;
};

struct SplitOptions {
  size_t sessions = 1;
  bool whole_tables = false;  // legacy.snapshot.max.threads
  // So small that little is read again after the snapshot was cut short.
  bool small = false;
};

// In the order they are begun. A table whose blocks are not known is one part, and so is one of
// which no more than one is wanted.
std::vector<TablePart> SplitTables(const std::vector<PlannedTable>& tables,
                                   const SplitOptions& options);

// A large part is read chunk by chunk, one behind the other, so that it is known how far it is. The
// one that begins at `from`, a block of the part; the first one begins where the part does.
TablePart ChunkAt(const PlannedTable& table, const TablePart& part, uint32_t from);
size_t ChunksOf(const PlannedTable& table, const TablePart& part);
// How many of the table's blocks are read with it; 0: they are not counted, or were before.
uint64_t BlocksOf(const PlannedTable& table, const TablePart& part);

std::string PartStatement(const PlannedTable& table, const TablePart& part);

}  // namespace walduct::snapshot
