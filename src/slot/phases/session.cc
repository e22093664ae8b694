#include "slot/phases/session.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/runtime_options.h"
#include "incremental/options/incremental_options.h"
#include "names/table_filter.h"
#include "offset/options.h"
#include "pgoutput/assembler.h"
#include "replication/options.h"
#include "route/options.h"
#include "slot/in_progress/streamed_source.h"
#include "slot/incremental/deleted_topics.h"
#include "slot/phases/delayed_schema_resolver.h"
#include "slot/phases/run_identity.h"
#include "slot/phases/snapshot_phase.h"
#include "slot/phases/standby_phase.h"
#include "slot/phases/stream_phase.h"
#include "slot/world/watch/server_view.h"
#include "snapshot/options.h"

namespace walduct::slot {
namespace {

// Kafka may be what failed.
constexpr absl::Duration kSalvageTimeout = absl::Seconds(5);
// Of the time to stop in; the rest is for closing what is open.
constexpr double kSettleShare = 0.75;
// A stream that had nothing to do for so long went well.
constexpr absl::Duration kStoodWell = absl::Seconds(30);
constexpr absl::Duration kCloseTimeout = absl::Milliseconds(500), kAbortTimeout = kCloseTimeout;

std::optional<Lsn> Earlier(std::optional<Lsn> goal, Lsn lsn) {
  return goal && *goal <= lsn ? goal : lsn;
}

absl::Status StreamsAgain() {
  return Error(absl::StatusCode::kUnavailable, "logical_messages_clear",
               "the transaction with unclear logical messages is done with; those in progress are "
               "received again",
               "nothing to do");
}

}  // namespace

Session::Session(const Parts& parts, Prepared prepared)
    : parts_(parts), prepared_(std::move(prepared)), types_(parts.schemas) {}

std::optional<event::Position> Session::stored() const {
  return duties_ ? duties_->checkpointer().stored() : std::nullopt;
}

absl::Status Session::Run() {
  AllowPauses();
  const absl::Status ran = RunPhases();
  GiveUpTransaction();
  parts_.control->HoldPauses(false);
  return WithLock(prepared_.store->ExplainEnd(ran), prepared_.source->View(),
                  parts_.world->clock());
}

absl::Status Session::RunPhases() {
  RETURN_IF_ERROR(Build());
  prepared_.source->ForeseeSchemas(prepared_.registries.sources());
  if (prepared_.decision.snapshot) RETURN_IF_ERROR(TakeSnapshot());
  if (prepared_.decision.stream && !parts_.control->interrupted()) RETURN_IF_ERROR(Stream());
  return absl::OkStatus();
}

absl::Status Session::Build() {
  Clock& clock = parts_.world->clock();
  // What a discarded offset had confirmed stays confirmed, but takes no part in the order of what
  // is stored from now on.
  duties_ = std::make_unique<Duties>(
      Housekeeping::Parts{.clock = &clock,
                          .poller = &parts_.world->poller(),
                          .sink = prepared_.sink.get(),
                          .store = prepared_.store.get(),
                          .control = parts_.control,
                          .board = parts_.board,
                          .metrics = parts_.metrics,
                          .schema_ids = prepared_.registries.sources()},
      Checkpointer::Options{.store = prepared_.store.get(),
                            .clock = &clock,
                            .interval = config().offset->flush_interval,
                            .base = prepared_.NewOffset(config()),
                            .board = parts_.board,
                            .commits = prepared_.sink->transactions() != nullptr,
                            .soon = config().offset->commit_interval,
                            .ledger = &ledger_},
      prepared_.resumes() ? std::optional(prepared_.stored->position) : std::nullopt,
      [source = prepared_.source.get()] { return source->CheckSlotHeld(); },
      [source = prepared_.source.get()] { return source->CheckSlotSession(); });
  ASSIGN_OR_RETURN(
      path_, delivery::RecordPath::Create({.config = parts_.config,
                                           .run_id = RunId(*parts_.world),
                                           .clock = &clock,
                                           .schema_ids = prepared_.registries.sources(),
                                           .sink = prepared_.sink.get(),
                                           .tracker = &duties_->tracker(),
                                           .destinations = &duties_->housekeeping().destinations(),
                                           .waiter = &duties_->housekeeping(),
                                           .metrics = parts_.metrics,
                                           .warn_once = parts_.warn_once}));
  path_->pipeline().Skip(prepared_.skip());
  WatchStalls();
  types_.Restore(prepared_.stored, prepared_.system.system_identifier, prepared_.resumes());
  ledger_.Add(Ledger::Author::kTypes,
              Ledger::One(event::kTypesMember, [this] { return types_.Member(); }));
  GuardMasks();
  if (config().snapshot->resume && prepared_.decision.snapshot) BuildReadRecord();
  BuildIncremental();
  BuildNewTables();
  heartbeat_ = std::make_unique<delivery::Heartbeat>(delivery::Heartbeat::Parts{
      .interval = config().heartbeat->interval,
      .clock = &clock,
      .pipeline = &path_->pipeline(),
      .sink = prepared_.sink.get(),
      .action = [source = prepared_.source.get()] { source->RequestHeartbeatAction(); }});
  return absl::OkStatus();
}

void Session::WatchStalls() {
  stall_watch_ = std::make_unique<StallWatch>(
      StallWatch::Parts{.patience = config().runtime->stall_warning,
                        .clock = &parts_.world->clock(),
                        .board = parts_.board,
                        .metrics = parts_.metrics,
                        .sink = prepared_.sink.get(),
                        .tracker = &duties_->tracker(),
                        .checkpointer = &duties_->checkpointer(),
                        .server = [source = prepared_.source.get()] { return source->View(); },
                        .schema_ids = prepared_.registries.sources()});
  duties_->housekeeping().SetWatches(stall_watch_.get(), &path_->refused());
}

void Session::GuardMasks() {
  if (prepared_.masks == nullptr) return;
  path_->encoder().SetGuard([guard = prepared_.masks.get()](const event::TableSchema& schema) {
    return guard->Judge(schema);
  });
  ledger_.Add(Ledger::Author::kMasks,
              Ledger::One(event::kMasksMember,
                          [guard = prepared_.masks.get()] { return guard->Member(); }));
}

void Session::BuildNewTables() {
  if (!prepared_.decision.stream) return;
  const std::string known =
      prepared_.resumes() ? event::FindMember(prepared_.stored->members, event::kTablesMember) : "";
  // Nobody looks for new ones while tables are handed over.
  if (config().replication->share.hands_over) {
    ledger_.Add(Ledger::Author::kNewTables,
                Ledger::One(event::kTablesMember, [known] { return known; }));
    return;
  }
  Source* const source = prepared_.source.get();
  new_tables_ = NewTables::Create(
      {.lists = config().tables->lists,
       .signal_table = config().tables->signal_table,
       .publication = config().replication->publication_name,
       .called = engine::CalledOf(config()),
       .reads = config().incremental->reads_new_tables,
       .snapshots = incremental_ == nullptr ? nullptr : &incremental_->snapshots(),
       .new_id = [this] { return RandomUuid(*parts_.world); },
       .clock = &parts_.world->clock(),
       .since = prepared_.stored_at(),
       .same_system = prepared_.same_system(),
       .wanted = config().route->wanted(),
       .look = [source](bool again) { return source->AskForCaptured(again); },
       .asked_for =
           config().tables->lists_anything() || config().replication->publication_autocreate ==
                                                    replication::PublicationAutocreate::kFiltered,
       .lacks = [source](const auto& finding) { return source->TellLacking(finding); },
       .lacks_no_more = [source](const std::string& table) { source->TellRead(table); },
       .seen = [source](const std::string& seen) { source->KnowSeen(seen); },
       .ledger = &ledger_,
       .without_topic =
           TablesOfTopics(*config().route, prepared_.deleted_topics, source->SignalTables())},
      source->SignalTables(), known);
}

void Session::BuildIncremental() {
  const auto new_id = [this] { return RandomUuid(*parts_.world); };
  notifier_ =
      std::make_unique<Notifier>(Notifier::Parts{.options = config().incremental.get(),
                                                 .connector_name = engine::TopicPrefixOf(config()),
                                                 .signal_table = config().tables->signal_table,
                                                 .pipeline = &path_->pipeline(),
                                                 .board = &parts_.metrics->notifications,
                                                 .clock = &parts_.world->clock(),
                                                 .new_id = new_id,
                                                 .on_read = [this](const std::string& table) {
                                                   prepared_.source->TellRead(table);
                                                   if (new_tables_ != nullptr)
                                                     new_tables_->WasRead(table);
                                                 }});
  incremental_ = IncrementalDriver::Create({.options = config().incremental.get(),
                                            .route = config().route.get(),
                                            .connector_name = engine::TopicPrefixOf(config()),
                                            .called = engine::CalledOf(config()),
                                            .source = prepared_.source.get(),
                                            .pipeline = &path_->pipeline(),
                                            .tracker = &duties_->tracker(),
                                            .checkpointer = &duties_->checkpointer(),
                                            .ledger = &ledger_,
                                            .notifier = notifier_.get(),
                                            .clock = &parts_.world->clock(),
                                            .metrics = parts_.metrics,
                                            .new_id = new_id,
                                            .on_whole =
                                                [this](Oid table, const auto& first) {
                                                  if (new_tables_ != nullptr)
                                                    new_tables_->WasReadWhole(table, first);
                                                },
                                            .ran_before = parts_.ran_before},
                                           prepared_.GoingOn());
}

absl::Status Session::ReadTables(TableSnapshot* snapshot, bool* done) {
  snapshot->SetListener(notifier_.get());
  SnapshotPhase phase({.reader = snapshot,
                       .housekeeping = &duties_->housekeeping(),
                       .pipeline = &path_->pipeline(),
                       .clock = &parts_.world->clock(),
                       .after_rows = [this] {
                         if (read_record_ != nullptr && read_record_->size() != read_kept_)
                           KeepRead();
                       }});
  RETURN_IF_ERROR(notifier_->Initial("STARTED"));
  const absl::Status ran = phase.Run();
  if (!ran.ok() && !duties_->ownership().lost()) notifier_->Initial("ABORTED").IgnoreError();
  *done = phase.done();
  return ran;
}

absl::Status Session::TakeSnapshot() {
  event::Position& start = prepared_.start;
  rows_before_ = parts_.metrics->snapshot_rows.value();
  RETURN_IF_ERROR(StandbyPhase({.source = prepared_.source.get(),
                                .housekeeping = &duties_->housekeeping(),
                                .stall_watch = stall_watch_.get(),
                                .clock = &parts_.world->clock()})
                      .Run());
  if (parts_.control->interrupted()) return Settle();
  ASSIGN_OR_RETURN(const auto snapshot, prepared_.source->OpenSnapshot(start.commit_end));
  start.commit_end = snapshot->origin().consistent_point;
  began_ = true;
  parts_.board->Show(engine::Activity::kSnapshotting);
  bool done = false;
  // Ending it would mean starting the snapshot again.
  parts_.control->HoldPauses(true);
  const absl::Status ran = ReadTables(snapshot.get(), &done);
  AllowPauses();
  RETURN_IF_ERROR(ExplainRights(ran));
  if (!done) return Settle();
  RETURN_IF_ERROR(snapshot->End());
  return FinishSnapshot(snapshot->origin());
}

// One that was revoked since the start: what is missing is known to who asks for all of it.
absl::Status Session::ExplainRights(const absl::Status& error) {
  if (ErrorReason(error) != "permission_denied") return error;
  const absl::Status rights = prepared_.source->CheckPlan({.decision = prepared_.decision});
  return ErrorReason(rights) == "table_not_readable" ? rights : error;
}

// Stored before the stream begins: a crash from here on does not read the tables again.
absl::Status Session::FinishSnapshot(const snapshot::SnapshotOrigin& origin) {
  event::Position completed;
  completed.commit_end = origin.consistent_point;
  completed.change_lsn = origin.consistent_point;
  completed.xid = origin.xid.value_or(0);
  completed.commit_time_us = origin.time_us;
  completed.snapshot = event::SnapshotPhase::kCompleted;
  // Until a change is streamed, a position that only moves on is still one of the snapshot.
  prepared_.start.commit_time_us = origin.time_us;
  prepared_.start.xid = completed.xid;
  prepared_.start.snapshot = completed.snapshot;
  duties_->checkpointer().OnSnapshot(origin.seen);
  duties_->tracker().SetMark(ledger_.Append(Ledger::Author::kReadRecord, nullptr));
  prepared_.source->KeepReadRecord(nullptr);  // later snapshots are none of its business
  // Also when there was no row at all, and so nothing that could carry the position.
  duties_->tracker().Advance(completed);
  RETURN_IF_ERROR(notifier_->Initial("COMPLETED"));
  RETURN_IF_ERROR(heartbeat_->Beat());
  parts_.board->WaitsFor(engine::WaitReason::kDelivery);
  RETURN_IF_ERROR(duties_->housekeeping().Drain(config().runtime->shutdown_timeout * kSettleShare));
  notifier_->LogCompleted(origin.consistent_point,
                          parts_.metrics->snapshot_rows.value() - rows_before_);
  progressed_ = true;
  if (!prepared_.decision.stream) goal_reached_ = true;
  return absl::OkStatus();
}

absl::Status Session::Stream() {
  std::optional<Lsn> goal = parts_.goal.until_lsn;
  if (parts_.goal.until_caught_up) {
    ASSIGN_OR_RETURN(goal, prepared_.source->CurrentLsn());
  }
  if (parts_.reading != nullptr) {
    ASSIGN_OR_RETURN(goal, parts_.reading->Point());
  }
  ASSIGN_OR_RETURN(OpenedStream opened, prepared_.source->OpenStream(prepared_.start));
  if (prepared_.spill != nullptr && !Pauses()) {
    opened.stream = std::make_unique<StreamedSource>(
        std::move(opened.stream),
        StreamedSource::Parts{
            .spill = prepared_.spill.get(), .pause = parts_.pause, .metrics = parts_.metrics});
  }
  if (parts_.reading != nullptr) opened.stream = parts_.reading->Through(std::move(opened.stream));
  began_ = true;
  // So that a record without a position of its own, a heartbeat, can be committed.
  if (prepared_.sink->transactions() != nullptr && !duties_->tracker().complete())
    duties_->tracker().Advance(prepared_.start);
  const std::optional<event::Position> before = stored();
  const absl::Duration opened_at = parts_.world->clock().Monotonic();
  SessionWatch session_watch(parts_.world->clock(),
                             [source = prepared_.source.get()] { return source->CheckSession(); });
  parts_.metrics->connected.Set(1);
  parts_.board->Show(engine::Activity::kStreaming);
  duties_->housekeeping().AttachStream(opened.stream.get(), opened.status_interval, &session_watch,
                                       opened.confirms);
  duties_->outbox().Start(prepared_.source->StartOutboxCleanup());
  const absl::Status begun = BeginIncremental();
  if (new_tables_ != nullptr) new_tables_->Begin(opened.coverage);
  KeepDeletedTopics();
  const absl::Status ran = begun.ok() ? RunStream(opened, goal) : begun;
  parts_.metrics->connected.Set(0);
  parts_.board->Show(engine::Activity::kSettling);
  const absl::Status ended = ran.ok()
                                 ? EndStream(*opened.stream)
                                 : OnBrokenStream(std::move(opened), session_watch.lost(), ran);
  JudgeProgress(before, opened_at);
  if (!ended.ok()) return ended;
  return pause_ended_ ? StreamsAgain() : begins_anew_;
}

absl::Status Session::BeginIncremental() {
  if (!prepared_.decision.snapshot) RETURN_IF_ERROR(notifier_->Initial("SKIPPED"));
  return incremental_ == nullptr ? absl::OkStatus() : incremental_->Begin();
}

// Transactions in progress are wanted, and must not be received from here.
bool Session::Pauses() const {
  return prepared_.spill != nullptr && parts_.pause->Covers(prepared_.start.commit_end);
}

pgoutput::AssemblerOptions Session::ResumeOptions() const {
  const event::Position& start = prepared_.start;
  pgoutput::AssemblerOptions resume;
  resume.start = start;
  // A message outside of transactions has the time of what was before it, the first one that of the
  // start.
  if (resume.start.commit_time_us == 0)
    resume.start.commit_time_us = absl::ToUnixMicros(parts_.world->clock().Now());
  // Debezium's source.sequence begins with null until the first commit after a snapshot.
  if (prepared_.resumes() && start.snapshot == event::SnapshotPhase::kNone)
    resume.last_commit_end = start.commit_end;
  // Labels of enums show only in schemas.
  resume.watch_enum_labels =
      config().encode->key.shows_schema() || config().encode->value.shows_schema();
  return resume;
}

absl::Status Session::RunStream(const OpenedStream& opened, std::optional<Lsn> goal) {
  Clock& clock = parts_.world->clock();
  const std::optional<Lsn> end = Pauses() ? Earlier(goal, parts_.pause->until()) : goal;
  NewTables* const tables = new_tables_.get();
  const names::TableFilter captured(*config().tables);
  DelayedSchemaResolver resolver({.catalog = &prepared_.source->schemas(),
                                  .captured = &captured,
                                  .clock = &clock,
                                  .delay = config().runtime->catalog_delay,
                                  .message_keys = &config().route->message_keys,
                                  .warn_once = parts_.warn_once,
                                  .on_first =
                                      [tables](const event::TableSchema& is, bool renamed) {
                                        if (tables)
                                          tables->Came({is.relation, is.schema, is.table}, renamed);
                                      },
                                  .on_away =
                                      [tables](const event::TableSchema& was) {
                                        if (tables)
                                          tables->Went({was.relation, was.schema, was.table});
                                      },
                                  .memory = parts_.schemas});
  pgoutput::Assembler assembler(resolver, path_->pipeline(), ResumeOptions());
  DroppedRelations dropped(
      {.ask = [source = prepared_.source.get()](const auto& told) { source->AskForGone(told); },
       .take = [source = prepared_.source.get()] { return source->TakeGone(); },
       .assembler = &assembler,
       .resolver = &resolver});
  StreamPhase phase({.source = opened.stream.get(),
                     .assembler = &assembler,
                     .pipeline = &path_->pipeline(),
                     .schemas = &resolver,
                     .dropped = &dropped,
                     .housekeeping = &duties_->housekeeping(),
                     .heartbeat = heartbeat_.get(),
                     .checkpointer = &duties_->checkpointer(),
                     .tracker = &duties_->tracker(),
                     .sink = prepared_.sink.get(),
                     .clock = &clock,
                     .metrics = parts_.metrics,
                     .incremental = incremental_ == nullptr ? nullptr : &incremental_->snapshots(),
                     .before_batch = LookBeside(&assembler, config().encode->slot_xmin),
                     .goal = end,
                     .reading = parts_.reading});
  const absl::Status ran = RunAndBlock(&phase);
  if (ErrorReason(ran) == "relation_renamed") {
    begins_anew_ = ran;
    log::Info("closing the stream", {{"why", std::string(ran.message())}});
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(ran);
  goal_reached_ = phase.goal_reached() && end == goal;
  pause_ended_ = phase.goal_reached() && !goal_reached_;
  if (goal_reached_ && parts_.reading != nullptr) RETURN_IF_ERROR(Read());
  log::Info(goal_reached_ ? "goal reached, stopping"
                          : (parts_.control->stops() ? "stopping" : "closing the stream"));
  return absl::OkStatus();
}

// A temporary slot goes with its session.
void Session::AllowPauses() { parts_.control->HoldPauses(config().replication->temporary_slot); }

absl::Status Session::Drain() {
  return duties_->housekeeping().Drain(config().runtime->shutdown_timeout);
}

absl::Status Session::EndStream(replication::WalSource& stream) {
  const absl::Status settled = Settle();
  duties_->housekeeping().DetachStream();
  duties_->outbox().Stop();
  stream.Stop(absl::Seconds(1));
  const bool drops_slot =
      config().replication->drop_slot_on_stop && (goal_reached_ || parts_.control->stops());
  return settled.ok() && drops_slot ? prepared_.source->DropSlot() : settled;
}

// After a failure: what was written before it is published and stored where that is still possible,
// so that the next attempt does not repeat it, and a record that stops the connector holds up
// nothing before it. Without the stream the slot may become another instance's at any moment: then
// only what is done in a moment is done.
void Session::Salvage(const absl::Status& why) {
  if (duties_->ownership().lost()) return;
  // Only a record that cannot be published, or cannot be read, leaves the slot ours.
  const bool holds_slot = absl::IsInvalidArgument(why) || absl::IsDataLoss(why);
  if (!holds_slot) duties_->ownership().Lose();
  const absl::Status settled = duties_->housekeeping().Settle(std::min(
      config().runtime->shutdown_timeout, holds_slot ? kSalvageTimeout : Ownership::kStandstill));
  if (!settled.ok()) log::Debug("not settled", {{"error", std::string(settled.message())}});
}

absl::Status Session::Settle() {
  parts_.board->WaitsFor(engine::WaitReason::kDelivery);
  return duties_->housekeeping().Settle(config().runtime->shutdown_timeout * kSettleShare);
}

// What is left of it would hold up readers of committed records until the next start, or its time.
void Session::GiveUpTransaction() {
  sink::SinkTransactions* const transactions = prepared_.sink->transactions();
  if (transactions == nullptr || !duties_ || duties_->tracker().idle()) return;
  const absl::Status given_up = transactions->Abort(kAbortTimeout);
  if (!given_up.ok()) log::Debug("not aborted", {{"error", std::string(given_up.message())}});
}

// must_close: the server waits for the end of the stream.
absl::Status Session::OnBrokenStream(OpenedStream opened, bool must_close,
                                     const absl::Status& error) {
  duties_->outbox().Stop();
  if (must_close) {
    duties_->housekeeping().DetachStream();
    opened.stream->Stop(kCloseTimeout);
    opened.stream.reset();
  }
  const absl::Status explained = must_close ? error : prepared_.source->ExplainEnd(error);
  Salvage(explained);
  duties_->housekeeping().DetachStream();
  return explained;
}

void Session::JudgeProgress(const std::optional<event::Position>& before,
                            absl::Duration opened_at) {
  const delivery::AckTracker& tracker = duties_->tracker();
  const bool moved = stored() && (!before || *before < *stored());
  const bool stood = parts_.world->clock().Monotonic() - opened_at >= kStoodWell &&
                     tracker.idle() && duties_->checkpointer().Covers(tracker.safe());
  if (moved || stood) progressed_ = true;
}

}  // namespace walduct::slot
