// May the session's user write the marks of incremental snapshots into the signaling table?
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "postgres/connection.h"

namespace walduct::incremental {

// INSERT into its first three columns; where marks are deleted again (insert_delete) DELETE, and
// SELECT on id. PermissionDenied, reason signal_table_not_writable, with the GRANTs. OK for a table
// that is not there: others say so.
absl::Status CheckSignalRights(postgres::Connection& connection, absl::string_view schema,
                               absl::string_view table, bool deletes);

// The same, with a warning in the place of PermissionDenied.
absl::Status WarnOfSignalRights(postgres::Connection& connection, absl::string_view schema,
                                absl::string_view table, bool deletes);

}  // namespace walduct::incremental
