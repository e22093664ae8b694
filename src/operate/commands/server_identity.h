// Which server it is that a connector reads from, and its slot, as its role may ask: one that polls
// has neither a slot nor the right to replicate.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "postgres/connection.h"
#include "replication/slot.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::operate {

// Absent, too, of one that polls: a slot of that name is another connector's.
absl::StatusOr<std::optional<replication::SlotState>> SlotOf(
    postgres::Connection& sql, const engine::ConnectorOptions& connector);

absl::StatusOr<replication::SystemIdentity> IdentityOf(postgres::Connection& sql,
                                                       const engine::ConnectorOptions& connector,
                                                       const Environment& environment);

}  // namespace walduct::operate
