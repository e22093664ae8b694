#include "slot/world/postgres_source.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/code_pages.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "encode/options/encode_options.h"
#include "encode/types/column_rules.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/runtime_options.h"
#include "incremental/chunks/chunk_thread.h"
#include "incremental/chunks/signal_rights.h"
#include "incremental/open_channels.h"
#include "incremental/options/incremental_options.h"
#include "postgres/checks/money_check.h"
#include "postgres/connection_options.h"
#include "postgres/options.h"
#include "postgres/server_check.h"
#include "replication/options.h"
#include "replication/publication/publication.h"
#include "replication/publication/publication_advice.h"
#include "replication/publication/renamed_publication.h"
#include "replication/publication/replica_identity.h"
#include "replication/publication_name.h"
#include "replication/replication_stream.h"
#include "replication/sender_timeout.h"
#include "replication/session_names.h"
#include "replication/slot_lock.h"
#include "replication/start_command.h"
#include "slot/in_progress/streaming_pause.h"
#include "slot/world/advice/column_advice.h"
#include "slot/world/blocking_tables.h"
#include "slot/world/capture/capture_options.h"
#include "slot/world/capture/column_entries.h"
#include "slot/world/heartbeat_action.h"
#include "slot/world/postgres_snapshot.h"
#include "slot/world/preview/chain_preview.h"
#include "slot/world/reads/record_columns.h"
#include "slot/world/reads/snapshot_rights.h"
#include "slot/world/schema_foresight.h"
#include "snapshot/options.h"
#include "snapshot/transaction.h"

