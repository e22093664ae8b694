// The one table that says what an error means for the connector. Nothing else decides whether a
// connector goes on.
#pragma once

#include "absl/status/status.h"

namespace walduct::engine {

enum class Action {
  kRetry,      // back off, start anew from the stored position
  kRetryNow,   // start anew from the stored position: the next attempt does it otherwise
  kRetrySoon,  // short delay, start anew; bounded by slot.max.retries
  kFail,       // stop with an exit code; an operator has to act
};

enum class Phase {
  kStarting,  // this process has not streamed or snapshotted yet
  kRunning,
};

enum ExitCode : int {
  kExitClean = 0,
  kExitFailure = 1,
  kExitConfiguration = 2,
  kExitPrerequisite = 3,
  kExitDataSafety = 4,
  kExitNotCaughtUp = 5,
};

Action ActionFor(const absl::Status& status, Phase phase);
// Nothing is wrong with what was asked for: it may go well the next time.
bool MayPass(const absl::Status& status);
ExitCode ExitCodeFor(const absl::Status& status);
// The one of two that a process with both outcomes ends with: possible loss before what an operator
// has to mend, before what may pass, before a goal that was not reached.
ExitCode Worse(ExitCode a, ExitCode b);

}  // namespace walduct::engine
