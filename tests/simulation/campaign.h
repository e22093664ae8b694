// Campaign: many seeds, on several threads, and what they came to.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/simulation/history.h"

namespace walduct::simulation {

struct Campaign {
  uint64_t first = 1;
  uint64_t seeds = 1;
  Defect defect = Defect::kNone;
  size_t threads = 1;
  size_t most_broken = 5;  // seeds, then it ends
};

struct Tally {
  uint64_t seeds = 0;
  std::vector<uint64_t> broken;  // seeds, the lowest first
  size_t failovers = 0;
  std::array<size_t, kFaults> counts{};
  absl::Duration lasted;  // simulated

  // One line; the faults with their names.
  std::string Text() const;
};

Tally RunCampaign(const Campaign& campaign);

}  // namespace walduct::simulation