namespace walduct::slot {

using postgres::Connection;
using postgres::SessionKind;

PostgresSource::PostgresSource(const SourceOptions& options, const Environment& environment)
    : options_(options),
      environment_(environment),
      database_(*options.config->database),
      replication_options_(*options.config->replication),
      filter_(*options.config->tables),
      outbox_({.connector = options.config->name,
               .options = options.config->outbox.get(),
               .database = &database_,
               .captured = &filter_,
               .metrics = options.metrics,
               .memory = options.outbox_tables,
               .environment = environment}) {}

postgres::ConnectionOptions PostgresSource::Session(SessionKind kind,
                                                    absl::string_view what) const {
  return {.database = database_,
          .kind = kind,
          .application_name = replication::SessionName(config().name, what),
          .stopping = options_.stopping,
          .environment = environment_};
}

PostgresSource::OpenSession PostgresSource::Opener(absl::string_view what, bool as_user) const {
  postgres::ConnectionOptions of_role = Session(SessionKind::kSql, what);
  of_role.keep_search_path = as_user;
  return [session = std::move(of_role)](const postgres::StopCheck& stopping) {
    postgres::ConnectionOptions options = session;
    options.stopping = stopping;
    return Connection::Open(std::move(options));
  };
}

absl::StatusOr<std::unique_ptr<Connection>> PostgresSource::OpenAsUser() const {
  postgres::ConnectionOptions session = Session(SessionKind::kSql, "");
  session.keep_search_path = true;
  return Connection::Open(std::move(session));
}

absl::Status PostgresSource::Connect() {
  ASSIGN_OR_RETURN(sql_, Connection::Open(Session(SessionKind::kSql, "")));
  database_.hostname = sql_->host();
  database_.port = sql_->port();
  RETURN_IF_ERROR(postgres::CheckServer(*sql_).status());
  StartWatch();
  ASSIGN_OR_RETURN(facts_.sender_timeout, replication::ReadSenderTimeout(*sql_));
  ASSIGN_OR_RETURN(replication_, Connection::Open(Session(SessionKind::kReplication, " stream")));
  stream_pid_ = replication_->backend_pid();
  catalog_ = std::make_unique<postgres::Catalog>(*sql_, options_.schemas);
  schemas_ = std::make_unique<postgres::SchemaQuery>(*sql_, *environment_.clock, options_.schemas);
  if (replication_options_.temporary_slot) return absl::OkStatus();  // it is its session's
  ASSIGN_OR_RETURN(locked_,
                   replication::TakeSlotLock(*replication_, *sql_, replication_options_.slot_name));
  return absl::OkStatus();
}

absl::StatusOr<SourceFacts> PostgresSource::Inspect() {
  ASSIGN_OR_RETURN(const postgres::ServerInfo server, postgres::CheckServer(*sql_));
  facts_.database = sql_->database();
  facts_.in_recovery = server.in_recovery;
  facts_.decodes = server.decodes;
  facts_.next_xid = server.next_xid;
  ASSIGN_OR_RETURN(facts_.system, replication::IdentifySystem(*replication_));
  ASSIGN_OR_RETURN(SlotTables tables, FindSlotTables(TablesQuery()));
  facts_.captured = std::move(tables.own);
  facts_.elsewhere = tables.elsewhere;
  if (facts_.captured.empty()) {
    const std::string& publication = replication_options_.publication_name;
    ASSIGN_OR_RETURN(facts_.tables_come, replication::TakesNewTables(*sql_, publication));
  }
  RETURN_IF_ERROR(LookAtTypes());
  ASSIGN_OR_RETURN(facts_.slot, replication::InspectSlot(*sql_, replication_options_.slot_name));
  return facts_;
}

// They may be gone when the first rows that have them are read.
absl::Status PostgresSource::LookAtTypes() {
  ASSIGN_OR_RETURN(types_, catalog_->TypesOfUsers(postgres::RelationsOf(facts_.captured)));
  // Behind all rows of what the catalog did not show.
  ASSIGN_OR_RETURN(types_as_of_, CurrentLsn());
  // Money, or a type that may be a domain over it.
  if (types_.empty()) return absl::OkStatus();
  const auto published = [this](absl::string_view column) {
    return encode::IsIncluded(config().encode->columns, column);
  };
  return postgres::CheckMoneyUnits(*sql_, database_, facts_.captured, published);
}

SlotTablesQuery PostgresSource::TablesQuery() {
  return {.connection = *sql_,
          .catalog = *catalog_,
          .share = replication_options_.share,
          .tables = *config().tables,
          .form = {.via_partition_root = replication_options_.publish_via_partition_root,
                   .operations = replication_options_.publish_operations}};
}

absl::StatusOr<replication::TimelineHistory> PostgresSource::Timelines() {
  return replication::ReadTimelineHistory(*replication_, facts_.system.timeline);
}

absl::StatusOr<std::optional<replication::UpgradeTraces>> PostgresSource::UpgradeTraces() {
  return replication::ReadUpgradeTraces(*sql_);
}

absl::Status PostgresSource::CheckSlot() {
  if (!facts_.slot) return absl::OkStatus();
  return replication::CheckSlotUsable(*sql_, replication_options_.slot_name, *facts_.slot);
}

absl::Status PostgresSource::PreviewTransforms() {
  ASSIGN_OR_RETURN(const ChainPreview preview,
                   PreviewChain(config(), *sql_, *catalog_, facts_.captured));
  event_tables_ = preview.event_tables;
  for (const std::string& notice : preview.notices) options_.warn_once->Warn(notice);
  for (const std::string& problem : preview.problems) options_.warn_once->Warn(problem);
  return absl::OkStatus();
}

// Advice: a server that went away is found by who needs it.
void PostgresSource::ForeseeSchemas(const event::SchemaIdSources& ids) {
  const absl::Status told = slot::ForeseeSchemas({.tables = *config().tables,
                                                  .route = *config().route,
                                                  .chain = *config().chain,
                                                  .encode = *config().encode,
                                                  .clock = *environment_.clock,
                                                  .ids = ids},
                                                 *catalog_, facts_.captured);
  if (!told.ok()) log::Debug("schemas are not foreseen", {{"error", std::string(told.message())}});
}

absl::Status PostgresSource::CheckPlan(const SourcePlan& plan) {
  if (options_.mode != engine::RunMode::kTail)
    WarnOfColumns(config(), *sql_, *catalog_, facts_.captured, options_.capture,
                  options_.warn_once);
  if (plan.decision.snapshot) {
    RETURN_IF_ERROR(CheckSnapshotRights({.connection = *sql_,
                                         .open = [this] { return OpenAsUser(); },
                                         .tables = SnapshotTables(),
                                         .reading = *config().snapshot,
                                         .wanted = WantedColumns()}));
    if (config().snapshot->reads_standby()) RETURN_IF_ERROR(OpenStandby().status());
  }
  const bool creates_slot = plan.decision.stream && !facts_.slot;
  return creates_slot ? postgres::CheckFreeSlot(*sql_) : absl::OkStatus();
}

absl::Status PostgresSource::PreparePublication(const SourcePlan& plan) {
  if (options_.mode == engine::RunMode::kTail) {
    ASSIGN_OR_RETURN(tail_publication_,
                     TailPublication::Ensure(*sql_, Session(SessionKind::kSql, " guard"),
                                             replication_options_, facts_.captured));
    replication_options_.publication_name = tail_publication_->names().front();
    replication_options_.more_publications.assign(tail_publication_->names().begin() + 1,
                                                  tail_publication_->names().end());
    return absl::OkStatus();
  }
  if (replication_options_.share.hands_over) return absl::OkStatus();
  if (facts_.slot)
    RETURN_IF_ERROR(replication::CheckNotRenamed(*sql_, replication_options_.publication_name,
                                                 plan.publication));
  RETURN_IF_ERROR(replication::SetReplicaIdentities(*sql_, replication_options_, facts_.captured));
  RETURN_IF_ERROR(outbox_.BeforePublication(*sql_, replication_options_.publication_name));
  // Before there is a slot, nothing is missed: its creation waits for whoever writes.
  ASSIGN_OR_RETURN(const auto added, replication_options_.share.several()
                                         ? EnsureSlotTables(TablesQuery(), facts_.captured)
                                         : replication::EnsurePublication(
                                               *sql_, replication_options_, facts_.captured,
                                               options_.publications_of_others));
  if (facts_.slot) coverage_.Added(added, plan.seen, plan.publication);
  RememberCaptured();
  RETURN_IF_ERROR(AdviseOnSignals());
  return outbox_.AfterPublication(*sql_, plan.first_start, ReadsOutboxRows(plan));
}

absl::Status PostgresSource::AdviseOnSignals() {
  const std::string& table = config().tables->signal_table;
  if (table.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      const std::string publication,
      replication::ResolvePublicationName(*sql_, replication_options_.publication_name));
  replication::AdviseOnSignalTable(*sql_, publication, table, engine::CalledOf(config()));
  const incremental::IncrementalOptions& options = *config().incremental;
  if (options.read_only) return absl::OkStatus();
  return incremental::WarnOfSignalRights(*sql_, options.signal_schema, options.signal_table,
                                         options.deletes_watermarks);
}

absl::StatusOr<Lsn> PostgresSource::CreateSlot(const SourcePlan& plan,
                                               const postgres::StopCheck& stopping) {
  const std::string& slot = replication_options_.slot_name;
  log::Info("creating replication slot", {{"slot", slot}});
  ASSIGN_OR_RETURN(const replication::CreatedSlot created,
                   replication::CreateSlot(*replication_, *sql_, replication_options_, stopping,
                                           options_.blockers));
  exported_snapshot_ = created.snapshot_name;
  log::Info("replication slot created",
            {{"slot", slot}, {"consistent_point", created.consistent_point.ToString()}});
  if (outbox_.enabled() && !ReadsOutboxRows(plan)) RETURN_IF_ERROR(CheckNoOutboxHistory());
  if (plan.decision.snapshot && config().snapshot->reads_standby()) {
    // The primary's view is of no use, and would keep VACUUM from work. Any command ends it.
    RETURN_IF_ERROR(replication::IdentifySystem(*replication_).status());
    exported_snapshot_.clear();
  }
  return created.consistent_point;
}

bool PostgresSource::ReadsOutboxRows(const SourcePlan& plan) const {
  return plan.holds || (plan.decision.snapshot && !config().snapshot->include_collections);
}

// What was written between the first check and the slot.
absl::Status PostgresSource::CheckNoOutboxHistory() {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(Session(SessionKind::kSql, " outbox")));
  RETURN_IF_ERROR(
      snapshot::BeginOnSnapshot(*connection, {.snapshot_name = exported_snapshot_,
                                              .lock_timeout = config().snapshot->lock_timeout})
          .status());
  return outbox_.CheckNoHistory(*connection);
}

