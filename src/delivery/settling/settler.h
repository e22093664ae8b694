// Settler: what "durable" means to a source, once the sink has everything up to a milestone. A slot
// saves the position and reports its LSN (slot::Checkpointer); a table that is polled would mark
// its rows and commit. Called by the data thread alone; nothing waits.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "delivery/settling/ack_tracker.h"

namespace walduct::delivery {

class Settler {
 public:
  virtual ~Settler() = default;
  // With each turn of the loop: goes on with what is being settled, and begins when it is due and
  // safe has moved; absent: nothing can be settled now. An error: this session must settle nothing
  // more.
  virtual absl::Status Turn(const std::optional<Milestone>& safe) = 0;
  // Records have become durable in the sink.
  virtual void OnDelivered() = 0;
  // Everything up to safe is settled.
  virtual bool Covers(const std::optional<Milestone>& safe) const = 0;
  // It is under way.
  virtual bool saving() const = 0;
  // That succeeded.
  virtual uint64_t saves() const = 0;
  // When Turn should be called next, on the monotonic clock.
  virtual absl::Duration next_due() const = 0;
};

}  // namespace walduct::delivery
