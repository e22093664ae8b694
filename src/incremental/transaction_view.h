// What a session's view of the database shows.
#pragma once

#include "absl/status/status.h"
#include "incremental/chunk.h"
#include "postgres/connection.h"

namespace walduct::incremental {

// Of the transaction that the session is in.
absl::Status ReadView(postgres::Connection& connection, TransactionView* view);

}  // namespace walduct::incremental