std::vector<postgres::TableName> PostgresSource::SnapshotTables() const {
  return snapshot::SelectTables(facts_.captured, *config().snapshot, *config().tables);
}

event::WantedColumns PostgresSource::WantedColumns() const {
  return RecordColumns(engine::ColumnsOf(config()), engine::MessageKeysOf(config()));
}

absl::StatusOr<std::unique_ptr<SnapshotStandby>> PostgresSource::OpenStandby() {
  postgres::ConnectionOptions session = Session(SessionKind::kSql, " standby");
  session.database = StandbyDatabase(database_, config().snapshot->standby_hostname,
                                     config().snapshot->standby_port);
  return SnapshotStandby::Open({.session = std::move(session),
                                .primary = facts_.system,
                                .primary_in_recovery = facts_.in_recovery,
                                .primary_lsn = [this] { return CurrentLsn(); }});
}

// What it lacks is asked from here on, after the slot was made.
absl::StatusOr<std::optional<ReplayLag>> PostgresSource::LagOfRows() {
  if (!config().snapshot->reads_standby()) return std::nullopt;
  if (standby_ == nullptr) {
    ASSIGN_OR_RETURN(standby_, OpenStandby());
  }
  return standby_->Lag();
}

absl::StatusOr<std::unique_ptr<TableSnapshot>> PostgresSource::OpenSnapshot(Lsn start) {
  // It is needed until the sessions that read are there.
  std::unique_ptr<SnapshotStandby> standby = std::move(standby_);
  if (standby == nullptr && config().snapshot->reads_standby()) {
    ASSIGN_OR_RETURN(standby, OpenStandby());
  }
  return PostgresSnapshot::Open(
      {.connector = config().name,
       .reading = config().snapshot.get(),
       .database = standby == nullptr ? &database_ : &standby->database(),
       .standby = standby.get(),
       .tables = SnapshotTables(),
       .exported_snapshot = exported_snapshot_,
       .start = start,
       .wanted = WantedColumns(),
       .check =
           [this](Connection& connection, const std::vector<snapshot::PlannedTable>& plan) {
             return WarnOfHistory(connection, plan, event_tables_, options_.warn_once);
           },
       .record = read_record_,
       .schemas = options_.schemas,
       .explain_lock = LockExplainer(),
       .stopping = options_.stopping},
      environment_, *options_.metrics);
}

