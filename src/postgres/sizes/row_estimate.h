// EstimateRows: how many rows tables have, by what the server knows without looking.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "event/type.h"
#include "postgres/connection.h"

namespace walduct::postgres {

// By relation; one of which nothing is known is missing. Partitions and children count with the
// table that is asked for. Takes no lock on it.
absl::StatusOr<std::map<Oid, uint64_t>> EstimateRows(Connection& connection,
                                                     const std::vector<Oid>& relations);

}  // namespace walduct::postgres
