// Tables that go from one slot to another when walduct.slots changes.
//
// A publication is looked up as of the change that is decoded. So the commit that takes a table
// from one publication and gives it to another cuts its changes in two: what was written before
// comes through the one slot, what is written after it through the other. A transaction that wrote
// before and commits after it would be cut in its middle, and servers before the minor releases of
// May 2025 forget what it wrote after; the table is locked against writers for that moment.
//
// With more slots tables go to new ones alone, with fewer from those alone that end: none is moved
// twice on the way to a number.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "replication/publication/publication_sql.h"
#include "replication/slot_share.h"
#include "replication/slots/distribution.h"

namespace walduct::replication {

struct SlotsChange {
  int from = 1;
  SlotShare share;  // count: the number to come; publications: of all slots, of both numbers

  int to() const { return share.count; }
};

struct MovedTable {
  PublishedTable table;
  std::string suffix;  // its column list and row filter, as ADD TABLE takes them
};

// In one transaction: a table, with its partitions.
struct TableMove {
  int from = 0;
  int to = 0;
  std::vector<MovedTable> tables;
};

// The slot that a table of this one has to go to; the same: it stays. Pure.
int SlotAfterChange(const TableOfSlots& table, int slot, const SlotsChange& change);

// What is still to be moved; looks only. FailedPrecondition: a publication is not one of tables
// that are named, is missing or unlike another, two name a table, or a partition is in another one
// than its root.
absl::StatusOr<std::vector<TableMove>> FindMoves(postgres::Connection& connection,
                                                 const SlotsChange& change,
                                                 const std::vector<postgres::TableName>& captured);

// What MoveTables runs. Pure.
std::string MoveSql(const TableMove& move, absl::string_view from, absl::string_view to);

// Writers queue behind a table that cannot be locked: briefly, or, where an autovacuum has it,
// before that until it yields, which it does to nobody who waits shorter than deadlock_timeout.
enum class LockWait { kBrief, kUntilVacuumYields };

// DeadlineExceeded tables_locked: somebody has it, and is named; nothing is moved.
absl::Status MoveTables(postgres::Connection& connection, const SlotsChange& change,
                        const TableMove& move, LockWait wait);

// Those of the slots to come, like the first slot's, without tables. Before the slots are made: a
// slot never finds a younger publication.
absl::Status MakeEmptyPublications(postgres::Connection& connection, const SlotsChange& change);

// Of a slot that has ended. False: the role may not.
absl::StatusOr<bool> DropPublication(postgres::Connection& connection, absl::string_view name);

}  // namespace walduct::replication
