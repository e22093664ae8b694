// StartStall: a start that waits for a lock on the server, as a look from beside has seen it, says
// at once who holds it, and is shown as a stall once it lasts, as StallWatch shows one of what
// streams. The look has its own lines in the log. Data thread only.
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/clock.h"
#include "engine/control/status_board.h"
#include "metrics/connector_metrics.h"

namespace walduct::slot {

class StartStall {
 public:
  // All borrowed.
  struct Parts {
    absl::Duration patience;  // zero: never shows a stall
    Clock* clock = nullptr;
    engine::StatusBoard* board = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
  };
  explicit StartStall(const Parts& parts) : parts_(parts) {}
  // What it has shown ends with it.
  ~StartStall() {
    ShowHolder("", absl::InfiniteDuration());
    End();
  }
  StartStall(const StartStall&) = delete;
  StartStall& operator=(const StartStall&) = delete;

  // Again and again, while the start waits. lock: "a lock on table …, held up by pid 7"; empty: it
  // waits for none. looked_at: on the monotonic clock; an earlier wait's look says nothing of this.
  void Look(const std::string& lock, absl::Duration looked_at = absl::InfiniteDuration());

 private:
  void ShowHolder(const std::string& lock, absl::Duration looked_at);
  void End();

  const Parts parts_;
  std::optional<absl::Duration> since_;
  engine::WaitReason wait_ = engine::WaitReason::kNothing;  // as the board said last
  absl::Duration waits_since_;
  std::string seen_;   // last, of that wait
  std::string shown_;  // as a stall; empty: nothing is
};

}  // namespace walduct::slot
