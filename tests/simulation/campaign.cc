#include "tests/simulation/campaign.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"

namespace walduct::simulation {
namespace {

class Sum {
 public:
  explicit Sum(size_t most_broken) : most_broken_(most_broken) {}

  void Add(uint64_t seed, const Outcome& outcome) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++tally_.seeds;
    if (!outcome.broken.empty()) tally_.broken.push_back(seed);
    if (outcome.failed_over) ++tally_.failovers;
    for (size_t fault = 0; fault < kFaults; ++fault) tally_.counts[fault] += outcome.counts[fault];
    tally_.lasted += outcome.lasted;
  }
  bool full() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return tally_.broken.size() >= most_broken_;
  }
  Tally Take() {
    std::sort(tally_.broken.begin(), tally_.broken.end());
    return std::move(tally_);
  }

 private:
  const size_t most_broken_;
  mutable std::mutex mutex_;
  Tally tally_;
};

}  // namespace

Tally RunCampaign(const Campaign& campaign) {
  Sum sum(campaign.most_broken);
  std::atomic<uint64_t> next{campaign.first};
  const uint64_t end = campaign.first + campaign.seeds;
  const auto run = [&] {
    for (uint64_t seed = next++; seed < end && !sum.full(); seed = next++)
      sum.Add(seed, RunSeed(seed, campaign.defect));
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < campaign.threads; ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  return sum.Take();
}

std::string Tally::Text() const {
  std::string text =
      absl::StrCat(seeds, " seeds, ", broken.size(), " broken; ", absl::ToInt64Hours(lasted),
                   " simulated hours, ", failovers, " failovers");
  for (size_t fault = 0; fault < kFaults; ++fault)
    absl::StrAppend(&text, ", ", counts[fault], " ", FaultName(fault));
  return text;
}

}  // namespace walduct::simulation
