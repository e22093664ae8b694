// What a role needs before tables may go from slot to slot: asked for while nothing is changed yet,
// as a hand-over that stops in its middle lets nobody stream.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "postgres/connection.h"
#include "replication/slots/table_moves.h"

namespace walduct::replication {

// PermissionDenied publication_not_permitted: what is lacking, and what gives it. Looks only.
absl::Status CheckMoveRights(postgres::Connection& connection, const SlotsChange& change,
                             const std::vector<TableMove>& moves);

}  // namespace walduct::replication
