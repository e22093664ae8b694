// History: one seed from its first step to its end: workers that a supervisor starts again whenever
// they end, faults for a while, then calm until everything is published and marked.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "tests/simulation/poll/world.h"

namespace walduct::poll_simulation {

struct Outcome {
  std::string broken;   // empty: every promise was kept
  std::string history;  // the last steps
  size_t faults = 0;    // that could have happened
  std::array<size_t, kFaults> counts{};
  size_t rows = 0, arrivals = 0, repeats = 0, parked = 0;
  absl::Duration lasted;
};

// left_out: faults that do not happen, by their number.
Outcome RunSeed(uint64_t seed, Defect defect = Defect::kNone, const std::set<size_t>& left_out = {},
                size_t steps_kept = 0);

// The same seed with as few faults as break a promise, and what then happened.
std::string Shrink(uint64_t seed, Defect defect, const Outcome& outcome);

struct Tally {
  uint64_t seeds = 0;
  std::vector<uint64_t> broken;  // seeds, the lowest first
  std::array<size_t, kFaults> counts{};
  size_t rows = 0, arrivals = 0, repeats = 0, parked = 0;
  absl::Duration lasted;  // simulated

  // One line; the faults with their names.
  std::string Text() const;
};

// On so many threads, up to the first broken ones.
Tally RunSeeds(uint64_t first, uint64_t seeds, Defect defect, size_t threads, size_t most_broken);

}  // namespace walduct::poll_simulation
