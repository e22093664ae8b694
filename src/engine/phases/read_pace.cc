#include "engine/phases/read_pace.h"

#include <algorithm>
#include <utility>

namespace walduct::engine {

ReadPace::Answer ReadPace::OnEmpty(int frames, size_t bytes, absl::Duration now) {
  if (waited_ && now - last_ > kPause) flow_ = 0;
  last_ = now;
  flow_ = std::min(flow_ + std::min(frames, kFlowFrames), kFlowFrames);
  if (flow_ < kFlowFrames) nap_ = kShortestNap;
  // After a nap without data, wait for the source.
  waited_ = frames == 0 || flow_ < kFlowFrames;
  piled_ += bytes;
  if (waited_) piled_ = 0;
  if (waited_) return {.kind = Answer::Kind::kWait, .nap = {}};
  if (!near_) return Nap(static_cast<size_t>(frames));
  waited_ = bytes >= kMoreBytes;
  if (waited_) return {.kind = Answer::Kind::kMore, .nap = {}};
  return Nap(std::exchange(piled_, 0));
}

ReadPace::Answer ReadPace::Nap(size_t piled) {
  const Pile& wanted = near_ ? kBytes : kFrames;
  const bool flood = !near_ || piled >= kFloodBytes;
  if (piled < wanted.little) nap_ = std::min(nap_ * 2, flood ? wanted.longest : kFrames.longest);
  if (piled > wanted.much) nap_ = std::max(nap_ / 2, kShortestNap);
  return {.kind = Answer::Kind::kNap, .nap = nap_};
}

}  // namespace walduct::engine
