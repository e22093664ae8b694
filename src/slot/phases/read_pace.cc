#include "slot/phases/read_pace.h"

#include <algorithm>
#include <utility>

namespace walduct::slot {

ReadPace::Answer ReadPace::OnEmpty(int frames, size_t bytes, absl::Duration now) {
  if (waited_ && now - last_ > kPause) flow_ = 0;
  last_ = now;
  flow_ = std::min(flow_ + std::min(frames, kFlowFrames), kFlowFrames);
  if (flow_ < kFlowFrames) nap_ = kShortestNap;
  // After a nap without data, wait for the source.
  waited_ = frames == 0 || flow_ < kFlowFrames;
  if (waited_) piled_ = {};
  if (waited_) return {.kind = Answer::Kind::kWait, .nap = {}};
  const auto came = static_cast<size_t>(frames);
  if (!near_) return Nap(came, kFrames);
  piled_.frames += came;
  piled_.bytes += bytes;
  waited_ = bytes >= kMoreBytes;
  if (waited_) return {.kind = Answer::Kind::kMore, .nap = {}};
  const Piled piled = std::exchange(piled_, {});
  Pile wanted = kBytes;
  if (!Floods(piled.frames)) wanted.longest = kFrames.longest;
  return Nap(piled.bytes, wanted);
}

ReadPace::Answer ReadPace::Nap(size_t piled, const Pile& wanted) {
  if (piled < wanted.little) nap_ *= 2;
  if (piled > wanted.much) nap_ = std::max(nap_ / 2, kShortestNap);
  nap_ = std::min(nap_, wanted.longest);
  return {.kind = Answer::Kind::kNap, .nap = nap_};
}

// During the last nap, and while what had gathered was read.
bool ReadPace::Floods(size_t frames) const {
  const absl::Duration took = std::max(nap_, kFrames.longest);
  return static_cast<double>(frames) >= kFloodFrames * absl::FDivDuration(took, kFrames.longest);
}

}  // namespace walduct::slot
