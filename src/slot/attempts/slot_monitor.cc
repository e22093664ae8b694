#include "slot/attempts/slot_monitor.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/log.h"
#include "metrics/connector_metrics.h"
#include "slot/attempts/slot_source.h"
#include "slot/world/known/known_slots.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kTick = absl::Seconds(1);
// Whoever streams looks by itself, and may be a little late.
constexpr absl::Duration kLate = absl::Seconds(5);
// Between two looks at one server, whatever the reason.
constexpr absl::Duration kBetween = absl::Seconds(2);
// What is captured is looked after by a session for each database, in which those of many
// connectors take turns: so many at a time, which is not each second.
constexpr size_t kMany = 10, kMostLooks = 50, kMostSessions = 25;
// A position that is read has a client of its own: where many rest they take turns.
constexpr absl::Duration kBetweenPositions = absl::Seconds(6);

bool Rests(const engine::ConnectorStatus& status) {
  using enum engine::ConnectorState;
  return status.activity == engine::Activity::kNone &&
         (status.state == kPaused || status.state == kStopped || status.state == kFailed);
}

// It has a session of its own for that.
bool LooksItself(const engine::Monitored& connector) {
  const engine::Activity activity = connector.status().activity;
  return activity == engine::Activity::kStreaming || activity == engine::Activity::kSnapshotting;
}

}  // namespace

struct SlotMonitor::Group {
  std::vector<Slot> slots;
  std::vector<std::string> names;
  bool due = false;
};

bool SlotMonitor::Watch(const std::shared_ptr<engine::Monitored>& connector) {
  if (!StreamsSlot(connector->config())) return false;
  std::optional<SlotPlace> place = world_.PlaceOfSlot(connector->config());
  if (!place) return false;
  std::shared_ptr<KnownSlot> known = world_.KnownOf(connector->config());
  metrics::LagBoard& lag = connector->metrics().lag;
  if (const auto behind = known->lag(place->Name(), world_.clock().Now())) lag.Recall(*behind);
  lag.Watch(world_.clock().Now());
  const MutexLock lock(mutex_);
  slots_.push_back({.place = *std::move(place),
                    .owner = connector,
                    .shower = std::make_shared<SlotShower>(),
                    .trouble = std::make_shared<LookTrouble>(metrics::Beside::kSlotLook),
                    .rest = std::make_shared<RestWatch>(),
                    .position = std::make_shared<RestPosition>(),
                    .known = std::move(known)});
  return true;
}

void SlotMonitor::Add(const std::shared_ptr<engine::Monitored>& connector) {
  if (!Watch(connector)) return;
  const MutexLock lock(mutex_);
  thread_.Start([this] { Loop(); });
  reader_.Start([this] {
    while (reader_.Pause(kTick)) ReadPosition();
  });
}

void SlotMonitor::Loop() {
  while (thread_.Pause(kTick)) Turn();
}

