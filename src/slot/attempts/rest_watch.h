// RestWatch: looks after what is captured of a connector that does not run: paused, stopped or
// failed, nobody else does. What has stood when it came to rest, and only a session can tell to be
// over, stands until then. Nothing is altered.
//
// Thread-safety: one thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "base/environment.h"
#include "engine/control/status_board.h"
#include "metrics/connector_metrics.h"
#include "offset/stored_offset.h"
#include "postgres/connection.h"
#include "slot/world/capture/capture_record.h"
#include "slot/world/capture/capture_watch.h"
#include "slot/world/world.h"

namespace walduct::slot {

class KnownSlot;

class RestWatch {
 public:
  static constexpr absl::Duration kInterval = absl::Seconds(10);
  // What was seen for the first time counts if it is there still.
  static constexpr absl::Duration kSoon = absl::Seconds(4);

  // The next look is due.
  absl::Duration due() const { return due_; }
  // It runs again: the next rest begins anew.
  void End();
  struct Parts {
    CaptureSession* look = nullptr;  // borrowed
    engine::ConnectorNames names;    // as it is called in its state
    metrics::ConnectorMetrics* metrics = nullptr;
    std::shared_ptr<KnownSlot> known;  // how what is captured was sent before it came to rest
    // Where it rests; absent: not known yet. It tells of what rested before the process began.
    std::optional<offset::StoredOffset> stored = {};
    Environment environment;
  };
  // Before a look, whatever becomes of it.
  void Begin(absl::Duration now) { due_ = now + kInterval; }
  absl::Status Look(const Parts& parts, const postgres::StopCheck& stopping);
  // There was no session for a look.
  void OnUnreached(const absl::Status& why, const engine::ConnectorNames& names, Clock& clock,
                   metrics::ConnectorMetrics* metrics) {
    record_.trouble.Saw(why, names, clock, metrics);
  }

 private:
  void Recall(const Parts& parts);
  void Retell(std::vector<metrics::CaptureProblem>* problems) const;

  absl::Duration due_ = absl::ZeroDuration();
  CaptureRecord record_;
  bool recalled_ = false;  // all that can be known of it from before
  engine::ConnectorNames names_;
  std::vector<metrics::CaptureProblem> before_;  // when it came to rest
  std::unique_ptr<CaptureWatch> watch_;          // uses all of the above; null: it has not begun
};

}  // namespace walduct::slot
