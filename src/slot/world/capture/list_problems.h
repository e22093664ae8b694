// Entries of the include lists that match no table of the database, before anything runs.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "metrics/capture_board.h"
#include "replication/capture/idle_entries.h"

namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::postgres {
class Connection;
}

namespace walduct::slot {

struct KnownTables;

// In the words of a connector that runs. wish: see ListWish. likely: what an entry may mean first.
absl::StatusOr<std::vector<metrics::CaptureProblem>> FindListProblems(
    const names::TableFilterOptions& lists, const replication::CaptureWish& wish,
    const replication::LikelyTables& likely, postgres::Connection& connection);

// The names that go with a stored position, and the publication by which it was read.
void RememberStoredNames(const KnownTables& known, const names::TableFilterOptions& lists,
                         replication::CaptureMemory* memory);

}  // namespace walduct::slot
