// A table may be dropped after it was listed and before the snapshot reads it. The statement that
// trips over it would end the whole transaction; behind a savepoint it ends alone, and the snapshot
// goes on without a table that has no rows any more.
#pragma once

#include "absl/status/status.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::snapshot {

// Inside the snapshot's transaction. A savepoint is passed as often as GoOnWithout is called, until
// it is released.
absl::Status SetSavepoint(postgres::Connection& connection);
absl::Status ReleaseSavepoint(postgres::Connection& connection);

// After a statement about the table has failed with `error`: back to the savepoint. OK when the
// table has been dropped, which is logged; else the error. A table that only has another name now
// is Unavailable, table_renamed: the snapshot has to begin anew.
absl::Status GoOnWithout(postgres::Connection& connection, const postgres::TableName& table,
                         const absl::Status& error);

}  // namespace walduct::snapshot
