// Entries of the include lists that match no table of the database, before anything runs.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "metrics/capture_board.h"

namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::postgres {
class Connection;
}
namespace walduct::replication {
struct CaptureWish;
}

namespace walduct::slot {

// In the words of a connector that runs. wish: see ListWish.
absl::StatusOr<std::vector<metrics::CaptureProblem>> FindListProblems(
    const names::TableFilterOptions& lists, const replication::CaptureWish& wish,
    postgres::Connection& connection);

}  // namespace walduct::slot
