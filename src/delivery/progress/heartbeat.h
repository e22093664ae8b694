// Heartbeat: a record on the heartbeat topic every heartbeat.interval.ms, and
// heartbeat.action.query with each. Written only when the sink has room: a heartbeat is late rather
// than in the way. Moves no position. Data thread only.
#pragma once

#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "delivery/pipeline/pipeline.h"
#include "sink/sink.h"

namespace walduct::delivery {

class Heartbeat {
 public:
  // Borrowed.
  struct Parts {
    absl::Duration interval;  // zero: never
    Clock* clock = nullptr;
    Pipeline* pipeline = nullptr;
    sink::Sink* sink = nullptr;
    std::function<void()> action;  // with each; empty: none
  };
  explicit Heartbeat(Parts parts) : parts_(std::move(parts)) { Rearm(); }

  // One, when it is due and the sink has room.
  absl::Status Turn();
  // One at once, due or not: the end of a snapshot. May wait for room.
  absl::Status Beat();
  // Infinite when there are none.
  absl::Duration UntilDue();

 private:
  void Rearm();

  const Parts parts_;
  absl::Duration due_;  // on the monotonic clock
};

}  // namespace walduct::delivery
