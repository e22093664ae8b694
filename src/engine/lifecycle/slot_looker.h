// SlotLooker: looks at the slots of connectors that nobody else looks at: paused, stopped and
// failed ones, those that wait for a server and those that have not come to the database yet. One
// thread for all of them, one session for each look at a server, however many of its slots it is
// about (World::LookAtSlots). What it finds stands on the connectors' boards: the slot's and the
// lag's. A session that streams has its own look (ServerWatch).
//
// Thread-safety: Add from any thread; the destructor waits for a look under way to give up.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/worker_thread.h"
#include "engine/control/status_board.h"
#include "engine/world/world.h"
#include "metrics/slot_board.h"
#include "replication/slot_look.h"

namespace walduct::engine {

struct ConnectorOptions;
class World;

// A connector as it is looked at. Any thread, but for ShowLook: the one that looks.
class WatchedSlot {
 public:
  virtual ~WatchedSlot() = default;

  virtual const ConnectorOptions& config() const = 0;
  // Absent: nobody is to look at its slot while it does not stream.
  virtual const std::optional<SlotPlace>& slot_place() const = 0;
  virtual ConnectorStatus status() const = 0;
  // What was shown last, by whomever.
  virtual std::optional<metrics::SlotView> slot_view() const = 0;
  // Somebody is to look at it from beside.
  virtual void BeginWatch() = 0;
  // What a look from beside has shown.
  virtual void ShowLook(const replication::SlotLook& look, absl::Duration now) = 0;
};

class SlotLooker {
 public:
  static constexpr absl::Duration kInterval = absl::Seconds(10);

  // world is borrowed.
  explicit SlotLooker(World& world) : world_(world) {}

  // From now on, on the looker's own thread, as long as somebody else keeps it.
  void Add(const std::shared_ptr<WatchedSlot>& connector);

  // The two parts of that, for tests: without the thread; one round, which looks at what is due.
  void Watch(const std::shared_ptr<WatchedSlot>& connector);
  void Turn();

 private:
  struct Group;
  void Loop();
  std::vector<std::shared_ptr<WatchedSlot>> Watched();
  bool IsDue(const WatchedSlot& connector, const SlotPlace& place, absl::Duration now) const;
  void LookAt(const Group& group);

  World& world_;
  Mutex mutex_;
  std::vector<std::weak_ptr<WatchedSlot>> connectors_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, absl::Duration> tried_;  // the thread's own: by server, the last look
  WorkerThread thread_{mutex_};                  // last: uses all of the above
};

}  // namespace walduct::engine
