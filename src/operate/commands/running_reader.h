// Whether a process reads for a connector now, as the server knows it.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "postgres/connection.h"
#include "replication/slot.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::operate {

// FailedPrecondition connector_running: its slot is in use, or its tables are polled. slot: as it
// was looked at; absent: it has none.
absl::Status CheckNotRunning(postgres::Connection& sql, const engine::ConnectorOptions& options,
                             const std::optional<replication::SlotState>& slot);

}  // namespace walduct::operate
