// History: one seed from its first step to its end: instances that a supervisor starts again
// whenever they end, faults for a while, then calm until everything is delivered.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "tests/simulation/world.h"

namespace walduct::simulation {

struct Outcome {
  std::string broken;   // empty: every promise was kept
  std::string history;  // the last steps
  size_t faults = 0;    // that could have happened
  std::array<size_t, kFaults> counts{};
  bool failed_over = false;
  absl::Duration lasted;
};

inline constexpr size_t kStepsKept = 60;

// left_out: faults that do not happen, by their number.
Outcome RunSeed(uint64_t seed, Defect defect = Defect::kNone, const std::set<size_t>& left_out = {},
                size_t steps_kept = kStepsKept);

// The same seed with as few faults as break a promise, and what then happened.
std::string Shrink(uint64_t seed, Defect defect, const Outcome& outcome);

}  // namespace walduct::simulation
