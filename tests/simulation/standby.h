// Standby: a hot standby of the simulated database that the rows of a snapshot are read from. It
// replays late, is paused, and is lost: it shows less then than before. A failover that leaves out
// what it has replayed makes it useless until somebody has built it anew.
//
// The verdict is the engine's own, slot::JudgeStandby.
#pragma once

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "slot/world/standby/standby_verdict.h"

namespace walduct::simulation {

struct World;

class Standby {
 public:
  explicit Standby(World* world) : world_(*world) {}

  // Once a second.
  void Turn();
  // From now on its primary is another one, with a history that left the old one there.
  void OnFailOver(Lsn replayed, Lsn fork);

  // What it shows.
  Lsn Replayed() const;

  // One session of it. Unavailable: it is gone; one that comes back is another server.
  class Session {
   public:
    static absl::StatusOr<Session> Open(World* world);
    // needs: see slot::JudgeStandby.
    absl::StatusOr<std::optional<slot::ReplayLag>> Lag(const slot::StandbyNeeds& needs) const;
    absl::Status Check() const;

   private:
    explicit Session(World* world);
    World* world_;
    size_t life_;
  };

 private:
  World& world_;
  absl::Duration until_;  // it has replayed what was committed by then
  absl::Duration down_until_, paused_until_;
  absl::Duration forked_;  // at the last failover
  size_t life_ = 0;        // counts its starts
};

}  // namespace walduct::simulation
