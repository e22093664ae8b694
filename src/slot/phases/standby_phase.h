// StandbyPhase: before rows are read from a standby: waits until it shows what was committed before
// the stream begins, with all duties going on. What it waits for stands on the board, and
// StallWatch says it. Data thread only.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "slot/duties/housekeeping.h"
#include "slot/duties/stall_watch.h"
#include "slot/world/source.h"

namespace walduct::slot {

class StandbyPhase {
 public:
  // All borrowed.
  struct Parts {
    Source* source = nullptr;
    Housekeeping* housekeeping = nullptr;
    StallWatch* stall_watch = nullptr;
    Clock* clock = nullptr;
  };
  explicit StandbyPhase(const Parts& parts) : parts_(parts) {}

  // OK: it does, or it was interrupted; at once where no standby is read.
  absl::Status Run();

 private:
  const Parts parts_;
};

}  // namespace walduct::slot
