// StartStall: a start that waits for a lock on the server, as a look from beside has seen it, is
// shown as a stall, as StallWatch shows one of what streams. The look has its own lines in the log.
// Data thread only.
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
    absl::Duration patience;  // zero: never shows
    Clock* clock = nullptr;
    engine::StatusBoard* board = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
  };
  explicit StartStall(const Parts& parts) : parts_(parts) {}
  // What it has shown ends with it.
  ~StartStall() { End(); }
  StartStall(const StartStall&) = delete;
  StartStall& operator=(const StartStall&) = delete;

  // Again and again, while the start waits. lock: "a lock on table …, held up by pid 7"; empty: it
  // waits for none.
  void Look(const std::string& lock);

 private:
  void End();

  const Parts parts_;
  std::optional<absl::Duration> since_;
  std::string shown_;  // empty: nothing is
};

}  // namespace walduct::slot
