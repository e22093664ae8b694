// Which server it is that a connector reads from, and its slot, as its role may ask: one that polls
// has neither a slot nor the right to replicate.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "postgres/connection.h"
#include "replication/slot.h"

namespace walduct::postgres {
struct DatabaseOptions;
}  // namespace walduct::postgres

namespace walduct::operate {

// polls: it has no slot, and one of that name is another connector's.
absl::StatusOr<std::optional<replication::SlotState>> SlotOf(postgres::Connection& sql, bool polls,
                                                             const std::string& slot_name);

absl::StatusOr<replication::SystemIdentity> IdentityOf(postgres::Connection& sql, bool polls,
                                                       const postgres::DatabaseOptions& database,
                                                       const Environment& environment);

}  // namespace walduct::operate
