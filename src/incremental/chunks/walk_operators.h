// How bounds of a walk are compared with columns whose types users have made. By its bare name an
// operator is looked for on the session's search_path: where that lacks the schema of an extension,
// citext is compared as text, in another order than its index has, and most types not at all.
#pragma once

#include "absl/status/status.h"
#include "event/table_schema.h"
#include "incremental/chunks/chunk_sql.h"
#include "postgres/connection.h"

namespace walduct::incremental {

// Asks the catalog only where a column has a base type that is not of pg_catalog.
absl::Status FindOperators(postgres::Connection& connection, const event::TableSchema& schema,
                           Walk* walk);

}  // namespace walduct::incremental
