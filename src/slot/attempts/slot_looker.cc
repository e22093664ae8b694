#include "slot/attempts/slot_looker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.h"
#include "metrics/connector_metrics.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kTick = absl::Seconds(1);
// Whoever streams looks by itself, and may be a little late.
constexpr absl::Duration kLate = absl::Seconds(5);
// Between two looks at one server, whatever the reason.
constexpr absl::Duration kBetween = absl::Seconds(2);

}  // namespace

struct SlotLooker::Group {
  std::vector<Slot> slots;
  std::vector<std::string> names;
  bool due = false;
};

bool SlotLooker::Watch(const std::shared_ptr<engine::Monitored>& connector) {
  std::optional<SlotPlace> place = world_.PlaceOfSlot(connector->config());
  if (!place) return false;
  connector->metrics().lag.Watch(world_.clock().Now());
  const MutexLock lock(mutex_);
  slots_.push_back(
      {.place = *std::move(place), .owner = connector, .shower = std::make_shared<SlotShower>()});
  return true;
}

void SlotLooker::Add(const std::shared_ptr<engine::Monitored>& connector) {
  if (!Watch(connector)) return;
  const MutexLock lock(mutex_);
  thread_.Start([this] { Loop(); });
}

void SlotLooker::Loop() {
  while (thread_.Pause(kTick)) Turn();
}

std::vector<SlotLooker::Slot> SlotLooker::Watched() {
  const MutexLock lock(mutex_);
  std::vector<Slot> watched;
  std::erase_if(slots_, [&watched](const Slot& slot) {
    watched.push_back(slot);
    watched.back().connector = slot.owner.lock();
    if (watched.back().connector != nullptr) return false;
    watched.pop_back();
    return true;
  });
  return watched;
}

// The first look after the end of a session is at once: from there on it is known what has come.
bool SlotLooker::IsDue(engine::Monitored& connector, const SlotPlace& place,
                       absl::Duration now) const {
  const auto tried = tried_.find(place.server);
  if (tried != tried_.end() && now - tried->second < kBetween) return false;
  const engine::ConnectorStatus status = connector.status();
  const bool looks = status.activity == engine::Activity::kStreaming ||
                     status.activity == engine::Activity::kSnapshotting;
  const std::optional<metrics::SlotView> seen = connector.metrics().slot.Read();
  const absl::Duration since = tried == tried_.end() ? kInterval : now - tried->second;
  if (!seen) {
    // One that begins comes to its server by itself.
    const bool rests = status.activity == engine::Activity::kNone;
    const absl::Duration begun = world_.clock().Now() - status.state_since;
    return since >= (looks ? kInterval + kLate : kInterval) && (rests || begun >= kLate);
  }
  const absl::Duration age = now - seen->looked_at;
  if (looks) return age >= kInterval + kLate && since >= kInterval;
  if (seen->doubted || (since >= kInterval && age >= kInterval)) return true;
  const absl::Duration rested = world_.clock().Now() - status.activity_since;
  return status.activity == engine::Activity::kNone && age > rested && since > rested;
}

void SlotLooker::Turn() {
  const absl::Duration now = world_.clock().Monotonic();
  std::map<std::string, Group> groups;
  for (Slot& slot : Watched()) {
    Group& group = groups[slot.place.server];
    group.due |= IsDue(*slot.connector, slot.place, now);
    group.names.push_back(slot.place.slot);
    group.slots.push_back(std::move(slot));
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
      group.slots.front().connector->config(), group.names, [this] { return thread_.stopping(); });
  if (!looks.ok()) {
    log::Debug("cannot look at the slots", {{"error", std::string(looks.status().message())}});
    if (!thread_.stopping()) OnUnreached(group);
    return;
  }
  const absl::Duration now = world_.clock().Monotonic();
  for (size_t i = 0; i < looks->size(); ++i) Show(group.slots[i], (*looks)[i], now);
}

void SlotLooker::Show(const Slot& slot, const replication::SlotLook& look, absl::Duration now) {
  engine::Monitored& connector = *slot.connector;
  slot.shower->Show(look, now, world_.clock(), connector.names(), connector.status(),
                    &connector.metrics());
}

// Of one that streams its own session knows more.
void SlotLooker::OnUnreached(const Group& group) {
  for (const Slot& slot : group.slots) {
    const engine::Activity activity = slot.connector->status().activity;
    if (activity == engine::Activity::kStreaming || activity == engine::Activity::kSnapshotting)
      continue;
    slot.connector->metrics().slot.OnUnreached();
    slot.connector->metrics().lag.OnUnreached(world_.clock().Now());
  }
}

}  // namespace walduct::slot
