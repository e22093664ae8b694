// Entries of the include lists that match no table of the database, before anything runs.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "metrics/capture_board.h"

namespace walduct::engine {
struct ConnectorOptions;
}
namespace walduct::postgres {
class Connection;
}

namespace walduct::slot {

// In the words of a connector that runs.
absl::StatusOr<std::vector<metrics::CaptureProblem>> FindListProblems(
    const engine::ConnectorOptions& config, postgres::Connection& connection);

}  // namespace walduct::slot
