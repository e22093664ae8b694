#include "engine/attempt.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "encode/types/column_rules.h"
#include "engine/chain_preview.h"
#include "engine/run_identity.h"
#include "engine/settled_catalog.h"
#include "engine/snapshot_phase.h"
#include "engine/stream_phase.h"
#include "engine/tail.h"
#include "offset/offset_store_factory.h"
#include "postgres/money_check.h"
#include "replication/publication.h"
#include "replication/replica_identity.h"
#include "replication/replication_stream.h"
#include "sink/sink_factory.h"
#include "snapshot/plan.h"
#include "snapshot/transaction.h"
#include "transform/topic_naming.h"

namespace walduct::engine {
namespace {

// Kafka may be what failed.
constexpr absl::Duration kSalvageTimeout = absl::Seconds(5);

using postgres::Connection;
using postgres::SessionKind;

snapshot::OffsetState StateOf(const std::optional<offset::StoredOffset>& stored) {
  if (!stored) return snapshot::OffsetState::kNone;
  return stored->position.snapshot == event::SnapshotPhase::kRunning
             ? snapshot::OffsetState::kSnapshotRunning
             : snapshot::OffsetState::kStreaming;
}

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

Attempt::Attempt(Options options)
    : options_(options),
      replication_options_(options.config->replication),
      filter_(options.config->tables),
      outbox_({.config = options.config, .captured = &filter_, .metrics = options.metrics}) {}

Attempt::~Attempt() = default;

std::string Attempt::position_text() const {
  const std::optional<event::Position> stored =
      checkpointer_ ? checkpointer_->stored() : std::nullopt;
  return stored ? stored->commit_end.ToString() : "none";
}

absl::Status Attempt::Run() {
  RETURN_IF_ERROR(OpenSink());
  RETURN_IF_ERROR(OpenServer());
  RETURN_IF_ERROR(Decide());
  if (!decision_.snapshot && !decision_.stream) {
    log::Info(
        "nothing to do: the snapshot was completed before and snapshot.mode=initial_only does not "
        "stream");
    goal_reached_ = true;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(PreviewTransforms());
  RETURN_IF_ERROR(PrepareServer());
  RETURN_IF_ERROR(BuildPipeline());
  if (decision_.snapshot) RETURN_IF_ERROR(TakeSnapshot());
  if (decision_.stream && !housekeeping_->stopping()) RETURN_IF_ERROR(Stream());
  return absl::OkStatus();
}

// Before anything is created on a server: a broker that is away is waited for with nothing begun.
absl::Status Attempt::OpenSink() {
  ASSIGN_OR_RETURN(sink_, sink::CreateSink(config().sink, config().kafka));
  ASSIGN_OR_RETURN(store_, offset::CreateOffsetStore(config()));
  ASSIGN_OR_RETURN(stored_, store_->Load());
  return absl::OkStatus();
}

absl::Status Attempt::OpenServer() {
  ASSIGN_OR_RETURN(sql_, Connection::Open({.database = config().database,
                                           .kind = SessionKind::kSql,
                                           .application_name = "walduct " + config().name}));
  ASSIGN_OR_RETURN(server_, postgres::CheckServer(*sql_));
  ASSIGN_OR_RETURN(replication_,
                   Connection::Open({.database = config().database,
                                     .kind = SessionKind::kReplication,
                                     .application_name = "walduct " + config().name + " stream"}));
  ASSIGN_OR_RETURN(system_, replication::IdentifySystem(*replication_));
  catalog_ = std::make_unique<postgres::Catalog>(*sql_);
  ASSIGN_OR_RETURN(captured_, catalog_->CapturedTables(filter_));
  if (captured_.empty()) {
    log::Warn(
        "no table is captured: the include and exclude lists leave none; check their spelling "
        "(schema.table, regular expressions)");
  }
  const auto published = [this](absl::string_view column) {
    return encode::IsIncluded(config().encode.columns, column);
  };
  RETURN_IF_ERROR(postgres::CheckMoneyUnits(*sql_, config().database, captured_, published));
  ASSIGN_OR_RETURN(slot_, replication::InspectSlot(*sql_, replication_options_.slot_name));
  if (slot_)
    RETURN_IF_ERROR(replication::CheckSlotUsable(*sql_, replication_options_.slot_name, *slot_));
  return absl::OkStatus();
}

absl::Status Attempt::Decide() {
  ASSIGN_OR_RETURN(const StartVerdict verdict,
                   JudgeStart({.stored = &stored_,
                               .slot = &slot_,
                               .system = system_,
                               .in_recovery = server_.in_recovery,
                               .strategy = replication_options_.offset_mismatch}));
  const bool streams = config().snapshot.mode != config::SnapshotMode::kInitialOnly;
  const absl::StatusOr<snapshot::StartDecision> decision = snapshot::DecideStart(
      {.mode = config().snapshot.mode,
       .offset = StateOf(stored_),
       .position_available = !streams || verdict.available.ok(),
       .stored_position_text = stored_ ? stored_->position.commit_end.ToString() : ""});
  if (!decision.ok()) {
    // JudgeStart knows better why the position is gone than the rule that trips over it.
    const bool lost = ErrorReason(decision.status()) == "position_lost";
    return lost && !verdict.available.ok() ? verdict.available : decision.status();
  }
  decision_ = *decision;
  if (!verdict.available.ok())
    log::Warn(std::string(verdict.available.message()) + "; taking a new snapshot");
  if (verdict.position) start_ = *verdict.position;
  if (decision_.snapshot) {
    // The rows to come replace whatever had been read of the transaction under way.
    start_.ordinal = 0;
    start_.transaction_final_lsn = Lsn();
  }
  return absl::OkStatus();
}

absl::Status Attempt::PreviewTransforms() {
  ASSIGN_OR_RETURN(const ChainPreview preview, PreviewChain(config(), *sql_, *catalog_, captured_));
  event_tables_ = preview.event_tables;
  for (const std::string& notice : preview.notices) options_.told->Warn(notice);
  for (const std::string& problem : preview.problems) options_.told->Warn(problem);
  return absl::OkStatus();
}

absl::Status Attempt::WarnOfHistory(postgres::Connection& connection,
                                    const std::vector<snapshot::PlannedTable>& plan) {
  for (const snapshot::PlannedTable& planned : plan) {
    const std::string name = absl::StrCat(planned.name.schema, ".", planned.name.table);
    const bool event =
        std::find(event_tables_.begin(), event_tables_.end(), name) != event_tables_.end();
    // An override says which rows are wanted.
    if (!event || planned.select != snapshot::SelectStatement(*planned.schema)) continue;
    ASSIGN_OR_RETURN(const std::string warning, HistoryWarning(connection, planned.select, name));
    if (!warning.empty()) options_.told->Warn(warning);
  }
  return absl::OkStatus();
}

absl::Status Attempt::PrepareServer() {
  if (decision_.snapshot) {
    const auto tables = snapshot::SelectTables(captured_, config().snapshot, config().tables);
    RETURN_IF_ERROR(postgres::CheckSnapshotPrivileges(*sql_, tables));
  }
  if (decision_.stream && !slot_) RETURN_IF_ERROR(postgres::CheckFreeSlot(*sql_));
  RETURN_IF_ERROR(PrepareTopics());
  if (!decision_.stream) return absl::OkStatus();
  // PostgreSQL reads publications as of the moment of a change: one created after the slot would not be found for ever.
  if (options_.mode == RunMode::kTail) {
    ASSIGN_OR_RETURN(tail_publication_,
                     TailPublication::Ensure(*sql_, replication_options_, captured_));
    replication_options_.publication_name = tail_publication_->name();
  } else {
    RETURN_IF_ERROR(replication::SetReplicaIdentities(
        *sql_, replication_options_.replica_identities, captured_));
    RETURN_IF_ERROR(outbox_.BeforePublication(*sql_, replication_options_.publication_name));
    RETURN_IF_ERROR(replication::EnsurePublication(*sql_, replication_options_, captured_));
    RETURN_IF_ERROR(outbox_.AfterPublication(*sql_, !stored_, ReadsOutboxRows()));
  }
  return slot_ ? absl::OkStatus() : CreateMissingSlot();
}

absl::Status Attempt::PrepareTopics() {
  const absl::Status prepared = sink_->PrepareTopics(KnownTopics());
  // A topic's name that Kafka refuses is the error of each of its records.
  const bool of_records = absl::IsInvalidArgument(prepared) && config().record_errors.tolerate;
  if (of_records) log::Warn(std::string(prepared.message()), {{"hint", ErrorHint(prepared)}});
  return of_records ? absl::OkStatus() : prepared;
}

// What transforms make of the topics shows with the records.
std::vector<std::string> Attempt::KnownTopics() const {
  std::vector<std::string> topics;
  if (!config().chain.transforms.empty()) return topics;
  const transform::TopicNaming naming(config().transform);
  for (const postgres::TableName& table : captured_)
    topics.push_back(naming.TableTopic(table.schema, table.table));
  if (config().transform.transaction_metadata && decision_.stream)
    topics.push_back(transform::TransactionTopic(config().transform));
  if (config().heartbeat.interval > absl::ZeroDuration())
    topics.push_back(transform::HeartbeatTopic(config().transform));
  return topics;
}

absl::Status Attempt::CreateMissingSlot() {
  log::Info("creating replication slot", {{"slot", replication_options_.slot_name}});
  ASSIGN_OR_RETURN(created_slot_,
                   replication::CreateSlot(*replication_, *sql_, replication_options_,
                                           [this] { return options_.stop->requested(); }));
  start_ = {};
  start_.commit_end = created_slot_->consistent_point;
  start_.change_lsn = created_slot_->consistent_point;
  log::Info("replication slot created", {{"slot", replication_options_.slot_name},
                                         {"consistent_point", start_.commit_end.ToString()}});
  return outbox_.enabled() && !ReadsOutboxRows() ? CheckNoOutboxHistory() : absl::OkStatus();
}

bool Attempt::ReadsOutboxRows() const {
  return decision_.snapshot && !config().snapshot.include_collections;
}

// What was written between the first check and the slot.
absl::Status Attempt::CheckNoOutboxHistory() {
  ASSIGN_OR_RETURN(const auto connection,
                   Connection::Open({.database = config().database,
                                     .kind = SessionKind::kSql,
                                     .application_name = "walduct " + config().name + " outbox"}));
  RETURN_IF_ERROR(
      snapshot::BeginOnSnapshot(*connection, {.snapshot_name = created_slot_->snapshot_name,
                                              .lock_timeout = config().snapshot.lock_timeout})
          .status());
  return outbox_.CheckNoHistory(*connection);
}

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
  router_ = std::make_unique<transform::Router>(config().transform, filter_, encoder_.get());
  // What a discarded offset had confirmed stays confirmed, but takes no part in the order of what is stored from now on.
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
                                                         .told = options_.told});
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
                           .keep_search_path = true},
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
                        .keep_search_path = !config().snapshot.select_overrides.empty()}));
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
  ASSIGN_OR_RETURN(const auto stream, replication::ReplicationStream::Start(
                                          std::move(replication_), replication_options_,
                                          start_.commit_end, *options_.clock));
  progressed_ = true;
  options_.metrics->connected.Set(1);
  log::Info("streaming", {{"slot", replication_options_.slot_name},
                          {"publication", replication_options_.publication_name},
                          {"from", start_.commit_end.ToString()},
                          {"ordinal", start_.ordinal}});
  pgoutput::AssemblerOptions resume;
  resume.start = start_;
  // A message outside of transactions has the time of what was before it, the first one that of the start.
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

// After a failure: what was written before it is published and stored where that is still possible, so that the next attempt
// does not repeat it, and a record that stops the connector holds up nothing before it.
void Attempt::Salvage() {
  const absl::Status settled =
      housekeeping_->Settle(std::min(config().runtime.shutdown_timeout, kSalvageTimeout));
  if (!settled.ok()) log::Debug("not settled", {{"error", std::string(settled.message())}});
}

absl::Status Attempt::Settle() { return housekeeping_->Settle(config().runtime.shutdown_timeout); }

}  // namespace walduct::engine
