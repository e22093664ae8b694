#include "engine/phases/read_pace.h"

#include <algorithm>

namespace walduct::engine {

absl::Duration ReadPace::OnEmpty(const Read& read, absl::Duration now) {
  if (waited_ && now - last_ > kPause) {
    flow_ = 0;
    nap_ = kShortestNap;
  }
  last_ = now;
  flow_ = std::min(flow_ + std::min(read.frames, kFlowFrames), kFlowFrames);
  if (flow_ < kFlowFrames) nap_ = kShortestNap;
  // After a nap without data, wait for the source.
  waited_ = read.frames == 0 || flow_ < kFlowFrames;
  if (waited_) return absl::ZeroDuration();
  nap_ = NextNap(read);
  return nap_;
}

bool ReadPace::IsDense(const Read& read) const {
  return piles_up_ && read.frames * kLongestNap >= kFewFrames * std::max(nap_, kLongestNap);
}

absl::Duration ReadPace::NextNap(const Read& read) const {
  if (IsDense(read)) {
    if (read.frames > kManyDenseFrames || read.bytes > kManyDenseBytes)
      return std::max(nap_ / 2, kShortestNap);
    const bool few = read.frames < kFewDenseFrames && read.bytes < kFewDenseBytes;
    return few ? std::min(nap_ * 2, kLongestDenseNap) : nap_;
  }
  if (read.frames < kFewFrames) return std::min(nap_ * 2, kLongestNap);
  if (read.frames > kManyFrames) return std::max(nap_ / 2, kShortestNap);
  return std::min(nap_, kLongestNap);
}

}  // namespace walduct::engine