absl::StatusOr<OpenedStream> PostgresSource::OpenStream(const event::Position& start) {
  OpenedStream opened;
  if (options_.pause != nullptr && options_.pause->Covers(start.commit_end))
    replication_options_.stream_in_progress = false;
  opened.status_interval =
      replication::StatusInterval(facts_.sender_timeout, replication_options_.status_interval);
  opened.confirms = replication_options_.confirm_positions;
  absl::StatusOr<std::unique_ptr<replication::WalSource>> stream =
      replication::ReplicationStream::Start(std::move(replication_), replication_options_,
                                            start.commit_end);
  if (!stream.ok())
    return replication::ExplainStart(*sql_, replication_options_.slot_name, stream.status());
  opened.stream = *std::move(stream);
  if (replication_options_.stream_in_progress &&
      !replication::SendsInProgress(replication_options_, sql_->server_version())) {
    options_.warn_once->Warn(
        "walduct.transaction.streaming needs PostgreSQL 15: this server sends transactions when "
        "they have committed");
  }
  streams_ = true;
  // From here on nobody else can move it.
  RETURN_IF_ERROR(
      replication::CheckSlotNotMoved(*sql_, replication_options_.slot_name, start.commit_end));
  // What has gone to another slot is not new when it comes.
  if (!replication_options_.share.hands_over) {
    opened.coverage = coverage_.Look(*sql_, replication_options_.publication_name, facts_.captured);
  }
  if (options_.schemas != nullptr)
    options_.schemas->Sweep(types_, postgres::RelationsOf(facts_.captured), types_as_of_,
                            start.commit_end);
  RETURN_IF_ERROR(StartXmin());
  WatchCapture();
  ReleaseCodePagesAgain(environment_.clock->Monotonic());  // of logins and checks
  log::Info("streaming", {{"slot", replication_options_.slot_name},
                          {"publication", replication_options_.publication_name},
                          {"from", start.commit_end.ToString()},
                          {"ordinal", start.ordinal}});
  return opened;
}

absl::Status PostgresSource::CheckSlotHeld() {
  if (locked_ && !streams_) {
    RETURN_IF_ERROR(replication::CheckSlotLock(*sql_, replication_options_.slot_name, stream_pid_));
  }
  return replication::CheckSlotHeld(*sql_, replication_options_.slot_name, stream_pid_, streams_);
}

absl::Duration PostgresSource::WatchInterval() const {
  const absl::Duration longest = absl::Seconds(10), patience = config().runtime->stall_warning;
  return patience > absl::ZeroDuration() ? std::clamp(patience, absl::Seconds(1), longest)
                                         : longest;
}

// Beside whatever waits for the server from here on.
void PostgresSource::StartWatch() {
  watch_ = std::make_unique<ServerWatch>(
      ServerWatch::Options{.connection = Session(SessionKind::kSql, ""),
                           .slot = replication_options_.slot_name,
                           .names = engine::NamesOf(config()),
                           .interval = WatchInterval(),
                           .metrics = options_.metrics,
                           .sessions = options_.watch_sessions});
}

