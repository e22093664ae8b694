// What a session's view of the database shows.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "incremental/chunks/chunk.h"
#include "postgres/connection.h"

namespace walduct::incremental {

// Of the transaction that the session is in.
absl::Status ReadView(postgres::Connection& connection, TransactionView* view);

// Before the view is taken, in no transaction: whether somebody is open who has written to the
// table. On a standby that is not known.
absl::Status ReadQuiet(postgres::Connection& connection, const TableId& table,
                       TransactionView* view);

// What to do when the view lacks what was streamed.
absl::string_view HintOfHeld(const TransactionView& view);

}  // namespace walduct::incremental
