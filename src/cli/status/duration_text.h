// How long something has lasted, as status and its lines print it. Pure.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace walduct::cli {

// "2h 05m": short, for a column.
std::string DurationText(absl::Duration duration);

}  // namespace walduct::cli
