// Dates as Java's java.sql.Date counts them: before 15 October 1582 by the Julian calendar, with
// the year, month and day that PostgreSQL prints. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::incremental {

// Since 1 January 1970. Absent: no date with digits (infinity).
std::optional<int64_t> DaysOfDate(absl::string_view text);
std::string DateOfDays(int64_t days);

}  // namespace walduct::incremental
