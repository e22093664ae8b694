// Publication: created or altered as publication.autocreate.mode says, always before the slot.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "config/options.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"

namespace walduct::replication {

// captured: the tables the filters include now. FailedPrecondition / PermissionDenied with the SQL to type.
absl::Status EnsurePublication(postgres::Connection& connection, const config::ReplicationOptions& options,
                               const std::vector<postgres::TableName>& captured);

}  // namespace walduct::replication
