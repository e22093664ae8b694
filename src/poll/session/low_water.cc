#include "poll/session/low_water.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_split.h"

namespace walduct::poll {
namespace {

// Of all time: a claim from the beginning one percent, a look a tenth.
constexpr double kShareOfWhole = 100, kShareOfLooks = 10;
constexpr absl::Duration kLongestWhole = absl::Minutes(1);
constexpr absl::Duration kShortestLook = absl::Milliseconds(300);
// One that starts, one that sees that the writers are gone, one that sees all their rows; and a
// bound of before may be under way.
constexpr int kLooks = 5;

}  // namespace

bool LowWater::IsWholeDue(absl::Duration now) const { return !from_ || now >= next_whole_; }

void LowWater::TookWhole(absl::Duration took, absl::Duration now) {
  next_whole_ = now + std::min(took * kShareOfWhole, kLongestWhole);
}

void LowWater::Claimed(int64_t id) {
  claimed_ = std::max(claimed_.value_or(id), id);
  looks_left_ = kLooks;
}

void LowWater::Looked(std::optional<int64_t> first_open, absl::string_view writers,
                      absl::Duration took, absl::Duration now) {
  --looks_left_;
  next_look_ = now + std::max(took * kShareOfLooks, kShortestLook);
  // The look began after the bound was there.
  if (bound_) from_ = std::min(first_open.value_or(*bound_ + 1), *bound_ + 1);
  std::vector<std::string> there = absl::StrSplit(writers, ' ', absl::SkipEmpty());
  std::sort(there.begin(), there.end());
  if (wanted_) {
    std::vector<std::string> left;
    std::set_intersection(writers_.begin(), writers_.end(), there.begin(), there.end(),
                          std::back_inserter(left));
    writers_ = std::move(left);
  } else if (claimed_ && claimed_ != bound_) {
    wanted_ = claimed_;
    writers_ = std::move(there);
  } else {
    looks_left_ = 0;
  }
  if (wanted_ && writers_.empty()) bound_ = std::exchange(wanted_, std::nullopt);
}

}  // namespace walduct::poll
