#include "slot/world/known/known_slots.h"

namespace walduct::slot {

std::shared_ptr<KnownSlot> KnownSlots::Of(const std::string& place, const Reader& reader) {
  const MutexLock lock(mutex_);
  if (all_.size() >= kMost && !all_.contains(place))
    std::erase_if(all_, [](const auto& one) { return one.second.known.use_count() == 1; });
  Entry& entry = all_[place];
  if (entry.known == nullptr) entry.known = std::make_shared<KnownSlot>();
  entry.reader = reader;
  return entry.known;
}

std::vector<std::string> KnownSlots::OthersOf(const Reader& reader) const {
  const MutexLock lock(mutex_);
  std::vector<std::string> others;
  for (const auto& [place, entry] : all_) {
    const bool is_there = entry.known.use_count() > 1;
    if (is_there && entry.reader.slot == reader.slot && entry.reader.connector != reader.connector)
      others.push_back(entry.reader.connector);
  }
  return others;
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
