// Lifecycle: what the data thread of a connector does from its start to its end: attempts, one
// after the other, as the commands it takes and the error policy say.
//
//   STOPPED ─► RUNNING: connecting ─► preparing ─► snapshotting ─► streaming ─► settling ─► STOPPED
//                ▲ │        ▲                           │              │
//         resume │ │ pause  └──────── retrying ◄────────┴──────────────┤
//                │ ▼                                                   ▼
//              PAUSED                                                FAILED
#pragma once

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/control/control.h"
#include "engine/errors/error_policy.h"
#include "engine/lifecycle/attempt.h"

namespace walduct::engine {

class Lifecycle {
 public:
  using Parts = AttemptParts;
  explicit Lifecycle(const Parts& parts);

  // Returns once told to quit. Logs every change of state.
  void Run();

 private:
  // Until they are interrupted, end by themselves or fail for good.
  void RunAttempts();
  void Rest();
  void ShowRest();
  void WaitToRetry(absl::Duration delay);
  void OnEnd(const AttemptEnd& end);
  void OnFailure(const absl::Status& error);
  // Attempts are over, at least for now.
  void Leave(ExitCode exit_code);
  // What the commands make of a connector that does not run: "stopped", "paused", "restarting".
  absl::string_view Outcome() const;
  ExitCode CleanExit(bool goal_reached) const;

  const Parts parts_;
  const std::unique_ptr<Attempts> attempts_;
  Phase phase_ = Phase::kStarting;
};

}  // namespace walduct::engine
