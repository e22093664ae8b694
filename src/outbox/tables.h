// What the catalog knows of the outbox tables: the tables that hold their rows, and whether all
// that is inserted into them is published. A table whose inserts are not all published is never
// touched.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "postgres/connection.h"

namespace walduct::names {
class TableFilter;
}  // namespace walduct::names

namespace walduct::outbox {

struct OutboxOptions;

// A table with rows: an ordinary one, or one partition.
struct Leaf {
  std::string relation;     // "schema"."table"
  std::string time_column;  // quoted; empty: none, the retention is zero
  bool partition = false;
  bool bounded = false;  // a partition by time with an upper bound
  bool expired = false;  // its upper bound is past the retention
  std::string oid;
  // Transaction id: rows of older ones may have come before the table was published, and were never
  // published. Empty: there are none.
  std::string since;
};

// What a process has seen of the tables. One that appears later, or under another name, may hold
// rows that were never published under its name. Not thread-safe; outlives sessions.
struct TableMemory {
  struct Seen {
    std::string name;   // schema.table, and that of the table it is published as
    std::string since;  // transaction id, as Leaf::since; empty: it was there at the beginning
  };
  std::string beginning;  // transaction id; empty: nothing is remembered yet
  bool looked = false;
  std::map<std::string, Seen> tables;  // by OID
};

struct TablesQuery {
  const OutboxOptions* outbox = nullptr;
  const names::TableFilter* captured = nullptr;
  std::string publication;
  TableMemory* memory = nullptr;  // null: what is there now always was
  bool to_come = false;           // a table that the publication lacks will be put into it
};

// All borrowed for the call. Sorted by name. FailedPrecondition:
//   outbox_no_tables        walduct.outbox.tables matches nothing
//   outbox_not_captured     the include and exclude lists leave the table out
//   outbox_not_published    the publication lacks the table or its inserts, or has only rows of a
//                           filter
//   outbox_unlogged         the table never reaches the WAL
//   outbox_no_time_column   a retention, but no column or more than one that could tell a row's age
//   outbox_not_partitioned  drop_partitions, but nothing to drop
absl::StatusOr<std::vector<Leaf>> FindLeaves(postgres::Connection& connection,
                                             const TablesQuery& query);

// FailedPrecondition outbox_history when one of the tables has rows visible to the session's
// present snapshot: call where they would be deleted without having been published. OK with
// walduct.outbox.cleanup.history=delete.
absl::Status CheckNoHistory(postgres::Connection& connection, const TablesQuery& query);

}  // namespace walduct::outbox
