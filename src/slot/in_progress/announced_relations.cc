#include "slot/in_progress/announced_relations.h"

#include "base/byte_reader.h"

namespace walduct::slot {
namespace {

// Zero for a message that is cut off; the assembler refuses it.
uint32_t OidOf(absl::string_view message) {
  ByteReader reader(message);
  reader.U8();
  return reader.U32();
}

}  // namespace

void AnnouncedRelations::Remember(uint64_t place, absl::string_view message) {
  newest_[OidOf(message)] = {.place = place, .message = std::string(message)};
}

void AnnouncedRelations::OnReplayed(uint64_t place, absl::string_view message) {
  const uint32_t oid = OidOf(message);
  const auto known = newest_.find(oid);
  if (known != newest_.end() && known->second.place > place) {
    superseded_.insert(oid);
    return;
  }
  superseded_.erase(oid);
  Remember(place, message);
}

std::vector<std::string> AnnouncedRelations::TakeSuperseded() {
  std::vector<std::string> messages;
  for (const uint32_t oid : superseded_) messages.push_back(newest_[oid].message);
  superseded_.clear();
  return messages;
}

void AnnouncedRelations::Forget() {
  newest_.clear();
  superseded_.clear();
}

}  // namespace walduct::slot
