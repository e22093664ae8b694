// Stopping: what code that waits asks now and then, on the thread that waits; true: it is to end,
// with Interrupted().
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"

namespace walduct {

using Stopping = absl::FunctionRef<bool()>;

// So long at most between two questions.
inline constexpr absl::Duration kStoppingLook = absl::Milliseconds(100);

inline absl::Status Interrupted() { return absl::CancelledError("interrupted"); }

// Of whoever is not interrupted.
inline bool NeverStops() { return false; }

}  // namespace walduct
