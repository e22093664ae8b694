// Session: what runs between two connections: the snapshot if one was decided on, then the stream,
// until it is interrupted, its goal is reached, or something fails. A failed session is thrown away
// whole; the next one begins at the stored position. Data thread only.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "delivery/pipeline/record_path.h"
#include "delivery/progress/heartbeat.h"
#include "engine/control/control.h"
#include "engine/control/run_goal.h"
#include "engine/control/status_board.h"
#include "slot/duties/duties.h"
#include "slot/duties/ledger.h"
#include "slot/duties/stall_watch.h"
#include "slot/in_progress/streaming_pause.h"
#include "slot/incremental/incremental_driver.h"
#include "slot/incremental/new_tables.h"
#include "slot/incremental/notifier.h"
#include "slot/masks/mask_guard.h"
#include "slot/phases/reading.h"
#include "slot/phases/remembered_types.h"
#include "slot/phases/stream_phase.h"
#include "slot/start/preparation.h"
#include "slot/world/world.h"
#include "snapshot/read_record.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::slot {

class Session {
 public:
  // All borrowed.
  struct Parts {
    const engine::ConnectorOptions* config = nullptr;
    engine::RunGoal goal;
    World* world = nullptr;
    engine::Control* control = nullptr;
    engine::StatusBoard* board = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    engine::WarnOnce* warn_once = nullptr;
    postgres::SchemaMemory* schemas = nullptr;
    StreamingPause* pause = nullptr;
    bool ran_before = false;     // a session of the same process
    Reading* reading = nullptr;  // null: none
  };
  Session(const Parts& parts, Prepared prepared);

  // OK: interrupted, or the goal is reached; everything read is delivered and stored.
  absl::Status Run();

  bool goal_reached() const { return goal_reached_; }
  // A snapshot began or the stream was opened.
  bool began() const { return began_; }
  // Something was stored that no later attempt does again: a snapshot, or a part of one that goes
  // on; changes of the stream. Or the stream stood for a while with nothing to do.
  bool progressed() const {
    return progressed_ || (duties_ && duties_->checkpointer().stored_mark() > nothing_read_);
  }
  // The stored position.
  std::optional<event::Position> stored() const;

 private:
  absl::Status RunPhases();
  absl::Status Build();
  void WatchStalls();
  void GuardMasks();
  void BuildReadRecord();
  void BuildIncremental();
  void BuildNewTables();
  void KeepDeletedTopics();
  uint64_t KeepRead();
  absl::Status ReadTables(TableSnapshot* snapshot, bool* done);
  absl::Status TakeSnapshot();
  absl::Status ExplainRights(const absl::Status& error);
  absl::Status FinishSnapshot(const snapshot::SnapshotOrigin& origin);
  absl::Status Stream();
  absl::Status BeginIncremental();
  bool Pauses() const;
  pgoutput::AssemblerOptions ResumeOptions() const;
  absl::Status RunStream(const OpenedStream& opened, std::optional<Lsn> goal);
  // xmin: records say the slot's.
  std::function<absl::Status()> LookBeside(const pgoutput::Assembler* assembler, bool xmin);
  absl::Status RunAndBlock(StreamPhase* phase);
  absl::Status Read();
  void AllowPauses();
  absl::Status Drain();
  absl::Status EndStream(replication::WalSource& stream);
  absl::Status OnBrokenStream(OpenedStream opened, bool must_close, const absl::Status& error);
  void JudgeProgress(const std::optional<event::Position>& before, absl::Duration opened_at);
  void Salvage(const absl::Status& why);
  absl::Status Settle();
  void GiveUpTransaction();
  const engine::ConnectorOptions& config() const { return *parts_.config; }

  Parts parts_;
  Prepared prepared_;
  Ledger ledger_;
  std::unique_ptr<Duties> duties_;
  std::unique_ptr<StallWatch> stall_watch_;
  std::unique_ptr<delivery::RecordPath> path_;
  std::unique_ptr<Notifier> notifier_;
  std::unique_ptr<IncrementalDriver> incremental_;  // null: no signals are taken
  std::unique_ptr<NewTables> new_tables_;           // null: nobody asks which are new
  RememberedTypes types_;
  std::unique_ptr<delivery::Heartbeat> heartbeat_;
  std::unique_ptr<snapshot::ReadRecord> read_record_;  // null: a snapshot begins anew
  size_t read_kept_ = 0;                               // of it, so much is in the ledger
  // The mark before anything was read; without a record no mark is beyond it.
  uint64_t nothing_read_ = std::numeric_limits<uint64_t>::max();
  bool goal_reached_ = false;
  bool pause_ended_ = false;  // transactions in progress can be received again
  absl::Status begins_anew_;  // why the stream is to be opened again
  bool began_ = false;
  bool progressed_ = false;
  uint64_t rows_before_ = 0;  // read by snapshots of earlier attempts
};

}  // namespace walduct::slot
