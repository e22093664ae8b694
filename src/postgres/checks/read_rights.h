// What the session's user may read, as the server judges the statement itself: rights of the role
// that it has become (SET role), those it inherits, and grants of single columns.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "event/wanted_columns.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::postgres {

// USAGE on the schema and SELECT on the columns that are wanted, of every table; row level security
// that would hide rows. One error names all tables: PermissionDenied, reason table_not_readable or
// row_security_hides_rows, with the GRANTs. places: ctid and xmin of the rows, too.
absl::Status CheckReadRights(Connection& connection, const std::vector<TableName>& tables,
                             const event::WantedColumns& wanted, bool places = false);

// Those of whose rows it may know where they stand and who wrote them: ctid, xmin. A grant of
// columns has to name them.
absl::StatusOr<std::set<Oid>> FindReadablePlaces(Connection& connection,
                                                 const std::vector<Oid>& relations);

// How ACCESS SHARE on a table is had: LOCK TABLE wants a right on the whole table.
enum class LockRight {
  kTable,    // by LOCK TABLE
  kColumns,  // by LockByReading
  kNone,
};
// Relations that are gone are left out.
absl::StatusOr<std::map<Oid, LockRight>> FindLockRights(Connection& connection,
                                                        const std::vector<Oid>& relations);

// ACCESS SHARE until the end of the transaction, as any statement that reads the table takes it.
// It gives no row and asks for a right on one column, whichever. A transaction with one view has
// taken it by then.
absl::Status LockByReading(Connection& connection, absl::string_view schema,
                           absl::string_view table);

}  // namespace walduct::postgres
