#include "slot/world/known/known_slots.h"

namespace walduct::slot {

std::shared_ptr<KnownSlot> KnownSlots::Of(const std::string& place) {
  const MutexLock lock(mutex_);
  if (all_.size() >= kMost && !all_.contains(place))
    std::erase_if(all_, [](const auto& one) { return one.second.use_count() == 1; });
  std::shared_ptr<KnownSlot>& known = all_[place];
  if (known == nullptr) known = std::make_shared<KnownSlot>();
  return known;
}

}  // namespace walduct::slot
