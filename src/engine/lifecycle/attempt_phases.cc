// Attempt: the pipeline, and the two phases that run through it.
#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/lifecycle/attempt.h"
#include "engine/lifecycle/run_identity.h"
#include "engine/phases/snapshot_phase.h"
#include "engine/phases/stream_phase.h"
#include "engine/settled_catalog.h"
#include "replication/replication_stream.h"
#include "snapshot/transaction.h"

namespace walduct::engine {
namespace {

using postgres::Connection;
using postgres::SessionKind;

// Kafka may be what failed.
constexpr absl::Duration kSalvageTimeout = absl::Seconds(5);

// A server whose patience is short must hear from us three times within it.
absl::Duration StatusInterval(Connection& sql, absl::Duration configured) {
  const auto answer =
      sql.Query("SELECT setting FROM pg_catalog.pg_settings WHERE name = 'wal_sender_timeout'");
  int64_t timeout_ms = 0;
  if (!answer.ok() || answer->rows() != 1 || !absl::SimpleAtoi(answer->Get(0, 0), &timeout_ms) ||
      timeout_ms <= 0) {
    return configured;
  }
  return std::min(configured, absl::Milliseconds(timeout_ms) / 3);
}

}  // namespace

absl::Status Attempt::BuildPipeline() {
  chain_ = transform::Chain::Create(config().chain);
  const std::string run_id = RunId(*options_.clock);
  ASSIGN_OR_RETURN(encoder_, encode::RecordEncoder::Create(config().encode, *options_.clock, run_id,
                                                           chain_.get()));
  record_errors_ =
      std::make_unique<RecordErrors>(RecordErrors::Options{.policy = config().record_errors,
                                                           .connector = config().name,
                                                           .encode = config().encode,
                                                           .run_id = run_id,
                                                           .clock = options_.clock,
                                                           .metrics = options_.metrics});
  router_ = std::make_unique<route::Router>(config().transform, filter_, encoder_.get());
  // What a discarded offset had confirmed stays confirmed, but takes no part in the order of what
  // is stored from now on.
  const bool resumes = stored_ && !decision_.snapshot;
  checkpointer_ = std::make_unique<Checkpointer>(
      Checkpointer::Options{.store = store_.get(),
                            .clock = options_.clock,
                            .interval = config().offset.flush_interval,
                            .system_identifier = system_.system_identifier,
                            .timeline = system_.timeline,
                            .transaction_id = config().transform.transaction_metadata},
      resumes ? std::optional(stored_->position) : std::nullopt);
  housekeeping_ =
      std::make_unique<Housekeeping>(Housekeeping::Parts{.clock = options_.clock,
                                                         .poller = options_.poller,
                                                         .sink = sink_.get(),
                                                         .tracker = &tracker_,
                                                         .store = store_.get(),
                                                         .checkpointer = checkpointer_.get(),
                                                         .stop = options_.stop,
                                                         .metrics = options_.metrics,
                                                         .outbox = &outbox_});
  pipeline_ = std::make_unique<Pipeline>(Pipeline::Parts{.router = router_.get(),
                                                         .encoder = encoder_.get(),
                                                         .sink = sink_.get(),
                                                         .tracker = &tracker_,
                                                         .waiter = housekeeping_.get(),
                                                         .errors = record_errors_.get(),
                                                         .metrics = options_.metrics,
                                                         .warn_once = options_.warn_once});
  BuildHeartbeat();
  return absl::OkStatus();
}

void Attempt::BuildHeartbeat() {
  const config::HeartbeatOptions& options = config().heartbeat;
  if (options.interval > absl::ZeroDuration() && !options.action_query.empty()) {
    heartbeat_action_ =
        std::make_unique<postgres::BackgroundStatement>(postgres::BackgroundStatement::Options{
            .connection = {.database = config().database,
                           .kind = SessionKind::kSql,
                           .application_name = "walduct " + config().name + " heartbeat",
                           .keep_search_path = true,
                           .environment = environment()},
            .sql = options.action_query,
            .what = "heartbeat.action.query",
            .connector = config().name});
  }
  heartbeat_ = std::make_unique<Heartbeat>(Heartbeat::Parts{.interval = options.interval,
                                                            .clock = options_.clock,
                                                            .pipeline = pipeline_.get(),
                                                            .sink = sink_.get(),
                                                            .action = heartbeat_action_.get()});
}

absl::Status Attempt::TakeSnapshot() {
  ASSIGN_OR_RETURN(
      const auto connection,
      Connection::Open({.database = config().database,
                        .kind = SessionKind::kSql,
                        .application_name = "walduct " + config().name + " snapshot",
                        .keep_search_path = !config().snapshot.select_overrides.empty(),
                        .environment = environment()}));
  ASSIGN_OR_RETURN(
      snapshot::SnapshotOrigin origin,
      snapshot::BeginOnSnapshot(*connection,
                                {.snapshot_name = created_slot_ ? created_slot_->snapshot_name : "",
                                 .lock_timeout = config().snapshot.lock_timeout}));
  if (!start_.commit_end.valid()) {
    ASSIGN_OR_RETURN(start_.commit_end, snapshot::ReadCurrentLsn(*connection));
  }
  origin.consistent_point = start_.commit_end;
  const auto tables = snapshot::SelectTables(captured_, config().snapshot, config().tables);
  if (config().snapshot.lock_tables) RETURN_IF_ERROR(snapshot::LockTables(*connection, tables));
  postgres::Catalog catalog(*connection);
  ASSIGN_OR_RETURN(auto plan,
                   snapshot::PlanSnapshot(*connection, catalog, tables, config().snapshot));
  RETURN_IF_ERROR(WarnOfHistory(*connection, plan));
  log::Info("snapshot started",
            {{"tables", plan.size()}, {"lsn", origin.consistent_point.ToString()}});
  progressed_ = true;
  snapshot::SnapshotReader reader(*connection, *options_.clock, *options_.metrics,
                                  {.tables = std::move(plan), .origin = origin});
  SnapshotPhase phase({.reader = &reader,
                       .housekeeping = housekeeping_.get(),
                       .pipeline = pipeline_.get(),
                       .sink = sink_.get()});
  RETURN_IF_ERROR(phase.Run());
  if (!phase.done()) return Settle();
  RETURN_IF_ERROR(snapshot::EndSnapshot(*connection));
  return FinishSnapshot(origin);
}

// Stored before the stream begins: a crash from here on does not read the tables again.
absl::Status Attempt::FinishSnapshot(const snapshot::SnapshotOrigin& origin) {
  event::Position completed;
  completed.commit_end = origin.consistent_point;
  completed.change_lsn = origin.consistent_point;
  completed.xid = origin.xid.value_or(0);
  completed.commit_time_us = origin.time_us;
  completed.snapshot = event::SnapshotPhase::kCompleted;
  start_.commit_time_us = origin.time_us;
  // Also when there was no row at all, and so nothing that could carry the position.
  tracker_.Advance(completed);
  RETURN_IF_ERROR(heartbeat_->Beat());
  RETURN_IF_ERROR(housekeeping_->Drain(config().runtime.shutdown_timeout));
  log::Info("snapshot completed", {{"lsn", origin.consistent_point.ToString()},
                                   {"rows", options_.metrics->snapshot_rows.value()}});
  if (!decision_.stream) goal_reached_ = true;
  return absl::OkStatus();
}

absl::Status Attempt::Stream() {
  std::optional<Lsn> goal = options_.goal.until_lsn;
  if (options_.goal.until_caught_up) {
    ASSIGN_OR_RETURN(goal, snapshot::ReadCurrentLsn(*sql_));
  }
  const absl::Duration status_interval =
      StatusInterval(*sql_, replication_options_.status_interval);
  ASSIGN_OR_RETURN(const auto stream,
                   replication::ReplicationStream::Start(std::move(replication_),
                                                         replication_options_, start_.commit_end));
  progressed_ = true;
  options_.metrics->connected.Set(1);
  log::Info("streaming", {{"slot", replication_options_.slot_name},
                          {"publication", replication_options_.publication_name},
                          {"from", start_.commit_end.ToString()},
                          {"ordinal", start_.ordinal}});
  pgoutput::AssemblerOptions resume;
  resume.start = start_;
  // A message outside of transactions has the time of what was before it, the first one that of the
  // start.
  if (resume.start.commit_time_us == 0)
    resume.start.commit_time_us = absl::ToUnixMicros(options_.clock->Now());
  // Debezium's source.sequence begins with null until the first commit after a snapshot.
  if (stored_ && !decision_.snapshot && start_.snapshot == event::SnapshotPhase::kNone)
    resume.last_commit_end = start_.commit_end;
  // Only schemas tell of labels.
  resume.watch_enum_labels =
      config().encode.key.schemas_enable || config().encode.value.schemas_enable;
  SettledCatalog resolver({.catalog = catalog_.get(),
                           .clock = options_.clock,
                           .poller = options_.poller,
                           .stop = options_.stop,
                           .delay = config().runtime.catalog_delay});
  pgoutput::Assembler assembler(resolver, *pipeline_, resume);
  housekeeping_->AttachStream(stream.get(), status_interval);
  outbox_.Start();
  StreamPhase phase({.source = stream.get(),
                     .assembler = &assembler,
                     .housekeeping = housekeeping_.get(),
                     .heartbeat = heartbeat_.get(),
                     .checkpointer = checkpointer_.get(),
                     .tracker = &tracker_,
                     .sink = sink_.get(),
                     .clock = options_.clock,
                     .metrics = options_.metrics,
                     .goal = goal});
  const absl::Status ran = phase.Run();
  options_.metrics->connected.Set(0);
  if (!ran.ok()) {
    outbox_.Stop();
    Salvage();
    housekeeping_->DetachStream();
    return ran;
  }
  goal_reached_ = phase.goal_reached();
  log::Info(goal_reached_ ? "goal reached, stopping" : "stopping");
  const absl::Status settled = Settle();
  housekeeping_->DetachStream();
  outbox_.Stop();
  stream->Stop(absl::Seconds(1));
  if (settled.ok() && replication_options_.drop_slot_on_stop) {
    RETURN_IF_ERROR(replication::DropSlot(*sql_, replication_options_.slot_name));
  }
  return settled;
}

// After a failure: what was written before it is published and stored where that is still possible,
// so that the next attempt does not repeat it, and a record that stops the connector holds up
// nothing before it.
void Attempt::Salvage() {
  const absl::Status settled =
      housekeeping_->Settle(std::min(config().runtime.shutdown_timeout, kSalvageTimeout));
  if (!settled.ok()) log::Debug("not settled", {{"error", std::string(settled.message())}});
}

absl::Status Attempt::Settle() { return housekeeping_->Settle(config().runtime.shutdown_timeout); }

}  // namespace walduct::engine
