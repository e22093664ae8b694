#include "engine/lifecycle/slot_looker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.h"

namespace walduct::engine {
namespace {

constexpr absl::Duration kTick = absl::Seconds(1);
// Whoever streams looks by itself, and may be a little late.
constexpr absl::Duration kLate = absl::Seconds(5);
// Between two looks at one server, whatever the reason.
constexpr absl::Duration kBetween = absl::Seconds(2);

}  // namespace

struct SlotLooker::Group {
  std::vector<std::shared_ptr<WatchedSlot>> connectors;
  std::vector<std::string> slots;
  bool due = false;
};

void SlotLooker::Watch(const std::shared_ptr<WatchedSlot>& connector) {
  connector->BeginWatch();
  const MutexLock lock(mutex_);
  connectors_.push_back(connector);
}

void SlotLooker::Add(const std::shared_ptr<WatchedSlot>& connector) {
  if (!connector->slot_place()) return;
  Watch(connector);
  const MutexLock lock(mutex_);
  thread_.Start([this] { Loop(); });
}

void SlotLooker::Loop() {
  while (thread_.Pause(kTick)) Turn();
}

std::vector<std::shared_ptr<WatchedSlot>> SlotLooker::Watched() {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<WatchedSlot>> watched;
  std::erase_if(connectors_, [&watched](const std::weak_ptr<WatchedSlot>& one) {
    std::shared_ptr<WatchedSlot> connector = one.lock();
    if (connector == nullptr) return true;
    watched.push_back(std::move(connector));
    return false;
  });
  return watched;
}

// The first look after the end of a session is at once: from there on it is known what has come.
bool SlotLooker::IsDue(const WatchedSlot& connector, const SlotPlace& place,
                       absl::Duration now) const {
  const auto tried = tried_.find(place.server);
  if (tried != tried_.end() && now - tried->second < kBetween) return false;
  const ConnectorStatus status = connector.status();
  const bool looks =
      status.activity == Activity::kStreaming || status.activity == Activity::kSnapshotting;
  const std::optional<metrics::SlotView> seen = connector.slot_view();
  const absl::Duration since = tried == tried_.end() ? kInterval : now - tried->second;
  if (!seen) {
    // One that begins comes to its server by itself.
    const bool rests = status.activity == Activity::kNone;
    const absl::Duration begun = world_.clock().Now() - status.state_since;
    return since >= (looks ? kInterval + kLate : kInterval) && (rests || begun >= kLate);
  }
  const absl::Duration age = now - seen->looked_at;
  if (looks) return age >= kInterval + kLate && since >= kInterval;
  if (seen->doubted || (since >= kInterval && age >= kInterval)) return true;
  const absl::Duration rested = world_.clock().Now() - status.activity_since;
  return status.activity == Activity::kNone && age > rested && since > rested;
}

void SlotLooker::Turn() {
  const absl::Duration now = world_.clock().Monotonic();
  std::map<std::string, Group> groups;
  for (const std::shared_ptr<WatchedSlot>& connector : Watched()) {
    const SlotPlace& place = *connector->slot_place();
    Group& group = groups[place.server];
    group.due |= IsDue(*connector, place, now);
    group.connectors.push_back(connector);
    group.slots.push_back(place.slot);
  }
  std::erase_if(tried_, [&groups](const auto& one) { return !groups.contains(one.first); });
  for (const auto& [server, group] : groups) {
    if (!group.due || thread_.stopping()) continue;
    LookAt(group);
    tried_[server] = world_.clock().Monotonic();
  }
}

void SlotLooker::LookAt(const Group& group) {
  const absl::StatusOr<std::vector<replication::SlotLook>> looks = world_.LookAtSlots(
      group.connectors.front()->config(), group.slots, [this] { return thread_.stopping(); });
  if (!looks.ok()) {
    log::Debug("cannot look at the slots", {{"error", std::string(looks.status().message())}});
    return;
  }
  const absl::Duration now = world_.clock().Monotonic();
  for (size_t i = 0; i < looks->size(); ++i) group.connectors[i]->ShowLook((*looks)[i], now);
}

}  // namespace walduct::engine
