// Attempts: what a source is to the engine. The lifecycle of a connector asks for one attempt after
// the other; what each does between connecting and settling is the source's own business: a slot
// that is streamed (room slot), a table that is polled.
//
// Data thread only, but for what says otherwise.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/control/run_goal.h"
#include "engine/errors/error_policy.h"

namespace walduct::metrics {
struct ConnectorMetrics;
}  // namespace walduct::metrics

namespace walduct::engine {

struct ConnectorOptions;
class Control;
class Host;
class StatusBoard;

// All borrowed; they outlive the attempts.
struct AttemptParts {
  const ConnectorOptions* config = nullptr;
  RunGoal goal;
  RunMode mode = RunMode::kRun;
  Host* world = nullptr;
  Control* control = nullptr;
  StatusBoard* board = nullptr;
  metrics::ConnectorMetrics* metrics = nullptr;
};

struct AttemptEnd {
  absl::Status status = {};  // OK: interrupted, or the goal is reached
  bool goal_reached = false;
  bool began = false;             // it has got as far as reading
  bool progressed = false;        // it was useful: the retries before it are forgotten
  std::string position = "none";  // that is stored, as people read it
};

// How what is in use by somebody else is retried (Action::kRetrySoon).
struct SoonRetries {
  int most = 0;
  absl::Duration delay = absl::ZeroDuration();
  bool given = false;  // by the user: no more and no longer than that
  // So long may a peer that is gone still have it, as far as is known.
  absl::Duration held = absl::ZeroDuration();
};

class Attempts {
 public:
  virtual ~Attempts() = default;

  // Attempts begin: the first ones, or those after a command.
  virtual void Begin() {}
  // One attempt, from connecting to what is settled. Takes commands while it waits: interrupted, it
  // settles and ends. ran_before: one of them has begun.
  virtual AttemptEnd Run(bool ran_before) = 0;
  // What becomes of the connector after that end.
  virtual Action ActionAfter(const absl::Status& status, Phase phase) const {
    return ActionFor(status, phase);
  }
  virtual SoonRetries soon() const { return {}; }
  // How far it had come, for what an error tells: shown on the board before anybody is asked.
  virtual void ShowError(const absl::Status& error) = 0;
  // The connector fails for good, until somebody restarts it.
  virtual void OnFailure(const absl::Status& /*status*/) {}
};

}  // namespace walduct::engine
