// Duties: what a session does beside reading and writing, wired: the account of what is in flight,
// the checkpoints, what housekeeping of outbox tables is told, and Housekeeping that turns them.
// Data thread only.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "delivery/settling/ack_tracker.h"
#include "event/position.h"
#include "slot/duties/checkpointer.h"
#include "slot/duties/housekeeping.h"
#include "slot/duties/outbox_duties.h"
#include "slot/duties/ownership.h"

namespace walduct::slot {

class Duties {
 public:
  // Of parts, what the duties own is filled in here. stored: as for Checkpointer.
  // check, session: as for Ownership.
  Duties(Housekeeping::Parts parts, const Checkpointer::Options& checkpoints,
         std::optional<event::Position> stored, std::function<absl::Status()> check = nullptr,
         std::function<absl::Status()> session = nullptr)
      : checkpointer_(checkpoints, stored),
        ownership_({.clock = parts.clock,
                    .check = std::move(check),
                    .session = std::move(session),
                    .sink = parts.sink,
                    .store = parts.store}),
        housekeeping_(Own(parts)) {}
  Duties(const Duties&) = delete;
  Duties& operator=(const Duties&) = delete;

  delivery::AckTracker& tracker() { return tracker_; }
  Checkpointer& checkpointer() { return checkpointer_; }
  OutboxDuties& outbox() { return outbox_; }
  Ownership& ownership() { return ownership_; }
  Housekeeping& housekeeping() { return housekeeping_; }

 private:
  Housekeeping::Parts Own(Housekeeping::Parts parts) {
    parts.tracker = &tracker_;
    parts.checkpointer = &checkpointer_;
    parts.outbox = &outbox_;
    parts.ownership = &ownership_;
    return parts;
  }

  delivery::AckTracker tracker_;
  Checkpointer checkpointer_;
  OutboxDuties outbox_;
  Ownership ownership_;
  Housekeeping housekeeping_;
};

}  // namespace walduct::slot
