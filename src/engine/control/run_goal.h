// What a run is for.
#pragma once

#include <optional>

#include "base/lsn.h"

namespace walduct::engine {

enum class RunMode {
  kRun,   // to the configured sink
  kTail,  // to the terminal; temporary slot, nothing stored, nothing left behind
};

// When a run ends by itself. Neither set: only by a stop signal.
struct RunGoal {
  std::optional<Lsn> until_lsn;
  bool until_caught_up = false;

  bool set() const { return until_lsn.has_value() || until_caught_up; }
};

}  // namespace walduct::engine
