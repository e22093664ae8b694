#include "engine/phases/read_pace.h"

#include <algorithm>

namespace walduct::engine {

absl::Duration ReadPace::OnEmpty(int frames, absl::Duration now) {
  if (waited_ && now - last_ > kPause) flow_ = 0;
  last_ = now;
  flow_ = std::min(flow_ + std::min(frames, kFlowFrames), kFlowFrames);
  if (flow_ < kFlowFrames) nap_ = kShortestNap;
  // After a nap without data, wait for the source.
  waited_ = frames == 0 || flow_ < kFlowFrames;
  if (waited_) return absl::ZeroDuration();
  if (frames < kFewFrames) nap_ = std::min(nap_ * 2, kLongestNap);
  if (frames > kManyFrames) nap_ = std::max(nap_ / 2, kShortestNap);
  return nap_;
}

}  // namespace walduct::engine
