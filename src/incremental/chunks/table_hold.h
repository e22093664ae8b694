// TableHold: ACCESS SHARE on the table of a chunk for as long as the chunk's transaction, so that
// the structure that was asked for is that of the rows. A role with a right on the whole table
// locks it before the transaction's view is taken; one that may read some columns only takes the
// lock by reading, behind the view, and then makes sure that nothing was altered in between.
#pragma once

#include "absl/status/statusor.h"
#include "incremental/signals/table_name.h"
#include "postgres/checks/read_rights.h"
#include "postgres/connection.h"

namespace walduct::incremental {

class TableHold {
 public:
  // Outside of a transaction; asks once for each table.
  absl::Status Prepare(postgres::Connection& connection, const TableId& table);
  // The first statement of the transaction. Errors: the server's; Unavailable, table_rewritten: the
  // table was altered meanwhile, a new transaction sees it.
  absl::Status Take(postgres::Connection& connection) const;
  // Asks again, after a refusal; whether the right is another one.
  absl::StatusOr<bool> Refresh(postgres::Connection& connection);

 private:
  TableId table_;
  postgres::LockRight right_ = postgres::LockRight::kTable;
};

}  // namespace walduct::incremental
