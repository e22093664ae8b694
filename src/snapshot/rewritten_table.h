// A table may be rewritten (ALTER TABLE … TYPE, ADD COLUMN with a volatile default) after the
// snapshot's view was taken and before the snapshot holds its lock. What rewrote it gave the new
// files rows of its own: the older view sees none of them, and the server says nothing. VACUUM FULL
// and CLUSTER keep what older views see.
#pragma once

#include "absl/status/statusor.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::snapshot {

// Inside the snapshot's transaction, with the lock of a COPY of the table held. gave_rows: the view
// has shown some of its rows. Whether others can be hidden from it: the table, a partition or a
// child has other files than the view knows, and they are not empty.
absl::StatusOr<bool> HidesRows(postgres::Connection& connection, const postgres::TableName& table,
                               bool gave_rows);

}  // namespace walduct::snapshot
