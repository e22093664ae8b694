// StreamPhase: from START_REPLICATION to an interruption, a reached goal, or an error. Data thread
// only.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "delivery/pipeline/pipeline.h"
#include "delivery/progress/heartbeat.h"
#include "incremental/incremental_snapshots.h"
#include "pgoutput/assembler.h"
#include "replication/wal_source.h"
#include "slot/duties/housekeeping.h"
#include "slot/phases/dropped_relations.h"
#include "slot/phases/read_pace.h"

namespace walduct::slot {

class Reading;

class StreamPhase {
 public:
  struct Parts {
    replication::WalSource* source = nullptr;
    pgoutput::Assembler* assembler = nullptr;
    delivery::Pipeline* pipeline = nullptr;    // that the assembler tells
    event::SchemaResolver* schemas = nullptr;  // that the assembler asks
    DroppedRelations* dropped = nullptr;       // null: nothing is forgotten
    Housekeeping* housekeeping = nullptr;
    delivery::Heartbeat* heartbeat = nullptr;
    Checkpointer* checkpointer = nullptr;
    delivery::AckTracker* tracker = nullptr;
    sink::Sink* sink = nullptr;
    Clock* clock = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    incremental::IncrementalSnapshots* incremental = nullptr;  // null: none
    std::function<absl::Status()> before_batch = nullptr;      // an error ends it
    std::optional<Lsn> goal;  // end once everything up to it is behind
    // Not null: before the first transaction that commits there or behind, or when it has ended.
    const Reading* reading = nullptr;
  };
  explicit StreamPhase(Parts parts)
      : parts_(std::move(parts)),
        commits_(parts_.sink->transactions() != nullptr),
        pace_(parts_.source->path()) {
    parts_.metrics->lag.Begin(parts_.assembler->position().commit_end, 0);
  }

  // OK: interrupted or goal reached, at whatever position; the caller settles.
  absl::Status Run();
  bool goal_reached() const { return goal_reached_; }
  // It has ended for a blocking snapshot, and is to be run again after it.
  bool blocked() const { return blocked_; }

 private:
  absl::Status ReadBatch(bool* empty);
  absl::Status ReadFrames(bool* empty);
  absl::Status NapOrWait();
  absl::Status WaitForSource();
  absl::Status TurnIncremental();
  bool IsBlocked() const;
  absl::Status OnFrame(const replication::WalFrame& frame);
  absl::Status Assemble(const replication::WalFrame& frame);
  void CoverMessage(const replication::WalFrame& frame);
  void WaitForSchema();
  void OnKeepalive(const replication::WalFrame& frame);
  void CountRepeated();
  bool IsBeyondGoal(const replication::WalFrame& frame) const;
  void CheckGoal();

  Parts parts_;
  const bool commits_;  // the sink has transactions
  bool goal_reached_ = false;
  bool blocked_ = false;
  uint64_t repeated_ = 0;      // changes left out as already done, as far as the metrics know
  absl::Duration last_hurry_;  // when a keepalive last hastened a checkpoint
  ReadPace pace_;
  int frames_ = 0;  // since the source was last empty; and their bytes
  size_t bytes_ = 0;
  // Waits for the schema of its table; nothing is read meanwhile, so that its payload stays.
  std::optional<replication::WalFrame> held_;
};

}  // namespace walduct::slot