std::vector<SlotMonitor::Slot> SlotMonitor::Watched() {
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
bool SlotMonitor::IsDue(engine::Monitored& connector, const SlotPlace& place,
                        absl::Duration now) const {
  const auto tried = tried_.find(place.server);
  if (tried != tried_.end() && now - tried->second < kBetween) return false;
  const engine::ConnectorStatus status = connector.status();
  const bool looks = LooksItself(connector);
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

void SlotMonitor::Turn() {
  const absl::Duration now = world_.clock().Monotonic();
  std::map<std::string, Group> groups;
  for (Slot& slot : Watched()) {
    const engine::ConnectorStatus status = slot.connector->status();
    if (!Rests(status)) slot.rest->End();
    if (!Rests(status) && !status.retries()) {
      slot.position->End();
      slot.connector->metrics().slot.ShowPosition(std::nullopt);
    }
    // Of one that reads its attempt does, when it ends.
    if (!LooksItself(*slot.connector))
      slot.known->RememberLag(slot.place.Name(), slot.connector->metrics().lag.Remember(),
                              world_.clock().Now());
    Group& group = groups[slot.place.server];
    group.due |= IsDue(*slot.connector, slot.place, now);
    group.names.push_back(slot.place.slot);
    group.slots.push_back(std::move(slot));
  }
  std::erase_if(tried_, [&groups](const auto& one) { return !groups.contains(one.first); });
  bool looked = false;
  for (const auto& [server, group] : groups) {
    if (!group.due || thread_.stopping()) continue;
    LookAt(group);
    tried_[server] = world_.clock().Monotonic();
    looked = true;
  }
  for (const auto& [server, group] : groups)
    for (const Slot& slot : group.slots)
      slot.position->Judge(*slot.connector, world_.clock().Now(), slot.known->ended_at());
  LookAtCaptured(groups, looked);
  world_.CloseLooks();
}

// Those that have waited longest. Where many rest: with the sessions that slots were `looked` at
// with.
void SlotMonitor::LookAtCaptured(const std::map<std::string, Group>& groups, bool looked) {
  std::vector<const Slot*> due;
  size_t watched = 0;
  for (const auto& [server, group] : groups) watched += group.slots.size();
  const absl::Duration now = world_.clock().Monotonic();
  const absl::Duration since = captured_at_ ? now - *captured_at_ : absl::InfiniteDuration();
  if (watched > kMany && since < (looked ? kInterval - kTick : kInterval + kLate)) return;
  for (const auto& [server, group] : groups) {
    for (const Slot& slot : group.slots)
      if (IsCaptureDue(slot)) due.push_back(&slot);
  }
  if (due.empty()) return;
  captured_at_ = now;
  std::sort(due.begin(), due.end(),
            [](const Slot* a, const Slot* b) { return a->rest->due() < b->rest->due(); });
  std::set<std::shared_ptr<postgres::Connection>> held;
  size_t looks = 0, sessions = 0;
  for (const Slot* const slot : due) {
    if (thread_.stopping() || ++looks > kMostLooks || sessions >= kMostSessions) return;
    const std::shared_ptr<postgres::Connection> session = LookAtCapture(*slot);
    if (session == nullptr || held.insert(session).second) ++sessions;
    if (session == nullptr) held.clear();
  }
}

// Before a first start nothing is missed.
bool SlotMonitor::IsCaptureDue(const Slot& slot) {
  engine::Monitored& connector = *slot.connector;
  const bool rests = Rests(connector.status());
  const std::optional<metrics::SlotView> seen = connector.metrics().slot.Read();
  const absl::Duration now = world_.clock().Monotonic();
  if (!rests || now < slot.rest->due() || !seen) return false;
  const std::string wal = seen->StatusAt(now);
  return wal != "none" && wal != "missing" && wal != "unknown";
}

std::shared_ptr<postgres::Connection> SlotMonitor::LookAtCapture(const Slot& slot) {
  engine::Monitored& connector = *slot.connector;
  slot.rest->Begin(world_.clock().Monotonic());
  const auto stopping = [this] { return thread_.stopping(); };
  log::SetConnector(connector.names().connector);
  const engine::ConnectorNames names = engine::NamesIn(connector.status().state, connector.names());
  absl::StatusOr<CaptureSession> look = world_.OpenCaptureSession(connector.config(), stopping);
  const absl::Status looked = look.ok() ? slot.rest->Look({.look = &*look,
                                                           .names = names,
                                                           .metrics = &connector.metrics(),
                                                           .known = slot.known,
                                                           .stored = slot.position->stored(),
                                                           .environment = world_.environment()},
                                                          stopping)
                                        : look.status();
  if (!look.ok() && !thread_.stopping())
    slot.rest->OnUnreached(looked, names, world_.clock(), &connector.metrics());
  if (!looked.ok()) {
    log::Debug("cannot look at what is captured", {{"error", std::string(looked.message())}});
    world_.CloseLooks();
  }
  log::SetConnector("");
  return looked.ok() ? look->session : nullptr;
}

void SlotMonitor::LookAt(const Group& group) {
  const absl::StatusOr<std::vector<replication::WatchedSlot>> looks = world_.ReadWatchedSlots(
      group.slots.front().connector->config(), group.names, [this] { return thread_.stopping(); });
  if (!looks.ok()) {
    log::Debug("cannot look at the slots", {{"error", std::string(looks.status().message())}});
    if (!thread_.stopping()) OnUnreached(group, looks.status());
    return;
  }
  const absl::Duration now = world_.clock().Monotonic();
  for (size_t i = 0; i < looks->size(); ++i) Show(group.slots[i], (*looks)[i], now);
}

// Of one that streams its own session knows more.
void SlotMonitor::OnUnreached(const Group& group, const absl::Status& why) {
  for (const Slot& slot : group.slots) {
    Tried(slot, why);
    if (LooksItself(*slot.connector)) continue;
    slot.connector->metrics().slot.OnUnreached();
    slot.connector->metrics().lag.OnUnreached(world_.clock().Now());
  }
}

// One that retries has an error that says the same.
void SlotMonitor::Tried(const Slot& slot, const absl::Status& looked) {
  const bool retries = slot.connector->status().activity == engine::Activity::kRetrying;
  if (LooksItself(*slot.connector)) return slot.trouble->Forget();
  if (retries && !looked.ok()) return;
  log::SetConnector(slot.connector->names().connector);
  slot.trouble->Saw(looked,
                    engine::NamesIn(slot.connector->status().state, slot.connector->names()),
                    world_.clock(), &slot.connector->metrics());
  log::SetConnector("");
}

void SlotMonitor::Show(const Slot& slot, const replication::WatchedSlot& look, absl::Duration now) {
  engine::Monitored& connector = *slot.connector;
  Tried(slot, absl::OkStatus());
  slot.shower->Show(look, now, world_.clock(), connector.names(), connector.status(),
                    &connector.metrics());
  const engine::ConnectorStatus status = connector.status();
  if (Rests(status) || status.retries())
    slot.position->Saw(connector, look, world_.clock().Now(), slot.known->ended_at());
}

// Those in doubt are few.
void SlotMonitor::ReadPosition() {
  const absl::Duration now = world_.clock().Monotonic();
  const bool in_turn = !read_at_ || now - *read_at_ >= kBetweenPositions;
  std::optional<Slot> next;
  RestPosition::Due most{};
  absl::Time asked;
  for (Slot& slot : Watched()) {
    const std::optional<RestPosition::Due> due = slot.position->DueAt(world_.clock().Now());
    if (!due || (!in_turn && *due != RestPosition::Due::kDoubted)) continue;
    // Of those alike the one that was asked longest ago: else the last ones never have their turn.
    const absl::Time at = slot.position->asked_at();
    if (next && (*due < most || (*due == most && at >= asked))) continue;
    most = *due;
    asked = at;
    next = std::move(slot);
  }
  if (!next || reader_.stopping()) return;
  const absl::Status read = next->position->Read(world_, next->connector->config());
  read_at_ = world_.clock().Monotonic();
  if (read.ok()) {
    if (Rests(next->connector->status())) next->position->TellLag(&next->connector->metrics().lag);
    return;
  }
  log::SetConnector(next->connector->names().connector);
  log::Debug("cannot read the stored position", {{"error", std::string(read.message())}});
  log::SetConnector("");
}

}  // namespace walduct::slot
