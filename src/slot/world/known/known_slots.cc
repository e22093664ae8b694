#include "slot/world/known/known_slots.h"

#include "absl/strings/ascii.h"

namespace walduct::slot {

std::shared_ptr<KnownSlot> KnownSlots::Of(const std::string& place, const Reader& reader) {
  const MutexLock lock(mutex_);
  if (all_.size() >= kMost && !all_.contains(place))
    std::erase_if(all_, [](const auto& one) { return !one.second.is_there(); });
  Entry& entry = all_[place];
  if (entry.known == nullptr) entry.known = std::make_shared<KnownSlot>();
  entry.reader = reader;
  return entry.known;
}

std::vector<std::string> KnownSlots::OthersOf(const Reader& reader) const {
  std::vector<std::string> others;
  const MutexLock lock(mutex_);
  for (const auto& [place, entry] : all_) {
    const Reader& other = entry.reader;
    if (entry.is_there() && other.connector != reader.connector && other.server == reader.server &&
        other.slot == reader.slot)
      others.push_back(other.connector);
  }
  return others;
}

std::set<std::string> KnownSlots::PublicationsOfOthers(const std::string& connector,
                                                       const std::string& database) const {
  std::set<std::string> publications;
  const MutexLock lock(mutex_);
  for (const auto& [place, entry] : all_) {
    const Reader& other = entry.reader;
    if (!entry.is_there() || other.connector == connector || other.database != database) continue;
    for (const std::string& publication : other.publications) {
      publications.insert(publication);
      publications.insert(absl::AsciiStrToLower(publication));
    }
  }
  return publications;
}

std::set<std::string> KnownSlots::SlotsOfOthers(const std::string& connector,
                                                const std::string& server) const {
  std::set<std::string> slots;
  const MutexLock lock(mutex_);
  for (const auto& [place, entry] : all_) {
    const Reader& other = entry.reader;
    if (entry.is_there() && other.connector != connector && other.server == server)
      slots.insert(other.slot);
  }
  return slots;
}

}  // namespace walduct::slot
