// What a session's view of the database shows.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "incremental/chunks/chunk.h"
#include "postgres/connection.h"

namespace walduct::incremental {

// Of the transaction that the session is in.
absl::Status ReadView(postgres::Connection& connection, TransactionView* view);

// The table, where nobody is open who has written to it; else 0. On a standby that is not known.
absl::StatusOr<Oid> ReadQuiet(postgres::Connection& connection, const TableId& table);

// What to do when the view lacks what was streamed.
absl::string_view HintOfHeld(const TransactionView& view);

}  // namespace walduct::incremental
