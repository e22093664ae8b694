// scripts/test simulation -- [--seeds N] [--first N] [--threads N]    so many seeds, from the first
//                         -- --seed N [--defect N] [--log]            one, with its whole history
//                         -- --defects [--seeds N]                    how soon each is found
//
// Of worlds with a slot, then of those with an outbox table that is polled; with --poll of the
// latter alone, --seed too.
//
// Ends with 1 when a promise is broken, or a planted defect is not found.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/simulation/campaign.h"
#include "tests/simulation/poll/history.h"

namespace walduct::simulation {
namespace {

struct Arguments {
  uint64_t seed = 0, seeds = 10000, first = 1;
  size_t threads = std::max(1U, std::thread::hardware_concurrency());
  uint8_t defect = 0;
  bool defects = false, log = false, poll = false;
};

int RunOne(uint64_t seed, Defect defect) {
  const Outcome outcome = RunSeed(seed, defect, {}, std::numeric_limits<size_t>::max());
  std::cout << outcome.history << "\n";
  if (outcome.broken.empty()) {
    std::cout << "seed " << seed << ": every promise was kept\n";
    return EXIT_SUCCESS;
  }
  std::cout << "\nseed " << seed << ": " << Shrink(seed, defect, outcome) << "\n";
  return EXIT_FAILURE;
}

int RunMany(const Arguments& arguments) {
  const Campaign campaign{.first = arguments.first,
                          .seeds = arguments.seeds,
                          .defect = static_cast<Defect>(arguments.defect),
                          .threads = arguments.threads};
  const Tally tally = RunCampaign(campaign);
  for (const uint64_t seed : tally.broken) {
    std::cout << "seed " << seed << ": "
              << Shrink(seed, campaign.defect, RunSeed(seed, campaign.defect)) << "\n\n";
  }
  std::cout << tally.Text() << "\n";
  return tally.broken.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int PlantEach(const Arguments& arguments) {
  int missed = 0;
  for (uint8_t i = 1; i < static_cast<uint8_t>(Defect::kCount); ++i) {
    const auto defect = static_cast<Defect>(i);
    const Tally tally = RunCampaign({.first = arguments.first,
                                     .seeds = arguments.seeds,
                                     .defect = defect,
                                     .threads = 1,
                                     .most_broken = 1});
    if (tally.broken.empty()) ++missed;
    std::cout << DefectName(defect) << ": "
              << (tally.broken.empty() ? std::string("NOT FOUND")
                                       : absl::StrCat("found by seed ", tally.broken.front()))
              << "\n";
  }
  return missed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int Slot(const Arguments& arguments) {
  if (arguments.defects) return PlantEach(arguments);
  if (arguments.seed > 0) return RunOne(arguments.seed, static_cast<Defect>(arguments.defect));
  return RunMany(arguments);
}

}  // namespace
}  // namespace walduct::simulation

namespace walduct::poll_simulation {
namespace {

using simulation::Arguments;

int PollOne(uint64_t seed, Defect defect) {
  const Outcome outcome = RunSeed(seed, defect, {}, std::numeric_limits<size_t>::max());
  std::cout << outcome.history << "\n";
  if (outcome.broken.empty()) {
    std::cout << "seed " << seed << ": every promise was kept\n";
    return EXIT_SUCCESS;
  }
  std::cout << "\nseed " << seed << ": " << Shrink(seed, defect, outcome) << "\n";
  return EXIT_FAILURE;
}

int PollMany(const Arguments& arguments) {
  constexpr size_t kMostBroken = 5;
  const auto defect = static_cast<Defect>(arguments.defect);
  const Tally tally =
      RunSeeds(arguments.first, arguments.seeds, defect, arguments.threads, kMostBroken);
  for (const uint64_t seed : tally.broken)
    std::cout << "seed " << seed << ": " << Shrink(seed, defect, RunSeed(seed, defect)) << "\n\n";
  std::cout << tally.Text() << "\n";
  return tally.broken.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int PlantEachPolled(const Arguments& arguments) {
  int missed = 0;
  for (uint8_t i = 1; i < static_cast<uint8_t>(Defect::kCount); ++i) {
    const auto defect = static_cast<Defect>(i);
    const Tally tally = RunSeeds(arguments.first, arguments.seeds, defect, 1, 1);
    if (tally.broken.empty()) ++missed;
    std::cout << DefectName(defect) << ": "
              << (tally.broken.empty() ? std::string("NOT FOUND")
                                       : absl::StrCat("found by seed ", tally.broken.front()))
              << "\n";
  }
  return missed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int Poll(const Arguments& arguments) {
  if (arguments.defects) return PlantEachPolled(arguments);
  if (arguments.seed > 0) return PollOne(arguments.seed, static_cast<Defect>(arguments.defect));
  return PollMany(arguments);
}

int Main(const Arguments& arguments) {
  if (!arguments.log && std::freopen("/dev/null", "w", stderr) == nullptr) return EXIT_FAILURE;
  const bool both = arguments.seed == 0 && arguments.defect == 0;
  const int slot = arguments.poll ? EXIT_SUCCESS : simulation::Slot(arguments);
  const int poll = arguments.poll || both ? Poll(arguments) : EXIT_SUCCESS;
  return slot == EXIT_SUCCESS ? poll : slot;
}

}  // namespace
}  // namespace walduct::poll_simulation

int main(int argc, char** argv) {
  walduct::simulation::Arguments arguments;
  CLI::App app("The engine in a world of dice.");
  app.add_flag("--poll", arguments.poll, "worlds alone whose outbox table is polled");
  app.add_option("--seed", arguments.seed, "one, with its whole history");
  app.add_option("--seeds", arguments.seeds, "how many");
  app.add_option("--first", arguments.first, "the first of them");
  app.add_option("--threads", arguments.threads);
  app.add_option("--defect", arguments.defect, "which is planted: see world.h, poll/world.h");
  app.add_flag("--defects", arguments.defects, "plants each in turn");
  app.add_flag("--log", arguments.log, "with the log of the instances");
  CLI11_PARSE(app, argc, argv);
  return walduct::poll_simulation::Main(arguments);
}
