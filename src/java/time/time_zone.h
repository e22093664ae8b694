// Time zones by name ("Europe/Berlin") or offset ("+05:30"). Pure but for the system's zone files.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace walduct::java {

// InvalidArgument: neither a name that this system knows nor an offset.
absl::StatusOr<absl::TimeZone> FindTimeZone(absl::string_view name);

}  // namespace walduct::java
