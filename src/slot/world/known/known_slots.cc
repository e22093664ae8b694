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

void KnownSlots::Claim(const std::string& connector, const std::string& server,
                       const std::string& slot) {
  const MutexLock lock(mutex_);
  claims_[connector] = {server, slot};
}

std::set<std::string> KnownSlots::OfOthers(const std::string& connector,
                                           const std::string& server) {
  std::set<std::string> slots;
  const MutexLock lock(mutex_);
  for (const auto& [name, claim] : claims_)
    if (name != connector && claim.first == server) slots.insert(claim.second);
  return slots;
}

}  // namespace walduct::slot
