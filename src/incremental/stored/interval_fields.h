// An interval as pgjdbc keeps it: its fields as they are written, and its text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::incremental {

// Those with a sign have it each for itself; of a time with a sign all parts have it.
struct IntervalFields {
  int32_t years = 0, months = 0, days = 0;
  int32_t hours = 0, minutes = 0;
  int32_t seconds = 0, microseconds = 0;
};

// As PostgreSQL prints it under IntervalStyle=postgres: "-1 mons +2 days -03:00:00.5". Absent:
// another text, infinity among them.
std::optional<IntervalFields> ParseInterval(absl::string_view text);
// As pgjdbc prints it, which PostgreSQL reads: "-1 mons 2 days -3 hours -0.5 secs".
std::string PrintInterval(const IntervalFields& interval);

}  // namespace walduct::incremental
