// RunAside: for work that waits in a library which nobody can interrupt.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "base/environment.h"
#include "base/stopping.h"

namespace walduct {

// What work answers, on a thread of its own. Cancelled: stopping said so; work then ends by itself,
// later than this, so that it may use only what it holds.
absl::Status RunAside(std::function<absl::Status()> work, const Environment& environment,
                      Stopping stopping);

}  // namespace walduct
