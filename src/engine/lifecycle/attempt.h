// Attempt: everything that lives from one connection to the next: connections, slot, sink, offset
// store, the two phases. A failed attempt is thrown away whole; the next one starts from the stored
// position. Data thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "config/options/table_filter.h"
#include "encode/record_encoder.h"
#include "engine/duties/checkpointer.h"
#include "engine/duties/heartbeat.h"
#include "engine/duties/housekeeping.h"
#include "engine/duties/outbox_duties.h"
#include "engine/environment/tail.h"
#include "engine/lifecycle/connector.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/record_errors.h"
#include "engine/start/start_position.h"
#include "offset/ack_tracker.h"
#include "offset/offset_store.h"
#include "postgres/background_statement.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"
#include "postgres/server_check.h"
#include "replication/slot.h"
#include "route/router.h"
#include "sink/sink.h"
#include "snapshot/mode.h"
#include "snapshot/plan.h"
#include "snapshot/row_marker.h"
#include "transform/chain/chain.h"

namespace walduct::engine {

class Attempt {
 public:
  // All borrowed.
  struct Options {
    const config::ConnectorOptions* config = nullptr;
    RunGoal goal;
    RunMode mode = RunMode::kRun;
    Clock* clock = nullptr;
    Poller* poller = nullptr;
    const StopSignal* stop = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    WarnOnce* warn_once = nullptr;
    outbox::TableMemory* outbox_tables = nullptr;  // outlives the attempts
  };
  explicit Attempt(Options options);
  ~Attempt();

  // OK: stopped as asked, or the goal is reached; everything read is delivered and stored.
  absl::Status Run();

  bool goal_reached() const { return goal_reached_; }
  // A snapshot began or the stream was opened.
  bool progressed() const { return progressed_; }
  std::string position_text() const;

 private:
  absl::Status OpenSink();
  absl::Status OpenServer();
  absl::Status Decide();
  // Creates what is missing on the server, publication before slot.
  absl::Status PrepareServer();
  absl::Status PrepareTopics();
  std::vector<std::string> KnownTopics() const;
  absl::Status CreateMissingSlot();
  // With housekeeping of outbox tables: rows from before the new slot must be read, or there must
  // be none.
  absl::Status CheckNoOutboxHistory();
  bool ReadsOutboxRows() const;
  // What transforms will say of the tables, before anything is created; strict: refuses.
  absl::Status PreviewTransforms();
  // Rows that a snapshot publishes as events though they may have been published before.
  absl::Status WarnOfHistory(postgres::Connection& connection,
                             const std::vector<snapshot::PlannedTable>& plan);
  absl::Status BuildPipeline();
  void BuildHeartbeat();
  absl::Status TakeSnapshot();
  absl::Status Stream();
  absl::Status Settle();
  void Salvage();
  absl::Status FinishSnapshot(const snapshot::SnapshotOrigin& origin);
  const config::ConnectorOptions& config() const { return *options_.config; }
  Environment environment() const { return {options_.clock, options_.poller}; }

  Options options_;
  config::ReplicationOptions replication_options_;  // `tail` reads through a publication of its own
  config::TableFilter filter_;
  std::unique_ptr<sink::Sink> sink_;
  std::unique_ptr<offset::OffsetStore> store_;
  std::optional<offset::StoredOffset> stored_;

  std::unique_ptr<postgres::Connection> sql_;
  std::unique_ptr<postgres::Connection> replication_;
  std::unique_ptr<postgres::Catalog> catalog_;
  std::unique_ptr<TailPublication> tail_publication_;  // uses sql_
  postgres::ServerInfo server_;
  replication::SystemIdentity system_;
  std::vector<postgres::TableName> captured_;
  std::optional<replication::SlotState> slot_;
  std::optional<replication::CreatedSlot> created_slot_;
  snapshot::StartDecision decision_;
  event::Position start_;

  std::unique_ptr<route::Router> router_;
  std::unique_ptr<const transform::Chain> chain_;  // null: no transforms
  std::unique_ptr<encode::RecordEncoder> encoder_;
  offset::AckTracker tracker_;
  std::unique_ptr<Checkpointer> checkpointer_;
  std::unique_ptr<Housekeeping> housekeeping_;
  std::unique_ptr<RecordErrors> record_errors_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<postgres::BackgroundStatement> heartbeat_action_;
  std::unique_ptr<Heartbeat> heartbeat_;
  OutboxDuties outbox_;
  std::vector<std::string> event_tables_;  // "schema.table" whose rows become events
  bool goal_reached_ = false;
  bool progressed_ = false;
};

}  // namespace walduct::engine