CaptureWatch::Options PostgresSource::CaptureOptions() const {
  CaptureWatch::Options watch = CaptureOptionsOf(
      *config().tables, *config().route, replication_options_, WatchInterval(), Opener(" watch"),
      environment_, config().heartbeat->action_query, options_.publications_of_others);
  watch.names = engine::NamesOf(config());
  watch.Takes(*config().incremental);
  watch.record = options_.capture;
  watch.metrics = options_.metrics;
  watch.more = ColumnLook(config(), *options_.capture);
  return watch;
}

// As the start has just found it: what changes from here on, before the stream begins too (a
// snapshot may take hours), is told by the first look. Advice: nobody waits for it.
void PostgresSource::RememberCaptured() {
  if (!LooksAfterCaptured()) return;
  if (const auto status = CaptureWatch(CaptureOptions()).Remember(*sql_); !status.ok())
    log::Warn("how tables are captured is not known", {{"error", std::string(status.message())}});
}

// From the stream's beginning on.
void PostgresSource::WatchCapture() {
  if (!LooksAfterCaptured()) return;
  CaptureWatch::Options watch = CaptureOptions();
  watch.captured = captured_now_;
  watch.held_back = coverage_.held_back();
  watch.wanted = WantedColumns();
  capture_watch_ = std::make_shared<CaptureWatch>(std::move(watch));
  watch_->LookWith(capture_watch_);
}

// The first record of the stream has it already.
absl::Status PostgresSource::StartXmin() {
  const absl::Duration interval = replication_options_.xmin_interval;
  if (interval <= absl::ZeroDuration()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<uint64_t> first,
                   ReadSlotXmin(*sql_, replication_options_.slot_name));
  xmin_ = std::make_unique<SlotXmin>(SlotXmin::Options{.open = Opener(" xmin"),
                                                       .slot = replication_options_.slot_name,
                                                       .connector = config().name,
                                                       .interval = interval,
                                                       .first = first.value_or(0)});
  return absl::OkStatus();
}

absl::Status PostgresSource::CheckSession() {
  if (View().shutting_down)
    return Error(absl::StatusCode::kUnavailable, "server_shutting_down",
                 "the server takes no new sessions: it waits for all to end before it shuts down");
  return sql_->CheckAlive();
}

absl::Status PostgresSource::ExplainEnd(const absl::Status& error) {
  if (absl::IsUnavailable(error) || absl::IsAborted(error) || replication::IsSlotVerdict(error))
    return replication::ExplainEnd(*sql_, replication_options_.slot_name, error);
  return replication::ExplainMissing(*sql_, replication_options_.publication_name,
                                     coverage_.read_by(), error);
}

std::unique_ptr<incremental::SignalInbox> PostgresSource::OpenSignals() {
  return incremental::OpenChannels({.options = config().incremental.get(),
                                    .kafka = config().kafka.get(),
                                    .connector = config().name,
                                    .topic_prefix = engine::TopicPrefixOf(config()),
                                    .clock = environment_.clock});
}

std::unique_ptr<incremental::ChunkSource> PostgresSource::OpenChunks(
    const incremental::RecordKeyOf& record_key) {
  postgres::ConnectionOptions connection = Session(SessionKind::kSql, " chunks");
  connection.keep_search_path = true;  // for the conditions of signals
  return std::make_unique<incremental::ChunkThread>(
      incremental::ChunkThread::Options{.connection = std::move(connection),
                                        .connector = config().name,
                                        .incremental = *config().incremental,
                                        .captured = *config().tables,
                                        .schemas = options_.schemas,
                                        .record_key = record_key,
                                        .wanted = WantedColumns()});
}

absl::StatusOr<Source::Blocking> PostgresSource::OpenBlocking(
    const incremental::BlockingSnapshot& asked) {
  postgres::ConnectionOptions connection = Session(SessionKind::kSql, " snapshot");
  connection.keep_search_path = !asked.statements.empty();
  return OpenBlockingTables({.asked = &asked,
                             .connection = std::move(connection),
                             .captured = &facts_.captured,
                             .filter = &filter_,
                             .held = &held_,
                             .wanted = WantedColumns(),
                             .lock_timeout = config().snapshot->lock_timeout,
                             .explain_lock = LockExplainer(),
                             .clock = environment_.clock,
                             .metrics = options_.metrics,
                             .schemas = options_.schemas});
}

void PostgresSource::RequestHeartbeatAction() {
  const std::string& sql = config().heartbeat->action_query;
  if (sql.empty()) return;
  if (heartbeat_action_ == nullptr)
    heartbeat_action_ = MakeHeartbeatAction(Opener(" heartbeat", true), sql, config().name,
                                            environment_.clock, options_.metrics);
  heartbeat_action_->Request();
}

}  // namespace walduct::slot
