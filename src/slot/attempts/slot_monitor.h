// SlotMonitor: looks at the slots of connectors that nobody else looks at: paused, stopped and
// failed ones, those that wait for a server and those that have not come to the database yet. One
// thread for all of them, one session for each look at a server, however many of its slots it is
// about (World::ReadWatchedSlots). What it finds stands on the connectors' boards: the slot's and
// the lag's. A session that streams has its own look (ServerWatch).
//
// Of those that rest it also looks after what is captured (RestWatch), with a session each.
//
// And whether they, and those that retry, could go on from their stored positions (RestPosition): a
// second thread reads those, one after the other.
//
// A connector whose slot is not there while it is not itself is not looked at.
//
// Thread-safety: Add from any thread; the destructor waits for a look under way to give up.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/worker_thread.h"
#include "engine/lifecycle/monitor.h"
#include "slot/attempts/rest_position.h"
#include "slot/attempts/rest_watch.h"
#include "slot/world/capture/look_trouble.h"
#include "slot/world/watch/slot_show.h"
#include "slot/world/world.h"

namespace walduct::slot {

class SlotMonitor final : public engine::Monitor {
 public:
  static constexpr absl::Duration kInterval = absl::Seconds(10);

  // world is borrowed.
  explicit SlotMonitor(World& world) : world_(world) {}

  void Add(const std::shared_ptr<engine::Monitored>& connector) override;

  // The parts of that, for tests: without the threads (false: there is no slot to look at); one
  // round, which looks at what is due; the position that is due.
  bool Watch(const std::shared_ptr<engine::Monitored>& connector);
  void Turn();
  void ReadPosition();

 private:
  struct Slot {
    SlotPlace place;
    std::weak_ptr<engine::Monitored> owner;
    std::shared_ptr<engine::Monitored> connector = nullptr;  // during a round
    // Of the thread that looks.
    std::shared_ptr<SlotShower> shower;
    std::shared_ptr<LookTrouble> trouble;
    std::shared_ptr<RestWatch> rest;
    std::shared_ptr<RestPosition> position;  // of both threads
    std::shared_ptr<KnownSlot> known;
  };
  struct Group;
  void Loop();
  std::vector<Slot> Watched();
  bool IsDue(engine::Monitored& connector, const SlotPlace& place, absl::Duration now) const;
  void Show(const Slot& slot, const replication::WatchedSlot& look, absl::Duration now);
  void LookAt(const Group& group);
  void Tried(const Slot& slot, const absl::Status& looked);
  void OnUnreached(const Group& group, const absl::Status& why);
  void LookAtCaptured(const std::map<std::string, Group>& groups, bool looked);
  bool IsCaptureDue(const Slot& slot);
  // The session that it was looked at with; null: there was none, or it is of no use any more.
  std::shared_ptr<postgres::Connection> LookAtCapture(const Slot& slot);

  World& world_;
  Mutex mutex_;
  std::vector<Slot> slots_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, absl::Duration> tried_;   // the thread's own: by server, the last look
  std::optional<absl::Duration> captured_at_;     // the same: what is captured, where many rest
  std::optional<absl::Duration> read_at_;         // of the thread that reads positions
  WorkerThread thread_{mutex_}, reader_{mutex_};  // last: they use all of the above
};

}  // namespace walduct::slot
