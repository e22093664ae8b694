// Lifecycle: what the data thread of a connector does from its start to its end: attempts, one
// after the other, as the commands it takes and the error policy say.
//
//   STOPPED ─► RUNNING: connecting ─► preparing ─► snapshotting ─► streaming ─► settling ─► STOPPED
//                ▲ │        ▲                           │              │
//         resume │ │ pause  └──────── retrying ◄────────┴──────────────┤
//                │ ▼                                                   ▼
//              PAUSED                                                FAILED
#pragma once

#include <map>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/control/control.h"
#include "engine/control/run_goal.h"
#include "engine/control/status_board.h"
#include "engine/errors/error_policy.h"
#include "engine/errors/warn_once.h"
#include "engine/in_progress/streaming_pause.h"
#include "engine/world/capture/capture_record.h"
#include "engine/world/world.h"
#include "event/position.h"
#include "metrics/connector_metrics.h"
#include "offset/stored_offset.h"
#include "outbox/tables.h"
#include "postgres/describe/schema_memory.h"
#include "sink/refusals.h"

namespace walduct::engine {

struct ConnectorOptions;
struct Prepared;

class Lifecycle {
 public:
  // All borrowed.
  struct Parts {
    const ConnectorOptions* config = nullptr;
    RunGoal goal;
    RunMode mode = RunMode::kRun;
    World* world = nullptr;
    Control* control = nullptr;
    StatusBoard* board = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
  };
  explicit Lifecycle(const Parts& parts) : parts_(parts) {}

  // Returns once told to quit. Logs every change of state.
  void Run();

 private:
  struct AttemptEnd {
    absl::Status status = {};
    bool goal_reached = false;
    bool began = false;
    bool progressed = false;
    std::optional<event::Position> stored = {};
    absl::Duration sender_timeout = {};  // of the server, as far as it was asked
  };

  // What outlives the attempts of a slot.
  struct SlotMemory {
    StreamingPause* pause = nullptr;
    postgres::SchemaMemory* schemas = nullptr;
  };

  // Until they are interrupted, end by themselves or fail for good.
  void RunAttempts();
  AttemptEnd RunAttempt();
  void ShowError(const absl::Status& error);
  absl::StatusOr<Prepared> Prepare(const ConnectorOptions& config, const SlotMemory& memory,
                                   absl::Duration* sender_timeout);
  absl::Status HandOver();
  absl::Status Drain(const ConnectorOptions& lane, Lsn until);
  void Rest();
  void ShowRest();
  Action NextAction(const absl::Status& status) const;
  void WaitToRetry(absl::Duration delay);
  bool Interrupted();
  void OnEnd(const AttemptEnd& end);
  void OnFailure(const absl::Status& status);
  // Attempts are over, at least for now.
  void Leave(ExitCode exit_code);
  // What the commands make of a connector that does not run: "stopped", "paused", "restarting".
  absl::string_view Outcome() const;
  ExitCode CleanExit(bool goal_reached) const;

  const Parts parts_;
  Phase phase_ = Phase::kStarting;
  WarnOnce warn_once_;
  outbox::TableMemory outbox_tables_;
  CaptureRecord capture_;
  postgres::SchemaMemory schemas_;
  sink::Refusals refusals_;
  StreamingPause pause_;
  std::optional<offset::StoredOffset> known_;  // of the attempts since a command
  // Of slots that hand tables over.
  std::map<int, StreamingPause> drain_pauses_;
  std::map<int, postgres::SchemaMemory> drain_schemas_;
  AttemptEnd drained_;  // what became of the slots that are drained, in this attempt
};

}  // namespace walduct::engine
